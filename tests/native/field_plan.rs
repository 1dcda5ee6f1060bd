//! From settings to methods and mask rules: what a link asks for is what is computed.

use super::golden::engine_trace;
use attention_lab::attention::{Bug, Fill, Mask, Method, Stage, Trace, Weighting, oracle};
use attention_lab::state::link::decode;
use attention_lab::state::{Notice, Planner, Settings, plan};
use attention_lab::tensor::Number;
use attention_lab::tensor::random::SplitMix64;
use std::rc::Rc;

fn settings(link: &str) -> Settings {
    let (settings, notices) = decode(link);
    assert_eq!(notices, [], "{link}");
    settings
}

/// The mask of a link as rows of 0 and 1.
fn grid(link: &str) -> Vec<String> {
    let plan = plan(&settings(link));
    let (n, mask): (usize, Mask) = (plan.tokens.len(), plan.problem.expect("words").mask);
    let row = |i| (0..n).map(|j| if mask.permits(0, i, j) { '1' } else { '0' }).collect();
    (0..n).map(row).collect()
}

#[test]
fn masks_of_a_link_and_how_they_combine() {
    // <BOS> 猫 追 老鼠, and two <PAD> where a link asks for them.
    for (link, want) in [
        ("mask=none", "1111 1111 1111 1111"),
        ("mask=window", "1100 1110 0111 0011"),
        ("mask=window&window=2", "1110 1111 1111 0111"),
        ("mask=causal+window", "1000 1100 0110 0011"),
        ("mask=prefix&prefix=3", "1110 1110 1110 1111"),
        ("mask=strided&stride=2", "1110 1111 1111 0111"),
        ("mask=strided&stride=3", "1111 1111 1111 1111"),
        ("mask=block", "1100 1100 0011 0011"),
        ("mask=global&global=1", "1111 1110 1111 1011"),
        ("mask=block+window+any", "1100 1110 0111 0011"),
        ("mask=causal+not", "0111 0011 0001 0000"),
        ("mask=not", "0000 0000 0000 0000"),
        ("mask=any", "1111 1111 1111 1111"),
        ("mask=causal+block+any", "1100 1100 1111 1111"),
        ("mask=causal+block+any+not", "0011 0011 0000 0000"),
        ("pad=1&mask=padding", "11110 11110 11110 11110 11110"),
        ("pad=1&mask=queries", "11111 11111 11111 11111 00000"),
        ("pad=1&mask=padding+queries", "11110 11110 11110 11110 00000"),
        ("pad=1&mask=padding+queries+any", "11111 11111 11111 11111 11110"),
        ("pad=1&mask=padding+causal+not", "01111 00111 00011 00001 00001"),
        ("s=猫。狗！&mask=documents", "11100 11100 11100 00011 00011"),
        ("s=猫。”狗&pad=1&bos=0&mask=documents", "11100 11100 11100 00010 00001"),
    ] {
        assert_eq!(grid(link).join(" "), want, "{link}");
    }
}

#[test]
fn a_cell_set_by_hand_wins_over_every_rule() {
    let mut open = settings("mask=not");
    open.cells = Rc::new([((2, 1), true)].into());
    let mask = plan(&open).problem.expect("words").mask;
    assert!(mask.permits(0, 2, 1) && !mask.permits(0, 2, 2));
}

fn method(link: &str) -> Option<Rc<Method>> {
    plan(&settings(link)).problem.expect("words").method
}

#[test]
fn the_standard_way_is_no_method_and_all_else_is() {
    for standard in
        ["", "t=2&scale=none", "mask=causal+window", "pos=off", "pos=sinusoidal", "tau=3&draw=9", "w=identity"]
    {
        assert_eq!(method(standard), None, "{standard}");
    }
    for other in [
        "score=general",
        "score=additive",
        "score=additive_linear",
        "norm=no_max",
        "norm=hard",
        "norm=sampled",
        "norm=gumbel",
        "norm=linear",
        "pos=rope",
        "pos=alibi",
        "num=f16",
        "bias=1",
        "fill=zero",
        "bug=nan-row",
    ] {
        assert!(method(other).is_some_and(|method| !method.is_standard()), "{other}");
    }
    let gumbel = method("norm=gumbel&tau=0.5&draw=9").expect("a method");
    assert_eq!(gumbel.weighting, Weighting::Gumbel { tau: 0.5, seed: 9 });
}

#[test]
fn what_did_not_change_keeps_its_pointer() {
    let mut planner = Planner::new();
    let mut of = |link: &str| planner.plan(&settings(link)).problem.and_then(|problem| problem.method);
    let (one, two) = (of("score=additive"), of("score=additive&t=2&mask=causal"));
    assert!(Rc::ptr_eq(&one.expect("a method"), &two.expect("a method")));
    assert_ne!(of("score=additive&seed=2"), of("score=additive&seed=3"));
}

#[test]
fn a_table_of_positions_that_is_too_short_says_so() {
    let mut long = settings("pos=learned");
    long.sentence = "猫".repeat(100).into();
    let plan = plan(&long);
    assert!(plan.problem.is_none());
    assert!(matches!(plan.notices.as_slice(), [.., Notice::CannotCompute(_)]), "{:?}", plan.notices);
}

fn stage<T: Number>(trace: &Trace<T>, stage: Stage) -> Vec<f64> {
    let shape = trace.shape;
    let rows = (0..shape.heads).filter_map(|head| trace.rows(stage, head, 0..shape.n_q));
    rows.flat_map(|rows| rows.iter().map(|x| x.to_f64()).collect::<Vec<_>>()).collect()
}

/// Any link of methods, masks and mistakes: the engine says what the oracle says, or both refuse it.
#[test]
fn any_link_is_computed_as_the_oracle_says() {
    let mut random = SplitMix64::new(41);
    let mut pick =
        |from: &[&str]| from[usize::try_from(random.next_u64() % from.len() as u64).expect("few")].to_owned();
    for round in 0..400 {
        let link = [
            pick(&["s=猫追老鼠", "s=我爱你。你爱我", "s=the cat saw a dog", "s=猫"]),
            "h=1".to_owned(),
            pick(&["w=toy", "w=random&heads=3&dk=5", "w=identity&heads=4"]),
            pick(&["pad=0", "pad=2"]),
            pick(&["score=dot", "score=dot", "score=general", "score=additive", "score=additive_linear"]),
            pick(&["norm=softmax", "norm=softmax", "norm=no_max", "norm=linear", "norm=gumbel&tau=0.5"]),
            pick(&["pos=on", "pos=off", "pos=sinusoidal", "pos=learned", "pos=rope", "pos=alibi"]),
            pick(&[
                "fill=exclude",
                "fill=neg_inf",
                "fill=replace_neg_1e9",
                "fill=add_neg_1e4",
                "fill=zero",
                "fill=multiply_after",
            ]),
            pick(&["bias=0", "bias=1"]),
            pick(&["mask=none", "mask=causal", "mask=causal+padding", "mask=window+any+queries", "mask=block+not"]),
            pick(&["t=1", "t=0.5", "t=4"]),
            pick(&Bug::ALL.map(Bug::name)),
        ];
        let (bug, rest) = link.split_last().expect("parts");
        // Every second link is without a mistake.
        let link = if round % 2 == 0 { rest.join("&") } else { format!("{}&bug={bug}", rest.join("&")) };
        let problem = plan(&settings(&link)).problem.expect("words");
        let (engine, truth) = (engine_trace(&problem), oracle::trace(&problem).expect("a plan is computable"));
        // Near −10⁴ the numbers of f32 stand 10⁻³ apart, and a score may round to either neighbour.
        let tolerance = if link.contains("1e4") { 5e-3 } else { 2e-4 };
        for name in [Stage::Weights, Stage::HeadOutput] {
            for (at, (got, want)) in stage(&engine, name).iter().zip(stage(&truth, name)).enumerate() {
                let close = (got - want).abs() <= tolerance * (1.0 + want.abs()) || (got.is_nan() && want.is_nan());
                assert!(close || *got == want, "{link}, {name:?}, {at}: {got} where {want} was expected");
            }
        }
    }
}

#[test]
fn every_fill_does_to_a_closed_row_what_is_said_of_it() {
    let row = |fill: Fill, more: &str| {
        let name = fill.name();
        // Head 1 is uniform; nothing is permitted.
        let problem = plan(&settings(&format!("mask=not&fill={name}{more}"))).problem.expect("words");
        let trace = engine_trace(&problem);
        trace.rows(Stage::Weights, 0, 0..1).expect("held").iter().copied().collect::<Vec<f32>>()
    };
    assert_eq!(row(Fill::Exclude, ""), [0.0; 4]);
    assert!(row(Fill::MinusInfinity, "").iter().all(|w| w.is_nan()));
    for uniform in [Fill::ReplaceBillion, Fill::AddBillion, Fill::AddTenThousand, Fill::Zero] {
        assert!(row(uniform, "").iter().all(|w| (w - 0.25).abs() < 1e-6), "{uniform:?}");
    }
    assert_eq!(row(Fill::MultiplyAfter, ""), [0.0; 4]);
    // In f16, −1e9 is −∞, and −1e4 is still a number.
    assert!(row(Fill::ReplaceBillion, "&num=f16").iter().all(|w| w.is_nan()));
    assert!(row(Fill::AddTenThousand, "&num=f16").iter().all(|w| (w - 0.25).abs() < 1e-3));
}
