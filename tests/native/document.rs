//! Long texts: what each constructed head does, and tiles, rows and cells against plain f64 loops.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use attention_lab::attention::document::{ROLES, Role, embed, weights};
use attention_lab::attention::{Pattern, Sparse, Weights};
use attention_lab::engine::long::{Answer, Ask, Document, Head, ROWS_AT_ONCE, Scratch, Session, strongest};
use attention_lab::tensor::Matrix;
use attention_lab::tensor::pyramid::{Pyramid, TILE, Tile, code, log2_of};
use attention_lab::tensor::random::SplitMix64;
use attention_lab::text::{Marks, Token, Tokenizer, tokenize};
use std::ops::Range;
use std::rc::Rc;

const PATTERNS: [Pattern; 6] = [
    Pattern { causal: false, sparse: Sparse::Full },
    Pattern { causal: true, sparse: Sparse::Full },
    Pattern { causal: false, sparse: Sparse::Window(9) },
    Pattern { causal: true, sparse: Sparse::Window(20) },
    Pattern { causal: false, sparse: Sparse::Strided(8) },
    Pattern { causal: true, sparse: Sparse::Strided(5) },
];

fn tokens(text: &str) -> Vec<Token> {
    tokenize(text, Tokenizer::Space, &[], Marks::default())
}

/// `n` words of a vocabulary, drawn at random; with a vocabulary of n each word once.
fn words(n: usize, vocabulary: u64) -> Vec<Token> {
    let mut random = SplitMix64::new(7);
    let word = |at: u64| format!("w{at}");
    let drawn = |at: usize| if vocabulary >= n as u64 { at as u64 } else { random.next_u64() % vocabulary };
    tokens(&(0..n).map(drawn).map(word).collect::<Vec<_>>().join(" "))
}

fn constructed(tokens: &[Token], pattern: Pattern) -> Document {
    let x = Rc::new(embed(tokens));
    Document { x, weights: Rc::new(weights()), scale: 0.125, temperature: 1.0, pattern }
}

/// A document of random numbers: 2 heads, d_model 5, d_k 3, d_v 4.
fn random(n: usize, pattern: Pattern) -> Document {
    let mut random = SplitMix64::new(3);
    let mut matrix = |rows, columns| Matrix::from_shape_simple_fn((rows, columns), || 3.0 * random.next_unit() - 1.5);
    let x = Rc::new(matrix(n, 5));
    let weights = Weights { heads: 2, w_q: matrix(5, 6), w_k: matrix(5, 6), w_v: matrix(5, 8), w_o: matrix(8, 5) };
    Document { x, weights: Rc::new(weights), scale: 0.7, temperature: 0.9, pattern }
}

/// The weights of some rows in f64, by the formula.
fn rows_by_hand(document: &Document, head: usize, queries: Range<usize>) -> Vec<Vec<f64>> {
    let (n, d_k) = (document.len(), document.weights.d_k());
    let wide = |m: &Matrix<f32>| m.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
    let (x, d_model) = (wide(&document.x), document.x.ncols());
    let project = |w: &Matrix<f32>| -> Vec<f64> {
        let (w, columns) = (wide(w), w.ncols());
        let sum = |at: usize, c: usize| (0..d_model).map(|m| x[at * d_model + m] * w[m * columns + c]).sum::<f64>();
        (0..n).flat_map(|at| (0..d_k).map(move |c| (at, head * d_k + c))).map(|(at, c)| sum(at, c)).collect()
    };
    let (q, k) = (project(&document.weights.w_q), project(&document.weights.w_k));
    let factor = f64::from(document.scale) / f64::from(document.temperature);
    let row = |query: usize| {
        let score =
            |key: usize| -> f64 { (0..d_k).map(|c| q[query * d_k + c] * k[key * d_k + c]).sum::<f64>() * factor };
        let scores: Vec<Option<f64>> =
            (0..n).map(|key| document.pattern.permits(query, key).then(|| score(key))).collect();
        let max = scores.iter().flatten().fold(f64::NEG_INFINITY, |max, &score| max.max(score));
        let exps: Vec<f64> = scores.iter().map(|score| score.map_or(0.0, |score| (score - max).exp())).collect();
        let sum: f64 = exps.iter().sum();
        exps.iter().map(|e| e / sum).collect()
    };
    queries.map(row).collect()
}

fn close(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() <= 2e-6 + 2e-4 * want.abs(), "{what}: {got} where {want} was expected");
}

#[test]
fn rows_are_the_softmax_of_the_permitted_scores() {
    for n in [1, 2, 17, 67] {
        for pattern in PATTERNS {
            let document = random(n, pattern);
            let (head, mut scratch) = (Head::new(&document, 1), Scratch::new(n));
            for (query, by_hand) in rows_by_hand(&document, 1, 0..n).into_iter().enumerate() {
                let (row, summary) = head.row(&document, query, &mut scratch).unwrap();
                for (key, (&got, &want)) in row.iter().zip(&by_hand).enumerate() {
                    close(f64::from(got), want, &format!("n {n} {pattern:?} [{query}, {key}]"));
                    assert_eq!(got == 0.0, !pattern.permits(query, key), "{pattern:?} [{query}, {key}]");
                }
                let entropy: f64 = by_hand.iter().filter(|&&w| w > 0.0).map(|w| -w * w.ln()).sum();
                assert!((f64::from(summary.entropy) - entropy).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn the_output_is_the_weighted_mean_of_the_values() {
    let document = random(23, PATTERNS[1]);
    let (head, mut scratch) = (Head::new(&document, 1), Scratch::new(23));
    let (row, _) = head.row(&document, 20, &mut scratch).unwrap();
    let output = head.output(&document, &row);
    let by_hand = rows_by_hand(&document, 1, 20..21).remove(0);
    for (column, &got) in output.iter().enumerate() {
        let value = |key: usize| -> f64 {
            let w_v = document.weights.w_v.column(4 + column);
            document.x.row(key).iter().zip(w_v).map(|(x, w)| f64::from(*x) * f64::from(*w)).sum()
        };
        close(f64::from(got), by_hand.iter().enumerate().map(|(key, w)| w * value(key)).sum(), "output");
    }
}

/// All that a session hands out until it is done.
fn run(session: &mut Session) -> Vec<Answer> {
    std::iter::from_fn(|| session.is_busy().then(|| session.work(|| true))).flatten().collect()
}

#[test]
fn a_tile_holds_mean_and_maximum_of_what_it_covers() {
    // 600 tokens: two levels, and cells that the end of the text cuts.
    for pattern in [PATTERNS[0], PATTERNS[1], PATTERNS[4]] {
        let document = random(599, pattern);
        let rows = rows_by_hand(&document, 0, 0..599);
        let pyramid = Pyramid { places: 599 };
        assert_eq!(pyramid.top(), 1);
        let mut session = Session::new(document, 0);
        let tile = Tile { level: 0, row: 1, column: 1 };
        session.ask(Ask::Tiles(vec![tile]));
        let (mut seen, mut tiles) = (0, 0);
        for answer in run(&mut session) {
            let (tile, first, mean, max) = match answer {
                Answer::Overview { head: 0, rows, mean, max } => (pyramid.whole(), rows.start, mean, max),
                Answer::Tile { head: 0, tile: of, mean, max } => {
                    assert_eq!(of, tile);
                    tiles += 1;
                    (of, 0, mean, max)
                }
                _ => continue,
            };
            let area = pyramid.area(tile).unwrap();
            let first_cell = [area.queries.start, area.keys.start].map(|at| at / Pyramid::cell_side(tile.level));
            for (at, (&mean, &max)) in mean.iter().zip(&max).enumerate() {
                let (row, column) = (first + at / area.columns, at % area.columns);
                let queries = pyramid.of_cell(tile.level, first_cell[0] + row);
                let keys = pyramid.of_cell(tile.level, first_cell[1] + column);
                let all = || queries.clone().flat_map(|query| rows[query][keys.clone()].iter().copied());
                let (sum, count) = (all().sum::<f64>(), all().count());
                let most = all().fold(0.0, f64::max);
                for (got, want) in [(mean, sum / count as f64), (max, most)] {
                    if want == 0.0 {
                        assert_eq!(got, 0);
                    } else {
                        assert!((f64::from(log2_of(got)) - want.log2().max(-24.0)).abs() < 0.07, "{got} for {want}");
                    }
                }
                seen += 1;
            }
        }
        assert_eq!((seen, tiles), (300 * 300 + 87 * 87, 1));
    }
}

#[test]
fn zooming_out_never_hides_a_spike() {
    // Every score is 0 but one: that row looks at one key of 16,384, all others look everywhere alike.
    let n = 16_384;
    let (query, key) = (9_876, 9_870);
    let mut x = Matrix::zeros((n, 2));
    x[[query, 0]] = 1.0;
    x[[key, 1]] = 1.0;
    let w = |from: usize| Matrix::from_shape_fn((2, 1), |(row, _)| if row == from { 5.0 } else { 0.0 });
    let weights = Weights { heads: 1, w_q: w(0), w_k: w(1), w_v: w(1), w_o: Matrix::zeros((1, 2)) };
    let pattern = Pattern { causal: false, sparse: Sparse::Window(40) };
    let document = Document { x: Rc::new(x), weights: Rc::new(weights), scale: 1.0, temperature: 1.0, pattern };
    let pyramid = Pyramid { places: n };
    assert_eq!((pyramid.top(), pyramid.cells(pyramid.top())), (5, TILE));
    let mut session = Session::new(document, 0);
    let (mut means, mut maxima) = (Vec::new(), Vec::new());
    for answer in run(&mut session) {
        if let Answer::Overview { mean, max, .. } = answer {
            means.extend(mean);
            maxima.extend(max);
        }
    }
    let at = query / 32 * TILE + key / 32;
    assert_eq!(maxima.len(), TILE * TILE);
    assert_eq!(maxima[at], 255, "a weight of 1 is the largest code");
    assert!(maxima.iter().enumerate().all(|(other, &max)| other == at || max < 200), "and no other cell has it");
    let neighbour = means[at - TILE - 1];
    assert!(means[at].abs_diff(neighbour) <= 3, "the mean alone would hide it: {} beside {neighbour}", means[at]);
    let cell = match session.ask(Ask::Cell { level: 5, at: (query / 32, key / 32) }) {
        Some(Answer::Cell { cell, .. }) => cell,
        other => panic!("{other:?}"),
    };
    assert_eq!(cell.at, (query, key));
    assert!(cell.max > 0.999_99);
}

#[test]
fn a_code_is_within_half_a_step_and_keeps_order() {
    assert_eq!([0.0, -1.0, f32::NAN].map(code), [0, 0, 0]);
    assert_eq!([1.0, 2.0, f32::MIN_POSITIVE].map(code), [255, 255, 1]);
    let mut last = 0;
    for step in 0..24_000 {
        let log2 = -24.0 + f32::from(i16::try_from(step).unwrap()) / 1000.0;
        let code = code(log2.exp2());
        assert!(code >= last, "a larger weight has no smaller code");
        assert!((log2_of(code) - log2).abs() < 0.06, "{log2}: {}", log2_of(code));
        last = code;
    }
}

#[test]
fn tiles_cover_the_map_once() {
    for places in [1, 511, 512, 513, 4097, 16_384] {
        let pyramid = Pyramid { places };
        for level in 0..=pyramid.top() {
            let tiles = pyramid.tiles(level);
            let mut end = 0;
            for row in 0..tiles {
                let area = pyramid.area(Tile { level, row: row as u16, column: 0 }).unwrap();
                assert_eq!(area.queries.start, end);
                assert!(area.rows <= TILE && area.rows > 0);
                end = area.queries.end;
            }
            assert_eq!(end, places);
            assert_eq!(pyramid.area(Tile { level, row: tiles as u16, column: 0 }), None);
        }
        assert_eq!(pyramid.tiles(pyramid.top()), 1);
        assert_eq!(pyramid.area(Tile { level: pyramid.top() + 1, row: 0, column: 0 }), None);
    }
}

/// Sum of a row's weights at keys for which `of` holds.
fn share(row: &[f32], of: impl Fn(usize) -> bool) -> f32 {
    row.iter().enumerate().filter(|(key, _)| of(*key)).map(|(_, weight)| weight).sum()
}

#[test]
fn each_constructed_head_does_what_it_says() {
    let texts = [
        tokens("the cat saw the dog and the dog saw the cat"),
        words(700, 40),  // many repeats
        words(700, 700), // none
        words(16_384, 16_384),
        words(16_384, 3_000),
    ];
    for tokens in texts {
        let n = tokens.len();
        let same = |query: usize| {
            let tokens = &tokens;
            move |key: usize| tokens[key].identity == tokens[query].identity
        };
        for pattern in [PATTERNS[0], PATTERNS[1], Pattern { causal: true, sparse: Sparse::Strided(128) }] {
            let document = constructed(&tokens, pattern);
            let mut scratch = Scratch::new(n);
            for (index, role) in ROLES.into_iter().enumerate() {
                let head = Head::new(&document, index);
                for query in [0, n / 3, n - 1] {
                    let (row, _) = head.row(&document, query, &mut scratch).unwrap();
                    let what = format!("{role:?}, {n} tokens, {pattern:?}, row {query}");
                    match role {
                        Role::SameWord => {
                            let (total, count) =
                                (share(&row, same(query)), row_count(&row, same(query), pattern, query));
                            assert!(total > 0.99, "{what}: {total}");
                            for key in (0..n).filter(|&key| same(query)(key) && pattern.permits(query, key)) {
                                let fair = total / count as f32;
                                assert!((row[key] - fair).abs() < 0.01 * fair, "{what}: {} at {key}", row[key]);
                            }
                        }
                        Role::RecentSameWord => {
                            let total = share(&row, same(query));
                            assert!(total > 0.99, "{what}: {total}");
                            assert_eq!(strongest(&row, 1)[0].key, query, "{what}: the nearest is itself");
                            if let Some(before) =
                                (0..query).rev().find(|&key| same(query)(key) && pattern.permits(query, key))
                            {
                                let first =
                                    (0..query).find(|&key| same(query)(key) && pattern.permits(query, key)).unwrap();
                                assert!(row[before] >= row[first], "{what}");
                            }
                        }
                        Role::LocalWindow => {
                            let near = share(&row, |key| key.abs_diff(query) <= 24);
                            assert!(near > 0.99, "{what}: {near}");
                            assert_eq!(strongest(&row, 1)[0].key, query, "{what}");
                        }
                        Role::FirstToken => {
                            // A strided mask may hide the first token; then all that is left is alike.
                            let expected = if pattern.permits(query, 0) { row[0] > 0.98 } else { row[0] == 0.0 };
                            assert!(expected, "{what}: {}", row[0]);
                        }
                    }
                }
            }
        }
    }
}

fn row_count(row: &[f32], of: impl Fn(usize) -> bool, pattern: Pattern, query: usize) -> usize {
    (0..row.len()).filter(|&key| of(key) && pattern.permits(query, key)).count()
}

#[test]
fn the_distance_slope_falls_all_along_the_text() {
    // One word 2,000 times: the weights of the second head fall with distance on either side.
    let tokens = words(2_000, 1);
    let document = constructed(&tokens, PATTERNS[0]);
    let (row, _) = Head::new(&document, 1).row(&document, 1_000, &mut Scratch::new(2_000)).unwrap();
    for step in (0..1_000).step_by(100) {
        assert!(row[1_000 - step] > row[900 - step.min(900)] || step == 900, "{step}");
        assert!((row[1_000 - step.min(999)] / row[1_000 + step.min(999)] - 1.0).abs() < 0.01, "both sides alike");
    }
    // 24 over the whole text: half of it apart is e⁻¹² of the top.
    assert!((row[1_000] / row[0]).ln() > 11.0 && (row[1_000] / row[0]).ln() < 13.0, "{}", (row[1_000] / row[0]).ln());
}

#[test]
fn the_head_on_show_comes_first_and_the_last_wish_counts() {
    let document = constructed(&words(1_100, 90), PATTERNS[1]);
    let mut session = Session::new(document, 2);
    let head_of = |answer: &Answer| match answer {
        Answer::Overview { head, .. } | Answer::Tile { head, .. } | Answer::Row { head, .. } => *head,
        other => panic!("{other:?}"),
    };
    // One band at a time, head 3 first; then a person turns to head 2 in the middle of it.
    while session.rows_done(2) < 320 {
        if let Some(answer) = session.work(|| false) {
            assert_eq!(head_of(&answer), 2);
        }
    }
    session.ask(Ask::Head(1));
    let row = session.ask(Ask::Row(1_000)).unwrap();
    assert_eq!(head_of(&row), 1, "a row is answered before any map");
    assert!(matches!(row, Answer::Row { ref weights, .. } if (weights.iter().sum::<f32>() - 1.0).abs() < 1e-4));
    session.ask(Ask::Tiles(vec![Tile { level: 0, row: 2, column: 0 }]));
    session.ask(Ask::Tiles(vec![Tile { level: 0, row: 1, column: 1 }, Tile { level: 0, row: 9, column: 9 }]));
    assert_eq!(session.rows_done(2), 320, "what was computed stays");
    session.ask(Ask::Stop);
    assert!(!session.is_busy() && session.work(|| true).is_none());
    session.ask(Ask::Resume);
    let answers = run(&mut session);
    let first_tile = answers.iter().position(|answer| matches!(answer, Answer::Tile { .. })).unwrap();
    assert!(matches!(answers[first_tile], Answer::Tile { tile: Tile { row: 1, column: 1, .. }, .. }));
    assert!(answers[..first_tile].iter().all(|answer| head_of(answer) == 1), "the head on show, then its tiles");
    assert_eq!(answers.iter().filter(|answer| matches!(answer, Answer::Tile { .. })).count(), 1);
    assert!((0..4).all(|head| session.rows_done(head) == 1_100));
    session.ask(Ask::Problem { temperature: 2.0, pattern: PATTERNS[0] });
    assert_eq!(session.rows_done(1), 0, "another temperature begins anew");
}

#[test]
fn memory_grows_with_the_text_and_not_with_its_square() {
    let bytes = |n: usize| {
        let mut session =
            Session::new(constructed(&words(n, 50), Pattern { causal: true, sparse: Sparse::Window(8) }), 0);
        run(&mut session);
        session.bytes()
    };
    let (short, long) = (bytes(2_048), bytes(8_192));
    assert!(long < 4 * short, "{short} {long}");
    assert!(bytes(16_384) < 40_000_000, "{}", bytes(16_384));
}

#[test]
fn products_that_overflow_are_said() {
    let mut document = random(40, PATTERNS[0]);
    document.x = Rc::new(Matrix::from_elem((40, 5), f32::MAX));
    let mut session = Session::new(document, 0);
    assert!(matches!(run(&mut session)[..], [Answer::Failed { head: 0 }, Answer::Failed { head: 1 }]));
    assert!(matches!(session.ask(Ask::Row(3)), Some(Answer::Failed { head: 0 })));
    assert!(!session.is_busy());
    let mut nothing = Session::new(random(0, PATTERNS[0]), 0);
    assert!(!nothing.is_busy() && nothing.work(|| true).is_none());
    assert!(nothing.ask(Ask::Cell { level: 0, at: (0, 0) }).is_none());
    assert_eq!(ROWS_AT_ONCE, 16);
}
