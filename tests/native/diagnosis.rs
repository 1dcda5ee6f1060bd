//! Diagnosis, calibrated: mistakes are made on purpose and must be found; healthy computations must not alarm.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::golden::engine_trace;
use attention_lab::attention::{Bug, Bugs, Cells, Fill, Held, Problem, Stage, Trace};
use attention_lab::insight::diagnosis::{causality, differences};
use attention_lab::insight::{Cause, Declared, Diagnosis, Measure, diagnose};
use attention_lab::state::{
    Field, MaskKind, MaskKinds, Normalisation, PositionKind, Scale, ScoreKind, Settings, WeightsKind, plan,
};
use attention_lab::tensor::random::SplitMix64;
use std::collections::BTreeMap;
use std::rc::Rc;

const SENTENCES: [&str; 10] = [
    "猫追老鼠",
    "我爱你",
    "那只被主人遗弃的猫终于找到了新家",
    "河边的银行",
    "主人找到了那只猫，它笑了",
    "The cat that chased the mouse was tired",
    "We saw the river bank",
    "the bank loan rates",
    "The mouse was chased by the cat",
    "女巫追哥布林",
];

/// Constructed, random and identity weights, with causal and padding masks and two `<PAD>`.
fn settings(sentence: &str) -> Vec<Settings> {
    let base = Settings { sentence: sentence.into(), causal: true, padding: true, pad: 2, ..Settings::default() };
    let random = |heads, d_k, seed| Settings { weights: WeightsKind::Random, heads, d_k, seed, ..base.clone() };
    let identity = Settings { weights: WeightsKind::Identity, heads: 4, ..base.clone() };
    vec![base.clone(), random(8, 16, 3), random(3, 5, 4), identity]
}

fn problem(settings: &Settings) -> Problem {
    plan(settings).problem.unwrap()
}

fn diagnosis(problem: &Problem) -> Diagnosis {
    diagnose(&engine_trace(problem), &Declared::of(problem))
}

fn causes(problem: &Problem) -> Vec<Cause> {
    diagnosis(problem).guesses.iter().map(|guess| guess.cause).collect()
}

/// A mistake: its name, what it should be taken for, and how settings come to it.
struct Mistake {
    name: &'static str,
    cause: Cause,
    /// Stages in which it must change a number, for a case to count.
    seen_in: &'static [Stage],
    make: fn(&mut Settings),
}

fn bug(bug: Bug) -> Mistake {
    let make: fn(&mut Settings) = match bug {
        Bug::MaskTransposed => |s| s.field.bugs = Bugs::of(Bug::MaskTransposed),
        Bug::MaskStrict => |s| s.field.bugs = Bugs::of(Bug::MaskStrict),
        Bug::MaskLoose => |s| s.field.bugs = Bugs::of(Bug::MaskLoose),
        Bug::MaskInverted => |s| s.field.bugs = Bugs::of(Bug::MaskInverted),
        Bug::MaskOnQueries => |s| s.field.bugs = Bugs::of(Bug::MaskOnQueries),
        Bug::ScaleAfterSoftmax => |s| s.field.bugs = Bugs::of(Bug::ScaleAfterSoftmax),
        Bug::SoftmaxOverQueries => |s| s.field.bugs = Bugs::of(Bug::SoftmaxOverQueries),
        Bug::SplitWithoutTranspose => |s| s.field.bugs = Bugs::of(Bug::SplitWithoutTranspose),
        Bug::MergeWithoutTranspose => |s| s.field.bugs = Bugs::of(Bug::MergeWithoutTranspose),
        Bug::NanRow => |s| s.field.bugs = Bugs::of(Bug::NanRow),
    };
    Mistake { name: bug.name(), cause: Cause::Bug(bug), seen_in: &Stage::ALL, make }
}

/// Nothing but the weights and what comes of them.
const WEIGHTS: &[Stage] = &[Stage::Weights, Stage::HeadOutput, Stage::Concat, Stage::Output];

fn mistakes() -> Vec<Mistake> {
    let mut all: Vec<Mistake> = Bug::ALL.map(bug).into();
    let mut add = |name, cause, seen_in, make| all.push(Mistake { name, cause, seen_in, make });
    add("scale none", Cause::NoScale, &Stage::ALL, |s| s.scale = Scale::None);
    add("scale √d_model", Cause::ScaleOfModel, &Stage::ALL, |s| s.scale = Scale::SqrtDModel);
    add("fill zero", Cause::ZeroFill, WEIGHTS, |s| s.field.fill = Fill::Zero);
    add("fill after", Cause::MultipliedAfter, WEIGHTS, |s| s.field.fill = Fill::MultiplyAfter);
    add("no maximum", Cause::MissingMaximum, WEIGHTS, |s| {
        s.field.normalisation = Normalisation::WithoutMaximum;
        s.temperature = 0.05;
    });
    add("no tanh", Cause::QueryCancels, WEIGHTS, |s| s.field.score = ScoreKind::Linear);
    add("masked −∞", Cause::MaskedRowsNan, WEIGHTS, |s| {
        s.masks = MaskKinds::default().with(MaskKind::Queries, true);
        s.field.fill = Fill::MinusInfinity;
    });
    add("masked −1e9", Cause::MaskedRowsFilled, WEIGHTS, |s| {
        s.masks = MaskKinds::default().with(MaskKind::Queries, true);
        s.field.fill = Fill::ReplaceBillion;
    });
    add("masked +−1e9", Cause::MaskedRowsFilled, WEIGHTS, |s| {
        s.masks = MaskKinds::default().with(MaskKind::Queries, true);
        s.field.fill = Fill::AddBillion;
    });
    add("masked +−1e4", Cause::MaskedRowsFilled, WEIGHTS, |s| {
        s.masks = MaskKinds::default().with(MaskKind::Queries, true);
        s.field.fill = Fill::AddTenThousand;
    });
    all
}

/// A way of computing, and how settings come to it.
type Way = (&'static str, fn(&mut Settings));

/// The ways of computing in which each mistake is made, in turn.
const WAYS: [Way; 12] = [
    ("standard", |_| ()),
    ("f16", |s| s.field.half = true),
    ("RoPE, biases", |s| (s.positions, s.field.bias) = (PositionKind::Rope, true)),
    ("sinusoids, additive", |s| (s.positions, s.field.score) = (PositionKind::Sinusoidal, ScoreKind::Additive)),
    ("ALiBi, general", |s| (s.positions, s.field.score) = (PositionKind::Alibi, ScoreKind::General)),
    ("−1e9", |s| s.field.fill = Fill::ReplaceBillion),
    ("+ −1e4, f16", |s| (s.field.fill, s.field.half) = (Fill::AddTenThousand, true)),
    ("hard", |s| s.field.normalisation = Normalisation::Hard),
    ("linear", |s| s.field.normalisation = Normalisation::Linear),
    ("window, learned", |s| {
        (s.masks, s.positions) = (MaskKinds::default().with(MaskKind::Window, true), PositionKind::Learned);
    }),
    ("+ −1e9, Gumbel", |s| (s.field.fill, s.field.normalisation) = (Fill::AddBillion, Normalisation::Gumbel)),
    ("−∞, T = 3", |s| (s.field.fill, s.temperature) = (Fill::MinusInfinity, 3.0)),
];

/// The settings before the mistake, but for what the mistake needs and what is no mistake by itself.
fn healthy(base: &Settings, broken: &Settings) -> Settings {
    let mut healthy = Settings { temperature: broken.temperature, masks: broken.masks, ..base.clone() };
    if broken.field.normalisation == Normalisation::WithoutMaximum {
        healthy.field.normalisation = Normalisation::Softmax;
    }
    if broken.field.fill != base.field.fill {
        healthy.field.fill = Fill::Exclude;
    }
    healthy
}

#[test]
fn each_mistake_that_changes_a_number_is_among_the_first_two_guesses() {
    let mut lines =
        vec![format!("{:24}{:>7}{:>7}{:>7}{:>7}  first guesses", "mistake", "cases", "seen", "first", "two")];
    let mut failed = Vec::new();
    let mut missed: BTreeMap<String, u32> = BTreeMap::new();
    for mistake in mistakes() {
        let (mut cases, mut seen, mut first, mut two) = (0_u32, 0_u32, 0_u32, 0_u32);
        let mut table: BTreeMap<String, u32> = BTreeMap::new();
        let bases = SENTENCES.iter().flat_map(|sentence| settings(sentence));
        for (base, (way, change)) in
            bases.enumerate().flat_map(|(n, base)| [n, n + 7].map(|n| (base.clone(), WAYS[n % WAYS.len()])))
        {
            let mut base = base;
            change(&mut base);
            let mut broken = base.clone();
            (mistake.make)(&mut broken);
            cases += 1;
            let broken_problem = problem(&broken);
            let trace = engine_trace(&broken_problem);
            let differ = differences(&trace, &engine_trace(&problem(&healthy(&base, &broken)))).unwrap();
            if !differ.iter().any(|difference| mistake.seen_in.contains(&difference.stage)) {
                continue;
            }
            seen += 1;
            let guesses = diagnose(&trace, &Declared::of(&broken_problem)).guesses;
            let found: Vec<Cause> = guesses.iter().map(|guess| guess.cause).collect();
            // −1e9 is −∞ in f16, and what comes of it is NaN.
            let infinite = broken.field.half && matches!(broken.field.fill, Fill::ReplaceBillion | Fill::AddBillion);
            let is_filled = infinite && mistake.cause == Cause::MaskedRowsFilled;
            let wanted = if is_filled { Cause::MaskedRowsNan } else { mistake.cause };
            let among = found.iter().take(2).any(|&cause| cause == wanted);
            first += u32::from(found.first() == Some(&wanted));
            two += u32::from(among);
            *table.entry(found.first().map_or("nothing".into(), |cause| format!("{cause:?}"))).or_default() += 1;
            if !among {
                *missed.entry(format!("{}: {way}: {found:?}", mistake.name)).or_default() += 1;
            }
        }
        lines.push(format!("{:24}{cases:>7}{seen:>7}{first:>7}{two:>7}  {table:?}", mistake.name));
        if seen < 10 || f64::from(two) < 0.9 * f64::from(seen) {
            failed.push(mistake.name);
        }
    }
    #[expect(clippy::print_stdout, reason = "the table of confusion is for whoever asks with --nocapture")]
    {
        println!("{}\nmissed: {missed:#?}", lines.join("\n"));
    }
    assert!(failed.is_empty(), "{failed:?}\n{}", lines.join("\n"));
}

/// A choice of `options`.
fn pick<T: Copy>(random: &mut SplitMix64, options: &[T]) -> T {
    options[usize::try_from(random.next_u64() % options.len() as u64).unwrap()]
}

/// Healthy settings: any sentence, mask, weights, score, position and soft rule; the scale as it should be.
fn healthy_settings(random: &mut SplitMix64) -> Settings {
    let mut flip = |one_in: u64| random.next_u64().is_multiple_of(one_in);
    let (causal, padding, bos, bias, half) = (flip(2), flip(2), !flip(4), flip(4), flip(6));
    let mut masks = MaskKinds::default();
    for (_, kind) in MaskKind::ALL {
        masks = masks.with(kind, flip(6));
    }
    let field = Field {
        score: pick(random, &[ScoreKind::Dot, ScoreKind::Dot, ScoreKind::General, ScoreKind::Additive]),
        normalisation: pick(
            random,
            &[
                Normalisation::Softmax,
                Normalisation::Softmax,
                Normalisation::Softmax,
                Normalisation::Hard,
                Normalisation::Sampled,
                Normalisation::Gumbel,
                Normalisation::Linear,
            ],
        ),
        draw: pick(random, &[1, 2, 3]),
        bias,
        half,
        ..Field::default()
    };
    let fills = [Fill::MinusInfinity, Fill::ReplaceBillion, Fill::AddBillion, Fill::AddTenThousand];
    // A row with nothing permitted, or weights that exp does not make, would suffer from these.
    let unharmed = masks.is_empty() && field.normalisation == Normalisation::Softmax;
    let field = Field { fill: if unharmed { pick(random, &fills) } else { Fill::Exclude }, ..field };
    let n = |random: &mut SplitMix64, most: u64| usize::try_from(random.next_u64() % most).unwrap();
    let mut cells = Cells::default();
    for _ in 0..if unharmed { 0 } else { n(random, 4) } {
        let (i, j) = (random.next_u64() % 6, random.next_u64() % 6);
        cells.insert((u32::try_from(i).unwrap(), u32::try_from(j).unwrap()), random.next_u64().is_multiple_of(2));
    }
    use PositionKind::{Alibi, Learned, Off, On, Rope, Sinusoidal};
    Settings {
        sentence: pick(
            random,
            &[&SENTENCES[..], &["猫猫猫猫", "a", "好", "the the the", "追老鼠。猫跑。狗叫！"]].concat(),
        )
        .into(),
        weights: pick(random, &[WeightsKind::Toy, WeightsKind::Random, WeightsKind::Random, WeightsKind::Identity]),
        heads: 1 + n(random, 9),
        d_k: pick(random, &[1, 2, 3, 8, 16, 32, 64, 128]),
        seed: u32::try_from(n(random, 1000)).unwrap(),
        positions: pick(random, &[On, Off, Sinusoidal, Learned, Rope, Alibi]),
        causal,
        padding,
        masks,
        cells: Rc::new(cells),
        pad: n(random, 4),
        temperature: pick(random, &[1.0, 1.0, 0.05, 0.3, 4.0, 20.0]),
        bos,
        field,
        ..Settings::default()
    }
    .clamped()
}

#[test]
fn five_hundred_healthy_settings_raise_no_alarm() {
    let mut random = SplitMix64::new(0x0D1A_6005);
    let (mut case, mut methods) = (0, 0);
    while case < 500 {
        let settings = healthy_settings(&mut random);
        let Some(problem) = plan(&settings).problem else { continue };
        (case, methods) = (case + 1, methods + u32::from(problem.departure().is_some()));
        let found = diagnosis(&problem).guesses;
        assert!(found.is_empty(), "case {case}: {found:?} of {settings:?}");
    }
    assert!((100..=480).contains(&methods), "{methods} of 500 by another method");
}

#[test]
fn presets_are_healthy() {
    for preset in &attention_lab::lesson::presets::PRESETS {
        assert_eq!(causes(&problem(&preset.settings())), [], "{}", preset.id);
    }
}

fn near(got: Option<f64>, want: f64) {
    assert!(got.is_some_and(|got| (got - want).abs() < 1e-5), "{got:?} where {want} was expected");
}

/// 猫追老鼠 with a causal mask.
fn causal() -> Settings {
    Settings { causal: true, ..Settings::default() }
}

#[test]
fn evidence_is_what_plain_loops_find() {
    let settings = Settings { weights: WeightsKind::Random, heads: 3, d_k: 5, ..causal() };
    let problem = problem(&settings);
    let trace = engine_trace(&problem);
    let found = diagnose(&trace, &Declared::of(&problem));
    let layer = trace.top().unwrap();
    let (w, raw) = (layer.weights.get().unwrap(), layer.raw.get().unwrap());
    for (head, evidence) in found.heads.iter().enumerate() {
        let at = |i: usize, j: usize| f64::from(w[[head, i, j]]);
        let (mut entropy, mut effective, mut softness, mut scores) = (0.0, 0.0, 0.0, Vec::new());
        let (mut sink, mut previous, mut diagonal) = (0.0, 0.0, 0.0);
        for i in 0_usize..4 {
            let h: f64 = (0..=i).map(|j| -at(i, j) * at(i, j).ln()).sum();
            effective += h.exp() / 4.0;
            diagonal += at(i, i) / 4.0;
            scores.extend((0..=i).map(|j| f64::from(raw[[head, i, j]])));
            if i > 0 {
                entropy += h / [0.0, 2_f64.ln(), 3_f64.ln(), 4_f64.ln()][i] / 3.0;
                softness += (1.0 - (0..=i).map(|j| at(i, j).powi(2)).sum::<f64>()) / 3.0;
                sink += at(i, 0) / 3.0;
                previous += at(i, i - 1) / 3.0;
            }
        }
        near(evidence.entropy, entropy);
        near(evidence.effective, effective);
        near(evidence.softness, softness);
        near(evidence.sink, sink);
        near(evidence.previous, previous);
        near(evidence.diagonal, diagonal);
        let mean = scores.iter().sum::<f64>() / 10.0;
        near(evidence.raw.map(|raw| raw.mean), mean);
        let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / 10.0;
        near(evidence.raw.map(|raw| raw.deviation), variance.sqrt());
        let sums = [0, 1, 2, 3].map(|j| (0..4).map(|i| at(i, j)).sum::<f64>());
        near(evidence.column_sums.map(|ends| ends.0), sums.into_iter().fold(f64::MAX, f64::min));
        near(evidence.column_sums.map(|ends| ends.1), sums.into_iter().fold(0.0, f64::max));
        near(evidence.mix_error, 0.0);
        // The first row may see itself alone: its output is wholly v of the first.
        near(evidence.lone_error, 0.0);
        assert_eq!((evidence.leaked, evidence.leaking_cells, evidence.nan_rows), (Some(0.0), Some(0), Some(0)));
    }
    near(found.whole.scale_factor, 1.0);
    near(found.whole.temperature, 1.0);
    assert_eq!((found.whole.misplaced_in_split, found.whole.misplaced_in_merge), (Some(0), Some(0)));
}

#[test]
fn a_leak_has_its_numbers() {
    let mut settings = causal();
    settings.field.bugs = Bugs::of(Bug::MaskTransposed);
    let problem = problem(&settings);
    let trace = engine_trace(&problem);
    let found = diagnose(&trace, &Declared::of(&problem));
    let weights = trace.top().unwrap().weights.get().unwrap();
    let leaked: f64 = weights.indexed_iter().filter(|((_, i, j), _)| j > i).map(|(_, &w)| f64::from(w)).sum();
    // Eight heads of 4 × 4: six cells above each diagonal took part, six below did not.
    let numbers = &found.guesses[0].numbers;
    assert_eq!(numbers[..2], [(Measure::ForbiddenCells, 48.0), (Measure::MissingCells, 48.0)]);
    assert_eq!(numbers[2].0, Measure::LeakedWeight);
    near(Some(numbers[2].1), leaked);
    near(found.all.leaked, leaked);
    // The last row sees itself alone, where all four were permitted; the first row fails the two-token test.
    assert!(found.all.lone_error.unwrap() > 0.1, "{:?}", found.all.lone_error);
}

#[test]
fn heads_alike_are_told_of() {
    let settings = Settings { weights: WeightsKind::Random, heads: 3, d_k: 5, ..causal() };
    let problem = problem(&settings);
    let mut trace = engine_trace(&problem).as_ref().clone();
    let of = |trace: &Trace<f32>| -> Vec<Option<usize>> {
        diagnose(trace, &Declared::of(&problem)).heads.iter().map(|head| head.duplicate_of).collect()
    };
    assert_eq!(of(&trace), [None, None, None]);
    let layer = trace.layers.last_mut().unwrap();
    let mut weights = layer.weights.get().unwrap().clone();
    let first = weights.slice(ndarray::s![0, .., ..]).to_owned();
    weights.slice_mut(ndarray::s![2, .., ..]).assign(&first);
    layer.weights = Held::Held(Rc::new(weights));
    assert_eq!(of(&trace), [None, None, Some(0)]);
}

#[test]
fn two_mistakes_at_once_are_both_named_and_nothing_else() {
    let bases: Vec<Settings> = [SENTENCES[1], SENTENCES[5]].into_iter().flat_map(settings).collect();
    for (at, &one) in Bug::ALL.iter().enumerate() {
        for &two in &Bug::ALL[at + 1..] {
            let mut wanted = match (one, two) {
                // A mask has one diagonal: the strict one is taken.
                (Bug::MaskStrict, Bug::MaskLoose) => vec![one],
                // One NaN in a column is a NaN in all of it, and nothing is left to add up.
                (Bug::SoftmaxOverQueries, Bug::NanRow) => vec![two],
                _ => vec![one, two],
            };
            wanted.sort();
            for base in &bases {
                let mut broken = base.clone();
                broken.field.bugs = Bugs::of(one).with(two, true);
                let mut found = causes(&problem(&broken));
                found.sort();
                assert_eq!(found, wanted.iter().copied().map(Cause::Bug).collect::<Vec<_>>(), "{one:?} and {two:?}");
            }
        }
    }
}

#[test]
fn an_ignored_mask_is_seen_in_weights_alone() {
    let mut trace = engine_trace(&problem(&Settings::default())).as_ref().clone();
    let layer = trace.layers.last_mut().unwrap();
    for stage in [&mut layer.raw, &mut layer.scaled, &mut layer.tempered, &mut layer.masked] {
        *stage = Held::Absent;
    }
    let intended = problem(&causal());
    let found = diagnose(&trace, &Declared::of(&intended));
    assert_eq!(found.guesses.iter().map(|guess| guess.cause).collect::<Vec<_>>(), [Cause::MaskIgnored]);
    assert_eq!((found.whole.scale_factor, found.all.raw), (None, None));
}

#[test]
fn a_wrong_temperature_and_an_unmixed_output_are_told() {
    let problem = problem(&causal());
    let trace = engine_trace(&problem);
    let declared = Declared { temperature: 2.0, ..Declared::of(&problem) };
    assert_eq!(diagnose(&trace, &declared).guesses[0].cause, Cause::OtherTemperature);
    let mut broken = trace.as_ref().clone();
    let layer = broken.layers.last_mut().unwrap();
    let mut weights = layer.weights.get().unwrap().clone();
    weights[[2, 3, 0]] += 0.5;
    layer.weights = Held::Held(Rc::new(weights));
    let found = diagnose(&broken, &Declared::of(&problem)).guesses;
    let causes: Vec<Cause> = found.iter().map(|guess| guess.cause).collect();
    assert_eq!(causes, [Cause::NotNormalised, Cause::OutputNotMixed]);
}

#[test]
fn a_mistake_without_effect_differs_in_nothing() {
    let with = |settings: &Settings, bug| {
        let mut broken = settings.clone();
        broken.field.bugs = Bugs::of(bug);
        differences(&engine_trace(&problem(&broken)), &engine_trace(&problem(settings))).unwrap()
    };
    let unmasked = Settings::default();
    for bug in [Bug::MaskTransposed, Bug::MaskStrict, Bug::MaskLoose, Bug::MaskOnQueries] {
        assert_eq!(with(&unmasked, bug), [], "{bug:?}");
    }
    let one_head = Settings { weights: WeightsKind::Random, heads: 1, d_k: 1, ..Settings::default() };
    for bug in [Bug::SplitWithoutTranspose, Bug::MergeWithoutTranspose, Bug::ScaleAfterSoftmax] {
        assert_eq!(with(&one_head, bug), [], "{bug:?}");
    }
    let merged = with(&unmasked, Bug::MergeWithoutTranspose);
    assert_eq!(merged.iter().map(|found| found.stage).collect::<Vec<_>>(), [Stage::Concat, Stage::Output]);
    // A NaN on one side only counts, though no difference can be taken.
    let nan = with(&unmasked, Bug::NanRow);
    assert_eq!((nan[0].stage, nan[0].cells, nan[0].largest), (Stage::Q, 8, 0.0));
    let longer = Settings { sentence: "我爱你".into(), pad: 3, ..Settings::default() };
    assert_eq!(differences(&engine_trace(&problem(&longer)), &engine_trace(&problem(&unmasked))), None);
}

#[test]
fn an_edit_later_in_the_sentence_moves_nothing_before_it_unless_the_mask_leaks() {
    let trace = |sentence: &str, bugs| {
        let mut settings = Settings { sentence: sentence.into(), ..causal() };
        settings.field.bugs = bugs;
        engine_trace(&problem(&settings))
    };
    let probe = |bugs, edited| causality(&trace("猫追老鼠", bugs), &trace("猫追狗", bugs), edited);
    let healthy = probe(Bugs::NONE, 3).unwrap();
    assert_eq!((healthy.moved, healthy.largest), (vec![], 0.0));
    // One token through: of the queries before 老鼠 only 追 sees it.
    assert_eq!(probe(Bugs::of(Bug::MaskLoose), 3).unwrap().moved, [2]);
    let open = probe(Bugs::of(Bug::MaskTransposed), 3).unwrap();
    assert_eq!(open.moved, [0, 1, 2]);
    assert!(open.largest > 0.01);
    assert_eq!(probe(Bugs::NONE, 0), None);
    assert_eq!(probe(Bugs::NONE, 4), None);
    assert_eq!(causality(&trace("猫追老鼠", Bugs::NONE), &trace("猫", Bugs::NONE), 1), None);
}
