//! The subject: embeddings, weights, masks and validation.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::golden::{lexicon, tokens, toy_problem};
use attention_lab::attention::Cells;
use attention_lab::attention::mask_text::{self, Convention, MaskTextError};
use attention_lab::attention::{
    D_MODEL, Mask, Problem, ProblemError, Rule, Shape, Source, Weights, embedding, oracle, random_weights, toy,
};
use attention_lab::tensor::random::SplitMix64;
use attention_lab::tensor::{Heads, Matrix};
use std::rc::Rc;

#[test]
fn embedding_has_three_parts() {
    let words = ["<BOS>", "猫", "女巫", "<PAD>"];
    let x = embedding::embed(&tokens(words), true);
    assert_eq!(x.dim(), (4, D_MODEL));
    let ones = |row: usize| (0..32).filter(|&f| x[[row, f]] == 1.0).collect::<Vec<_>>();
    // const bos · const noun animate animal · const unk · const
    assert_eq!([ones(0), ones(1), ones(2), ones(3)], [vec![0, 1], vec![0, 2, 12, 13], vec![0, 11], vec![0]]);
    for (position, row) in x.rows().into_iter().enumerate() {
        assert!(row.iter().take(32).all(|&f| f == 0.0 || f == 1.0));
        for m in 0..8 {
            let angle = std::f64::consts::FRAC_PI_2 / 2_f64.powi(m) * f64::from(u32::try_from(position).unwrap());
            let at = 32 + 2 * usize::try_from(m).unwrap();
            assert!(
                (f64::from(row[at]) - angle.cos()).abs() < 1e-7 && (f64::from(row[at + 1]) - angle.sin()).abs() < 1e-7
            );
        }
        assert!(row.iter().skip(48).all(|&code| code.abs() == 0.25));
    }
    let off = embedding::embed(&tokens(words), false);
    assert!(off.slice(ndarray::s![.., 32..48]).iter().all(|&p| p == 0.0));
    assert_eq!(off.slice(ndarray::s![.., 48..]), x.slice(ndarray::s![.., 48..]));
    assert_eq!(embedding::embed(&[], true).dim(), (0, D_MODEL));
}

#[test]
fn half_of_the_identity_tells_131_words_apart() {
    // As the reference counts: 8 of the 16 bits give 131 distinct codes for the 193 words.
    let words = lexicon();
    let x = embedding::embed(&tokens(words.keys().map(String::as_str)), false);
    let codes: std::collections::BTreeSet<Vec<bool>> =
        x.rows().into_iter().map(|row| row.iter().skip(48).take(8).map(|&c| c > 0.0).collect()).collect();
    assert_eq!(codes.len(), 131);
}

#[test]
fn constructed_weights_are_sparse_and_heads_write_apart() {
    let weights = toy::weights();
    let count = |w: &Matrix<f32>| w.iter().filter(|&&x| x != 0.0).count();
    assert_eq!((weights.heads, weights.d_k(), weights.d_v()), (8, 8, 8));
    // The kernel of head 2 has cos of a quarter turn in it, which is 0 and not 6e-17.
    assert_eq!((count(&weights.w_q), count(&weights.w_k)), (76, 50));
    assert_eq!(count(&weights.w_q.slice(ndarray::s![.., ..8]).to_owned()), 0, "head 1 asks nothing");
    assert_eq!(weights.w_o, Matrix::<f32>::eye(64));
    assert_eq!(toy::ROLES.len(), weights.heads);
}

#[test]
fn random_weights_follow_the_seed() {
    let weights = random_weights::weights(42, 3, 5);
    let mut random = SplitMix64::new(42);
    let half_width = (3.0_f32 / 64.0).sqrt();
    for (name, w, shape) in [
        ("Q", &weights.w_q, (64, 15)),
        ("K", &weights.w_k, (64, 15)),
        ("V", &weights.w_v, (64, 15)),
        ("O", &weights.w_o, (15, 64)),
    ] {
        assert_eq!(w.dim(), shape, "{name}");
        for &got in w {
            let want = (2.0 * random.next_unit() - 1.0) * half_width;
            assert!((got - want).abs() < 1e-7, "{name}: {got} where {want} was drawn");
        }
    }
    let many = random_weights::weights(1, 16, 64).w_q;
    let (mean, square) = (many.mean().unwrap(), many.mapv(|x| x * x).mean().unwrap());
    assert!(mean.abs() < 2e-3 && (square * 64.0 - 1.0).abs() < 0.02, "mean {mean}, variance {square}");
    assert_ne!(random_weights::weights(1, 1, 8), random_weights::weights(2, 1, 8));
}

#[test]
fn rows_are_normalised_to_root_mean_square_1() {
    let mut x = embedding::embed(&tokens(["<BOS>", "猫", "追"]), true);
    let before = x.clone();
    random_weights::normalise_rows(&mut x);
    for (row, old) in x.rows().into_iter().zip(before.rows()) {
        let square: f64 = row.iter().map(|&x| f64::from(x).powi(2)).sum();
        assert!((square / 64.0 - 1.0).abs() < 1e-6);
        let factor = row[0] / old[0];
        assert!(row.iter().zip(old).all(|(x, old)| (x - old * factor).abs() < 1e-6));
    }
    let mut zero = Matrix::zeros((1, 4));
    random_weights::normalise_rows(&mut zero);
    assert!(zero.iter().all(|&x: &f32| x == 0.0));
}

#[test]
fn random_scores_spread_by_about_the_root_of_d_k() {
    let mut x = embedding::embed(&tokens(lexicon().keys().take(60).map(String::as_str)), true);
    random_weights::normalise_rows(&mut x);
    let x = Rc::new(x);
    let weights = Rc::new(random_weights::weights(3, 4, 32));
    let source = Source::Embedded { x_q: Rc::clone(&x), x_k: x, weights };
    let problem = Problem { source, scale: 1.0, temperature: 1.0, mask: Mask::none(), method: None };
    let trace = oracle::trace(&problem).unwrap();
    let raw = trace.top().unwrap().raw.get().unwrap();
    let deviation = (raw.mapv(|s| s * s).mean().unwrap()).sqrt();
    assert!((0.6..1.5).contains(&(deviation / 32_f64.sqrt())), "{deviation}");
}

fn shape() -> Shape {
    Shape { heads: 3, n_q: 4, n_k: 6, d_k: 2, d_v: 2, d_model: 0 }
}

fn busy_mask() -> Mask {
    let given = Heads::from_shape_fn((3, 4, 6), |(h, i, j)| (h + 2 * i + j) % 3 != 0);
    let bias = Heads::from_shape_fn((1, 4, 6), |(_, i, j)| if (i * j) % 5 == 4 { f32::NEG_INFINITY } else { 0.5 });
    Mask {
        causal: true,
        keys: Some([true, true, true, false, true, true].into()),
        cells: Rc::new([((0, 5), true), ((1, 0), false), ((2, 2), true), ((9, 9), true)].into()),
        rule: Some(Rc::new(Rule::Any([Rule::Window(1), Rule::Strided(2)].into()))),
        given: Some(Rc::new(given)),
        bias: Some(Rc::new(bias)),
    }
}

#[test]
fn fast_rows_equal_cells_one_by_one() {
    let busy = busy_mask();
    let parts = [
        Mask::none(),
        Mask { causal: true, ..Mask::none() },
        Mask { keys: busy.keys.clone(), ..Mask::none() },
        Mask { rule: busy.rule.clone(), ..Mask::none() },
        Mask { cells: Rc::clone(&busy.cells), ..Mask::none() },
        Mask { given: busy.given.clone(), ..Mask::none() },
        Mask { bias: busy.bias.clone(), ..Mask::none() },
        busy,
    ];
    for (number, mask) in parts.iter().enumerate() {
        mask.check(&shape()).unwrap();
        for head in 0..3 {
            for query in 0..4 {
                let mut row = [false; 6];
                mask.fill_row(head, query, &mut row);
                let cells: Vec<bool> = (0..6).map(|key| mask.permits(head, query, key)).collect();
                assert_eq!(row[..], cells[..], "mask {number}, head {head}, query {query}");
                assert_eq!(mask.count_permitted(head, query, 6), cells.iter().filter(|&&may| may).count());
            }
        }
    }
    assert!(parts[5].depends_on_head() && parts[7].depends_on_head());
    assert!([0, 1, 3, 6].into_iter().all(|plain: usize| !parts[plain].depends_on_head()));
}

#[test]
fn a_cell_set_by_hand_wins_even_over_a_bias_of_minus_infinity() {
    let bias = Some(Rc::new(Heads::from_elem((1, 1, 2), f32::NEG_INFINITY)));
    let mask = Mask { bias, cells: Rc::new([((0, 1), true)].into()), ..Mask::none() };
    assert!(mask.permits(0, 0, 1) && !mask.permits_without_cells(0, 0, 1) && !mask.permits(0, 0, 0));
    assert_eq!(mask.added(0, 0, 1), 0.0);
    let x = Rc::new(Heads::ones((1, 2, 1)));
    let q = Rc::new(Heads::ones((1, 1, 1)));
    let problem = Problem {
        source: Source::Given { q, k: Rc::clone(&x), v: x },
        scale: 1.0,
        temperature: 1.0,
        mask,
        method: None,
    };
    for weights in [
        super::golden::row(&oracle::trace(&problem).unwrap(), 0, 0),
        super::golden::row(&super::golden::engine_trace(&problem), 0, 0),
    ] {
        assert_eq!(weights, [0.0, 1.0]);
    }
}

fn given(q: (usize, usize, usize), k: (usize, usize, usize), v: (usize, usize, usize)) -> Problem {
    let ones = |shape| Rc::new(Heads::ones(shape));
    let source = Source::Given { q: ones(q), k: ones(k), v: ones(v) };
    Problem { source, scale: 1.0, temperature: 1.0, mask: Mask::none(), method: None }
}

#[test]
fn sizes_of_valid_problems() {
    assert_eq!(given((3, 4, 2), (3, 6, 2), (3, 6, 2)).shape(), Ok(shape()));
    let toy = Shape { heads: 8, n_q: 2, n_k: 2, d_k: 8, d_v: 8, d_model: 64 };
    assert_eq!(toy_problem(["<BOS>", "猫"], true).shape(), Ok(toy));
}

#[test]
fn empty_problems_are_refused() {
    for (what, problem) in [
        ("heads", given((0, 4, 2), (0, 6, 2), (0, 6, 2))),
        ("q", given((1, 0, 2), (1, 6, 2), (1, 6, 2))),
        ("k", given((1, 4, 2), (1, 0, 2), (1, 0, 2))),
        ("d_k", given((1, 4, 0), (1, 6, 0), (1, 6, 2))),
        ("d_v", given((1, 4, 2), (1, 6, 2), (1, 6, 0))),
        ("x_q", toy_problem([], true)),
    ] {
        assert_eq!(problem.shape(), Err(ProblemError::Empty { what }));
    }
}

#[test]
fn sizes_that_do_not_agree_are_refused() {
    let error = |problem: Problem| problem.shape().unwrap_err();
    let wrong =
        |what, got: &[usize], want: &[usize]| ProblemError::Shape { what, got: got.to_vec(), want: want.to_vec() };
    assert_eq!(error(given((3, 4, 2), (3, 6, 5), (3, 6, 2))), wrong("k", &[3, 6, 5], &[3, 6, 2]));
    assert_eq!(error(given((3, 4, 2), (2, 6, 2), (3, 6, 2))), wrong("k", &[2, 6, 2], &[3, 6, 2]));
    assert_eq!(error(given((3, 4, 2), (3, 6, 2), (3, 5, 2))), wrong("v", &[3, 5, 2], &[3, 6, 2]));
    let with = |change: fn(&mut Weights)| {
        let mut weights = random_weights::weights(0, 2, 3);
        change(&mut weights);
        let x = Rc::new(Matrix::ones((2, 64)));
        let source = Source::Embedded { x_q: Rc::clone(&x), x_k: x, weights: Rc::new(weights) };
        error(Problem { source, scale: 1.0, temperature: 1.0, mask: Mask::none(), method: None })
    };
    assert_eq!(with(|w| w.w_q = Matrix::zeros((63, 6))), wrong("w_q", &[63, 6], &[64, 6]));
    assert_eq!(with(|w| w.w_q = Matrix::zeros((64, 7))), wrong("w_q", &[64, 7], &[64, 6]));
    assert_eq!(with(|w| w.w_k = Matrix::zeros((64, 8))), wrong("w_k", &[64, 8], &[64, 6]));
    assert_eq!(with(|w| w.w_v = Matrix::zeros((64, 5))), wrong("w_v", &[64, 5], &[64, 4]));
    assert_eq!(with(|w| w.w_o = Matrix::zeros((6, 63))), wrong("w_o", &[6, 63], &[6, 64]));
    assert_eq!(with(|w| w.heads = 0), ProblemError::Empty { what: "heads" });
    let Source::Embedded { x_q, weights, .. } = toy_problem(["猫"], true).source else { unreachable!() };
    let source = Source::Embedded { x_q, x_k: Rc::new(Matrix::ones((2, 60))), weights };
    let problem = Problem { source, scale: 1.0, temperature: 1.0, mask: Mask::none(), method: None };
    assert_eq!(error(problem), wrong("x_k", &[2, 60], &[2, 64]));
}

#[test]
fn numbers_that_are_none_are_refused() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut q = Heads::ones((3, 4, 2));
        q[[1, 2, 1]] = bad;
        let mut problem = given((3, 4, 2), (3, 6, 2), (3, 6, 2));
        let Source::Given { k, v, .. } = problem.source.clone() else { unreachable!() };
        problem.source = Source::Given { q: Rc::new(q), k, v };
        assert_eq!(problem.shape(), Err(ProblemError::NotFinite { what: "q", index: 13 }));
        let problem = Problem { scale: bad, ..given((3, 4, 2), (3, 6, 2), (3, 6, 2)) };
        assert!(matches!(problem.shape(), Err(ProblemError::Scale { .. })));
        let problem = Problem { temperature: bad, ..given((3, 4, 2), (3, 6, 2), (3, 6, 2)) };
        assert!(matches!(problem.shape(), Err(ProblemError::Temperature { .. })));
        let mut weights = random_weights::weights(0, 1, 1);
        weights.w_v[[63, 0]] = bad;
        let x = Rc::new(Matrix::ones((1, 64)));
        let source = Source::Embedded { x_q: Rc::clone(&x), x_k: x, weights: Rc::new(weights) };
        assert_eq!(source.shape(), Err(ProblemError::NotFinite { what: "w_v", index: 63 }));
    }
    for temperature in [0.0, -0.0, -1.0] {
        let problem = Problem { temperature, ..given((3, 4, 2), (3, 6, 2), (3, 6, 2)) };
        assert_eq!(problem.shape(), Err(ProblemError::Temperature { got: temperature }));
    }
}

#[test]
fn masks_that_do_not_fit_are_refused() {
    let check = |mask: Mask| Problem { mask, ..given((3, 4, 2), (3, 6, 2), (3, 6, 2)) }.shape().unwrap_err();
    let wrong =
        |what, got: &[usize], want: &[usize]| ProblemError::Shape { what, got: got.to_vec(), want: want.to_vec() };
    assert_eq!(check(Mask { keys: Some([true; 4].into()), ..Mask::none() }), wrong("mask keys", &[4], &[6]));
    for (shape, want) in
        [((1, 6, 4), [1, 4, 6]), ((2, 4, 6), [3, 4, 6]), ((3, 4, 7), [3, 4, 6]), ((0, 4, 6), [3, 4, 6])]
    {
        let got = [shape.0, shape.1, shape.2];
        let cells = Some(Rc::new(Heads::from_elem(shape, true)));
        assert_eq!(check(Mask { given: cells, ..Mask::none() }), wrong("mask", &got, &want));
        let bias = Some(Rc::new(Heads::from_elem(shape, 0.0)));
        assert_eq!(check(Mask { bias, ..Mask::none() }), wrong("bias", &got, &want));
    }
    for bad in [f32::NAN, f32::INFINITY] {
        let mut bias = Heads::from_elem((1, 4, 6), f32::NEG_INFINITY);
        bias[[0, 3, 5]] = bad;
        let mask = Mask { bias: Some(Rc::new(bias)), ..Mask::none() };
        assert_eq!(check(mask), ProblemError::NotFinite { what: "bias", index: 23 });
    }
}

#[test]
fn a_mask_asked_outside_its_arrays_does_not_panic() {
    let mask = busy_mask();
    for (head, query, key) in [(7, 0, 0), (0, 70, 0), (0, 0, 70), (usize::MAX, usize::MAX, usize::MAX)] {
        let mut row = [false; 9];
        let _ = (mask.permits(head, query, key), mask.added(head, query, key));
        mask.fill_row(head, query, &mut row);
        let cells: Vec<bool> = (0..9).map(|key| mask.permits(head, query, key)).collect();
        assert_eq!(row[..], cells[..]);
    }
}

#[test]
fn heads_split_and_merge_without_loss() {
    // arange(30) for n = 5, h = 2, d = 3, with W = identity: head a of row i holds columns 3a to 3a + 2.
    let x = Rc::new(Matrix::from_shape_fn((5, 6), |(i, c)| f32::from(u16::try_from(6 * i + c).unwrap())));
    let eye = Matrix::eye(6);
    let weights = Weights { heads: 2, w_q: eye.clone(), w_k: eye.clone(), w_v: eye.clone(), w_o: eye };
    let source = Source::Embedded { x_q: Rc::clone(&x), x_k: Rc::clone(&x), weights: Rc::new(weights) };
    // Every query sees itself only, so that outputs are values.
    let mask = Mask { given: Some(Rc::new(Heads::from_shape_fn((1, 5, 5), |(_, i, j)| i == j))), ..Mask::none() };
    let problem = Problem { source, scale: 1.0, temperature: 1.0, mask, method: None };
    let trace = super::golden::engine_trace(&problem);
    let layer = trace.top().unwrap();
    let split = Heads::from_shape_fn((2, 5, 3), |(a, i, c)| x[[i, 3 * a + c]]);
    assert_eq!(layer.v.get(), Some(&split));
    assert_eq!(layer.q.get(), Some(&split));
    assert_eq!(layer.concat.get(), Some(&*x));
    assert_eq!(layer.output.get(), Some(&*x));
    let oracle = oracle::trace(&problem).unwrap();
    assert_eq!(oracle.top().unwrap().concat.get(), Some(&x.mapv(f64::from)));
}

#[test]
fn fully_masked_rows_are_zero_in_the_oracle() {
    let mut problem = given((1, 2, 2), (1, 3, 2), (1, 3, 2));
    problem.mask.given = Some(Rc::new(Heads::from_shape_fn((1, 2, 3), |(_, i, _)| i == 0)));
    let trace = oracle::trace(&problem).unwrap();
    let layer = trace.top().unwrap();
    assert_eq!(super::golden::row(&trace, 0, 1), [0.0; 3]);
    assert!(trace.rows(attention_lab::attention::Stage::HeadOutput, 0, 1..2).unwrap().iter().all(|&o| o == 0.0));
    let at = [0, 1];
    assert_eq!(layer.rows.max[at], f64::NEG_INFINITY);
    assert_eq!((layer.rows.inverse_sum[at], layer.rows.entropy[at], layer.rows.permitted[at]), (0.0, 0.0, 0));
}

#[test]
fn cells_set_by_hand_behave_as_an_ordered_map() {
    let (mut cells, mut map) = (Cells::new(), std::collections::BTreeMap::new());
    let mut random = SplitMix64::new(3);
    for _ in 0..400 {
        let bits = random.next_u64();
        let (cell, permit) = (((bits >> 8) as u32 % 6, (bits >> 16) as u32 % 6), bits & 1 == 1);
        if bits & 6 == 0 {
            cells.remove(&cell);
            map.remove(&cell);
        } else {
            cells.insert(cell, permit);
            map.insert(cell, permit);
        }
        assert!(cells.iter().eq(map.iter().map(|(&cell, &permit)| (cell, permit))));
        assert_eq!((cells.get(&cell), cells.contains_key(&cell)), (map.get(&cell).copied(), map.contains_key(&cell)));
        assert_eq!(cells, map.iter().rev().map(|(&cell, &permit)| (cell, permit)).collect());
    }
    for query in 0..7 {
        let row = map.range((query, 0)..(query + 1, 0)).map(|(&(_, key), &permit)| (key, permit));
        assert!(cells.row(query).eq(row));
    }
    assert_eq!(cells.cut(6), None);
    assert!(cells.cut(3).is_some_and(|few| few.iter().all(|((query, key), _)| query < 3 && key < 3)));
}

#[test]
fn a_mask_is_written_in_every_convention_and_read_back() {
    let mask = Mask { causal: true, ..Mask::none() };
    let texts = Convention::ALL.map(|convention| mask_text::write(&mask, 0, (2, 3), convention));
    assert_eq!(texts[0], "np.array([[True, False, False],\n          [True, True, False]])");
    assert_eq!(texts[1], "np.array([[False, True, True],\n          [False, False, True]])");
    assert_eq!(texts[2], "np.array([[1, 0, 0],\n          [1, 1, 0]])");
    assert_eq!(texts[3], "np.array([[0.0, -np.inf, -np.inf],\n          [0.0, 0.0, -np.inf]])");
    let cells = [true, false, false, true, true, false];
    for (text, convention) in texts.iter().zip(Convention::ALL) {
        assert_eq!(mask_text::read(text, 6, convention).as_deref(), Ok(&cells[..]), "{convention:?}");
    }
    // What PyTorch and NumPy print, and numbers that mean minus infinity.
    let read = mask_text::read;
    assert_eq!(read("tensor([[True, False]], dtype=torch.bool)", 2, Convention::MayAttend), Ok(vec![true, false]));
    assert_eq!(read("[[0. -inf]\n [-1e9 0.]]", 4, Convention::Additive), Ok(vec![true, false, false, true]));
    assert_eq!(read("1 0\n0 1", 4, Convention::Blocked), Ok(vec![false, true, true, false]));
}

#[test]
fn a_text_that_is_no_mask_of_this_size_is_refused_with_its_reason() {
    let read = mask_text::read;
    let size = |got, want| Err(MaskTextError::Size { got, want });
    assert_eq!(read("", 4, Convention::Keep), size(0, 4));
    assert_eq!(read("1 0 1", 4, Convention::Keep), size(3, 4));
    assert_eq!(read(&"1 ".repeat(1_000_000), 4, Convention::Keep), size(1_000_000, 4));
    for (word, convention) in [
        ("maybe", Convention::MayAttend),
        ("0.5", Convention::Additive),
        ("True", Convention::Additive),
        ("nan", Convention::Keep),
        ("2", Convention::Blocked),
    ] {
        assert_eq!(read(word, 1, convention), Err(MaskTextError::Word(word.into())), "{word}");
    }
    assert_eq!(read(&"x".repeat(500), 1, Convention::Keep), Err(MaskTextError::Word("x".repeat(20))));
}
