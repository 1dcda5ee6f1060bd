//! Pictures: committed snapshots, colours that can be read, geometry that holds for every size.

use std::path::PathBuf;

use attention_lab::picture::arcs::{Word, WordKind};
use attention_lab::picture::colour::contrast;
use attention_lab::picture::measure::{bold_em, boxes_overlap, fit, text_box, width_em};
use attention_lab::picture::numbers::{Form, signed_form, written};
use attention_lab::picture::scale::{
    FORBIDDEN, NEUTRAL, NOT_A_NUMBER, NOTHING, ScaleName, TOP, diverging_index, index,
};
use attention_lab::picture::scene::{Anchor, Cells, FontWeight, Ink, Point, Rect, Segment, Text};
use attention_lab::picture::{
    Arcs, ArcsSpec, HeatMap, HeatMapSpec, MapKind, Mark, Palette, Rgb, Scene, Target, Theme, Titles, Tone, arcs,
    heat_map, stroke, thumbnail, to_svg,
};
use ndarray::{Array2, array};

const ZH: Titles<'_> = Titles { query: "查询 query", key: "键 key", sum: "Σ", entropy: "熵 / ln n" };
const EN: Titles<'_> = Titles { query: "query", key: "key", sum: "Σ", entropy: "H / ln n" };
const CAT: [&str; 4] = ["BOS", "猫", "追", "老鼠"];
const ELEVEN: [&str; 11] = ["BOS", "那只", "被", "主人", "遗弃", "的", "猫", "终于", "找到", "了", "新家"];
const TIRED: [&str; 9] = ["BOS", "The", "cat", "that", "chased", "the", "mouse", "was", "tired"];

/// Compares with the committed picture; `UPDATE_PICTURES=1` writes it instead.
fn assert_picture(name: &str, scene: &Scene, theme: Theme) {
    let svg = to_svg(scene, Palette::of(theme));
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(format!("{name}.svg"));
    if std::env::var_os("UPDATE_PICTURES").is_some_and(|v| v == "1") {
        std::fs::write(&path, &svg).expect("tests/pictures can be written");
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_else(|e| {
        panic!("{name}: no committed picture ({e}); make it with UPDATE_PICTURES=1 and look at it")
    });
    assert!(
        committed == svg,
        "{name} differs from its committed picture; update with UPDATE_PICTURES=1 and look at it"
    );
}

/// A spec whose parts can be changed one by one.
fn spec<'a>(labels: &'a [&'a str], values: &'a Array2<f32>) -> HeatMapSpec<'a> {
    HeatMapSpec {
        query_labels: labels,
        key_labels: labels,
        values: values.view(),
        kind: MapKind::Weights,
        domain: (0.0, 1.0),
        forbidden: &|_, _| false,
        hand_set: &|_, _| false,
        row_sums: &[],
        row_entropy: None,
        selected: None,
        hovered: None,
        width: 526.0,
        max_height: f64::INFINITY,
        type_scale: 1.0,
        titles: ZH,
    }
}

fn agent() -> Array2<f32> {
    array![[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0105, 0.9893, 0.0, 0.0002], [1.0, 0.0, 0.0, 0.0]]
}

/// Rows that sum to 1 and differ: a made-up but true distribution per row.
fn blurred(rows: usize, columns: usize) -> Array2<f32> {
    let mut values = Array2::from_shape_fn((rows, columns), |(i, j)| {
        let distance = i.abs_diff(j) as f32;
        (-(distance * distance) / 6.0).exp() + if j == 0 { 0.6 } else { 0.0 }
    });
    for mut row in values.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    values
}

fn sums(values: &Array2<f32>) -> Vec<f32> {
    values.rows().into_iter().map(|row| row.sum()).collect()
}

fn entropies(values: &Array2<f32>) -> Vec<f32> {
    let most = (values.ncols() as f32).ln();
    let entropy =
        |row: ndarray::ArrayView1<'_, f32>| row.iter().filter(|&&w| w > 0.0).map(|&w| -w * w.ln()).sum::<f32>();
    values.rows().into_iter().map(|row| if most > 0.0 { entropy(row) / most } else { 0.0 }).collect()
}

fn causal(i: usize, j: usize) -> bool {
    j > i
}

fn texts(scene: &Scene) -> Vec<&Text> {
    scene.marks.iter().filter_map(|m| if let Mark::Text(t) = m { Some(t) } else { None }).collect()
}

/// Every text that two labels share ground with, for a message.
fn overlapping(scene: &Scene) -> Option<(String, String)> {
    let texts = texts(scene);
    let boxes: Vec<_> = texts.iter().map(|t| text_box(t)).collect();
    for i in 0..texts.len() {
        if let Some(j) = (0..i).find(|&j| boxes_overlap(&boxes[i], &boxes[j])) {
            return Some((texts[i].text.clone(), texts[j].text.clone()));
        }
    }
    None
}

/// All corners of what a mark covers.
fn corners(mark: &Mark) -> Vec<Point> {
    let of_rect = |r: &Rect, by: f64| {
        let r = Rect::new(r.x - by, r.y - by, r.width + 2.0 * by, r.height + 2.0 * by);
        vec![Point::new(r.x, r.y), Point::new(r.x + r.width, r.y + r.height)]
    };
    match mark {
        Mark::Cells(c) => {
            assert_eq!(c.indices.len(), c.rows * c.columns);
            let (width, height) = (c.columns as f64 * c.pitch, c.rows as f64 * c.pitch);
            of_rect(&Rect::new(c.x, c.y, width, height), 0.0)
        }
        Mark::Rect { rect, stroke, .. } => of_rect(rect, stroke.map_or(0.0, |s| s.width / 2.0)),
        Mark::Line { from, to, .. } => vec![*from, *to],
        Mark::Path { segments, .. } => segments
            .iter()
            .flat_map(|s| match *s {
                Segment::Move(p) | Segment::Line(p) => vec![p],
                // The curve itself, not its control points, which may lie outside.
                Segment::Cubic(a, b, end) => {
                    let Some(Segment::Move(start)) = segments.first() else { return vec![end] };
                    (0..=20)
                        .map(|k| {
                            let t = f64::from(k) / 20.0;
                            let u = 1.0 - t;
                            let at = |p: f64, q: f64, r: f64, s: f64| {
                                u * u * u * p + 3.0 * u * u * t * q + 3.0 * u * t * t * r + t * t * t * s
                            };
                            Point::new(at(start.x, a.x, b.x, end.x), at(start.y, a.y, b.y, end.y))
                        })
                        .collect()
                }
                Segment::Close => vec![],
            })
            .collect(),
        Mark::Circle { centre, radius, .. } => {
            of_rect(&Rect::new(centre.x - radius, centre.y - radius, 2.0 * radius, 2.0 * radius), 0.0)
        }
        Mark::Text(text) => text_box(text).to_vec(),
        Mark::Hatch { areas, .. } => areas.iter().flat_map(|r| of_rect(r, 0.0)).collect(),
    }
}

fn assert_inside(scene: &Scene, what: &str) {
    assert!(scene.width.is_finite() && scene.height.is_finite(), "{what}");
    for mark in &scene.marks {
        for p in corners(mark) {
            let inside = p.x >= -0.01 && p.y >= -0.01 && p.x <= scene.width + 0.01 && p.y <= scene.height + 0.01;
            assert!(inside, "{what}: {p:?} outside {} × {}: {mark:?}", scene.width, scene.height);
        }
    }
}

fn cells(map: &HeatMap) -> &Cells {
    map.scene.marks.iter().find_map(|m| if let Mark::Cells(c) = m { Some(c) } else { None }).expect("a map has cells")
}

// ---------------------------------------------------------------- snapshots

#[test]
fn heat_map_of_the_agent_head() {
    let values = agent();
    let (sums, entropies) = (sums(&values), entropies(&values));
    let spec = HeatMapSpec {
        row_sums: &sums,
        row_entropy: Some(&entropies),
        selected: Some((2, 1)),
        hovered: Some((0, 2)),
        ..spec(&CAT, &values)
    };
    let map = heat_map(&spec);
    assert_picture("heat-map-agent-light", &map.scene, Theme::Light);
    assert_picture("heat-map-agent-dark", &map.scene, Theme::Dark);
    let narrow = heat_map(&HeatMapSpec { width: 340.0, ..spec });
    assert!(narrow.scene.width <= 340.0);
    assert_picture("heat-map-agent-narrow", &narrow.scene, Theme::Light);
}

#[test]
fn heat_map_with_causal_mask_hand_set_cell_and_leak() {
    let values = array![[1.0, 0.0, 0.0, 0.0], [0.7, 0.3, 0.0, 0.0], [0.01, 0.6, 0.17, 0.22], [0.25, 0.25, 0.25, 0.25]];
    let sums = sums(&values);
    let entropies = entropies(&values);
    let spec = HeatMapSpec {
        forbidden: &causal,
        hand_set: &|i, j| (i, j) == (3, 1) || (i, j) == (3, 0),
        row_sums: &sums,
        row_entropy: Some(&entropies),
        selected: Some((3, 0)),
        ..spec(&CAT, &values)
    };
    let map = heat_map(&spec);
    assert_picture("heat-map-causal-leak-light", &map.scene, Theme::Light);
    assert_picture("heat-map-causal-leak-dark", &map.scene, Theme::Dark);
    let index_at = |i: usize, j: usize| cells(&map).indices[i * 4 + j];
    assert_eq!(index_at(0, 1), FORBIDDEN);
    assert_eq!(index_at(3, 3), 63, "an allowed weight of one quarter is on the scale");
    let leaks = map.scene.marks.iter().filter(|m| matches!(m, Mark::Cells(c) if c.scale == ScaleName::Leak)).count();
    assert_eq!(leaks, 1, "one mark for all leaked weight");
}

#[test]
fn heat_map_whose_row_may_look_nowhere() {
    let values = array![[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.25, f32::NAN]];
    let spec = HeatMapSpec {
        forbidden: &|i, _| i == 1,
        row_sums: &[1.0, 0.0, f32::NAN],
        row_entropy: Some(&[0.0, 0.0, f32::NAN]),
        ..spec(&CAT[..3], &values)
    };
    let map = heat_map(&spec);
    assert_picture("heat-map-closed-row-and-nan", &map.scene, Theme::Light);
    assert_eq!(cells(&map).indices[8], NOT_A_NUMBER);
    let label = texts(&map.scene).into_iter().find(|t| t.text == "猫" && t.anchor == Anchor::End).expect("row label");
    assert_eq!(label.ink, Ink::of(Tone::Warning));
}

#[test]
fn rectangular_heat_map() {
    let values = blurred(3, 5);
    let sums = sums(&values);
    let entropies = entropies(&values);
    let keys = ["BOS", "the", "mouse", "ran", "away"];
    let spec = HeatMapSpec {
        query_labels: &["BOS", "老鼠", "跑了"],
        key_labels: &keys,
        row_sums: &sums,
        row_entropy: Some(&entropies),
        selected: Some((1, 2)),
        ..spec(&[], &values)
    };
    let map = heat_map(&spec);
    assert_eq!((map.layout.rows, map.layout.columns), (3, 5));
    assert_picture("heat-map-rectangular", &map.scene, Theme::Light);
}

#[test]
fn heat_map_of_sixty_four_words() {
    let words: Vec<String> =
        (0..64).map(|i| ["注意力", "cat", "was", "老鼠", "的", "chasing"][i % 6].to_owned()).collect();
    let labels: Vec<&str> = words.iter().map(String::as_str).collect();
    let values = blurred(64, 64);
    let entropies = entropies(&values);
    let sums = sums(&values);
    let spec = HeatMapSpec {
        forbidden: &|i, j| j > i + 20,
        row_sums: &sums,
        row_entropy: Some(&entropies),
        selected: Some((40, 33)),
        hovered: Some((41, 35)),
        width: 740.0,
        ..spec(&labels, &values)
    };
    let map = heat_map(&spec);
    assert_eq!(overlapping(&map.scene), None);
    assert_picture("heat-map-64", &map.scene, Theme::Light);
}

#[test]
fn heat_maps_of_sentences() {
    let values = blurred(11, 11);
    let (s, e) = (sums(&values), entropies(&values));
    let zh = HeatMapSpec {
        row_sums: &s,
        row_entropy: Some(&e),
        selected: Some((4, 3)),
        width: 640.0,
        ..spec(&ELEVEN, &values)
    };
    assert_picture("heat-map-eleven-words", &heat_map(&zh).scene, Theme::Light);
    assert_picture("heat-map-eleven-words-phone", &heat_map(&HeatMapSpec { width: 358.0, ..zh }).scene, Theme::Dark);
    let values = blurred(9, 9);
    let (s, e) = (sums(&values), entropies(&values));
    let en = HeatMapSpec {
        row_sums: &s,
        row_entropy: Some(&e),
        selected: Some((7, 2)),
        width: 640.0,
        max_height: 460.0,
        titles: EN,
        ..spec(&TIRED, &values)
    };
    assert_picture("heat-map-english", &heat_map(&en).scene, Theme::Light);
    let projector = HeatMapSpec { type_scale: 1.75, width: 1100.0, max_height: 780.0, ..en };
    assert_picture("heat-map-english-projector", &heat_map(&projector).scene, Theme::Light);
}

#[test]
fn heat_map_of_scores() {
    let values = array![
        [12.4, -3.25, 0.0, 1.5],
        [-8.0, 4.125, f32::NEG_INFINITY, -0.75],
        [29.24, 6.5, -12.0, 0.3],
        [1.0, 2.0, 3.0, -29.24]
    ];
    let spec = HeatMapSpec {
        kind: MapKind::Scores,
        domain: (-29.24, 29.24),
        forbidden: &|i, j| (i, j) == (1, 2),
        selected: Some((2, 0)),
        ..spec(&CAT, &values)
    };
    let map = heat_map(&spec);
    assert_picture("heat-map-scores-light", &map.scene, Theme::Light);
    assert_picture("heat-map-scores-dark", &map.scene, Theme::Dark);
    let all = texts(&map.scene);
    assert!(all.iter().any(|t| t.text == "−12.00") && all.iter().any(|t| t.text == "−∞"));
    let differences = heat_map(&HeatMapSpec { kind: MapKind::Differences, ..spec });
    assert!(texts(&differences.scene).iter().any(|t| t.text == "+12.40"));
}

fn words<'a>(labels: &'a [&'a str]) -> Vec<Word<'a>> {
    let kind = |label: &str| if label == "BOS" || label == "PAD" { WordKind::Mark } else { WordKind::Word };
    labels.iter().map(|&label| Word { label, kind: kind(label), unknown: false }).collect()
}

fn line<'a>(words: &'a [Word<'a>], query: usize, key: usize, weights: &'a [f32], width: f64) -> ArcsSpec<'a> {
    ArcsSpec { words, query: Some(query), key: Some(key), weights, width, base_size: 34.0 }
}

#[test]
fn arcs_of_sentences() {
    let cat = words(&CAT);
    let row = [0.0105, 0.9893, 0.0, 0.0002];
    let wide = arcs(&line(&cat, 2, 1, &row, 960.0));
    assert_picture("arcs-4-light", &wide.scene, Theme::Light);
    assert_picture("arcs-4-dark", &wide.scene, Theme::Dark);
    assert_eq!(
        wide.arcs.iter().map(|a| a.to).collect::<Vec<_>>(),
        [0, 1],
        "0.0002 has no arc; the selected comes last"
    );
    assert!((wide.arcs[1].stroke_width - 8.9).abs() < 0.05);
    let phone = arcs(&line(&cat, 2, 1, &row, 358.0));
    assert!(phone.scene.width <= 358.0 && phone.word_size >= 20.0);
    assert_picture("arcs-4-phone", &phone.scene, Theme::Light);

    let mut eleven = words(&ELEVEN);
    eleven[4].unknown = true;
    eleven[10].unknown = true;
    let row = [0.02, 0.0, 0.0, 0.52, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.16];
    let zh = arcs(&line(&eleven, 4, 3, &row, 960.0));
    assert!(zh.scene.width <= 960.0 && zh.word_size >= 24.0);
    assert_picture("arcs-11", &zh.scene, Theme::Light);
    assert_picture("arcs-11-phone", &arcs(&line(&eleven, 4, 3, &row, 358.0)).scene, Theme::Light);

    let tired = words(&TIRED);
    let row = [0.0, 0.0, 0.92, 0.0, 0.0, 0.0, 0.08, 0.0, 0.0];
    let en = arcs(&line(&tired, 7, 2, &row, 960.0));
    assert!(en.scene.width <= 960.0 && en.word_size >= 24.0);
    assert_eq!(overlapping(&en.scene), None);
    assert_picture("arcs-9-english", &en.scene, Theme::Light);
}

#[test]
fn arc_to_itself_and_uniform_row() {
    let cat = words(&CAT);
    assert_picture("arcs-self", &arcs(&line(&cat, 2, 2, &[0.1, 0.2, 0.6, 0.1], 640.0)).scene, Theme::Light);
    let uniform = arcs(&ArcsSpec { key: None, ..line(&cat, 2, 0, &[0.25; 4], 640.0) });
    assert_picture("arcs-uniform", &uniform.scene, Theme::Light);
    assert!(uniform.arcs.iter().all(|a| a.label.is_some()), "four arcs far apart all have room for a label");
}

#[test]
fn thumbnails_of_a_head() {
    let values = blurred(11, 11);
    let scene = thumbnail(values.view(), (0.0, 1.0), Some(&causal), 56.0);
    assert_eq!((scene.width, scene.height), (56.0, 56.0));
    assert_eq!(scene.marks.len(), 2, "cells, and leaked weight on top");
    assert_picture("thumbnail", &scene, Theme::Light);
    assert!(thumbnail(Array2::zeros((0, 3)).view(), (0.0, 1.0), Some(&causal), 56.0).is_empty());
    assert!(thumbnail(values.view(), (0.0, 1.0), Some(&causal), f64::NAN).is_empty());
}

// ---------------------------------------------------------------- colours

const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];

#[test]
fn lightness_alone_orders_the_scales() {
    let lightness = |lut: &[Rgb; 256], i: u8| lut[usize::from(i)].to_oklab()[0];
    for theme in THEMES {
        let palette = Palette::of(theme);
        let darker = theme == Theme::Light;
        let steps = |name, from: u8, to: u8| {
            (from..to).map(move |i| lightness(palette.lut(name), i + 1) - lightness(palette.lut(name), i))
        };
        // Rounding to bytes may hold a step back, never turn it around.
        for step in steps(ScaleName::Sequential, 0, TOP).chain(steps(ScaleName::Leak, 0, TOP)) {
            let leads = if darker { -step } else { step };
            assert!(leads > -0.0025, "{theme:?}: {step}");
        }
        for step in steps(ScaleName::Diverging, NEUTRAL, TOP) {
            assert!(if darker { -step } else { step } > -0.0025, "{theme:?} positive: {step}");
        }
        for step in steps(ScaleName::Diverging, 0, NEUTRAL) {
            assert!(if darker { step } else { -step } > -0.0025, "{theme:?} negative: {step}");
        }
        let lut = palette.lut(ScaleName::Sequential);
        let over_ten = (0..TOP - 10).map(|i| lightness(lut, i + 10) - lightness(lut, i));
        assert!(over_ten.clone().all(|d| d.abs() > 0.005), "no plateau");
        assert_eq!(
            palette.lut(ScaleName::Diverging)[usize::from(NEUTRAL)],
            lut[0],
            "zero looks the same on both scales"
        );
    }
    assert_eq!(Palette::of(Theme::Light).lut(ScaleName::Sequential)[usize::from(TOP)].to_css(), "#142e5c");
    assert_eq!(Palette::of(Theme::Dark).lut(ScaleName::Sequential)[0].to_css(), "#1b1e23");
}

#[test]
fn text_can_be_read_on_every_ground() {
    for theme in THEMES {
        let palette = Palette::of(theme);
        for ground in [Tone::Background, Tone::Soft] {
            for text in [Tone::Foreground, Tone::Muted, Tone::Accent, Tone::Warning, Tone::Blue] {
                let ratio = contrast(palette.colour(text), palette.colour(ground));
                assert!(ratio >= 4.5, "{theme:?} {text:?} on {ground:?}: {ratio}");
            }
        }
        for name in [ScaleName::Sequential, ScaleName::Diverging, ScaleName::Leak] {
            for i in (0..=u8::MAX).filter(|&i| i != NOTHING) {
                let ratio = contrast(palette.colour(Tone::OnScale(name, i)), palette.colour(Tone::Scale(name, i)));
                assert!(ratio >= 4.5, "{theme:?} {name:?} {i}: {ratio}");
            }
        }
        for i in 0..=3 {
            let faint = palette.colour(Tone::Scale(ScaleName::Sequential, i));
            assert!(contrast(palette.colour(Tone::Muted), faint) >= 4.5, "{theme:?} {i}: the printed zero");
        }
        let not_a_value = [FORBIDDEN, NOT_A_NUMBER].map(|i| palette.colour(Tone::Scale(ScaleName::Sequential, i)));
        assert!((0..=TOP).all(|i| !not_a_value.contains(&palette.colour(Tone::Scale(ScaleName::Sequential, i)))));
    }
}

#[test]
fn contrast_and_oklab_agree_with_their_definitions() {
    assert!((contrast(Rgb(0, 0, 0), Rgb(255, 255, 255)) - 21.0).abs() < 1e-9);
    // Ottosson's published value of pure red.
    let [l, a, b] = Rgb(255, 0, 0).to_oklab();
    assert!((l - 0.628).abs() < 1e-3 && (a - 0.2249).abs() < 1e-3 && (b - 0.1258).abs() < 1e-3);
}

#[test]
fn index_of_a_value() {
    assert_eq!([0.0, 0.5, 1.0].map(|v| index(v, 0.0, 1.0)), [0, NEUTRAL, TOP]);
    assert_eq!([-3.0, 7.0, f32::INFINITY, f32::NEG_INFINITY].map(|v| index(v, 0.0, 1.0)), [0, TOP, TOP, 0]);
    assert_eq!(index(f32::NAN, 0.0, 1.0), NOT_A_NUMBER);
    assert_eq!(index(0.5, 0.5, 0.5), 0);
    assert_eq!(index(0.0, f32::MIN, f32::MAX), NEUTRAL);
    assert_eq!([-4.0, 0.0, 4.0].map(|v| diverging_index(v, -4.0, 2.0)), [0, NEUTRAL, TOP]);
    assert_eq!(diverging_index(-0.0, 0.0, 0.0), NEUTRAL);
    assert_eq!(diverging_index(f32::NAN, -1.0, 1.0), NOT_A_NUMBER);
    for i in 0..=1000u16 {
        let v = f32::from(i) / 1000.0;
        assert!(index(v, 0.0, 1.0) <= TOP && diverging_index(2.0 * v - 1.0, -1.0, 1.0) == index(v, 0.0, 1.0));
    }
}

// ---------------------------------------------------------------- words and numbers

#[test]
fn widths_and_shortening() {
    assert_eq!(width_em("老鼠"), 2.0);
    assert_eq!(width_em("e\u{301}"), width_em("e"));
    assert_eq!(width_em("👨‍👩‍👧"), 1.25, "a family is one sign");
    assert!(width_em("illicit") < width_em("mammoth") && bold_em("cat") > width_em("cat"));
    assert_eq!(fit("老鼠", 2.0), "老鼠");
    assert_eq!(fit("注意力机制", 3.0), "注意…");
    assert_eq!(fit("e\u{301}e\u{301}e\u{301}e\u{301}", 1.7), "e\u{301}…", "never between a letter and its accent");
    assert_eq!(fit("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 2.3), "👨‍👩‍👧…");
    assert_eq!([0.5, -1.0, f64::NAN].map(|em| fit("老鼠", em).into_owned()), ["", "", ""]);
    for em in [1.0, 1.5, 2.2, 3.7, 8.0] {
        assert!(width_em(&fit("The 注意力 mechanism", em)) <= em);
    }
}

#[test]
fn numbers_say_no_more_than_they_know() {
    let weight = |v| written(v, Form::Weight);
    assert_eq!(weight(0.0).as_deref(), Some("0"));
    assert_eq!(weight(2e-4).as_deref(), Some("0.00"));
    assert_eq!(weight(0.9893).as_deref(), Some("0.99"));
    assert_eq!(weight(f32::NAN).as_deref(), Some("NaN"));
    let short = |v| written(v, Form::ShortWeight);
    assert_eq!(
        [0.0, 2e-4, 0.0105, 0.9893, 1.0].map(short),
        [None, None, Some(".01".to_owned()), Some(".99".to_owned()), Some("1.0".to_owned())]
    );
    let signed = |v, plus| written(v, Form::Signed { decimals: 1, plus });
    assert_eq!(signed(-3.25, false).as_deref(), Some("−3.2"));
    assert_eq!(signed(3.26, true).as_deref(), Some("+3.3"));
    assert_eq!(signed(-0.02, true).as_deref(), Some("0.0"), "no sign without a number");
    assert_eq!(signed(f32::NEG_INFINITY, false).as_deref(), Some("−∞"));
}

// ---------------------------------------------------------------- geometry for every size

const WIDTHS: [f64; 7] = [200.0, 260.0, 340.0, 358.0, 520.0, 740.0, 1400.0];

#[test]
fn every_size_is_drawn_inside_and_hit_where_it_is() {
    let all: Vec<String> =
        (0..160).map(|i| ["BOS", "猫", "追", "老鼠", "chasing", "I", "extraordinarily"][i % 7].to_owned()).collect();
    let labels: Vec<&str> = all.iter().map(String::as_str).collect();
    for (rows, columns) in [
        (1, 1),
        (1, 7),
        (7, 1),
        (2, 2),
        (4, 4),
        (3, 5),
        (9, 9),
        (11, 11),
        (24, 24),
        (64, 64),
        (5, 160),
        (160, 3),
        (160, 160),
    ] {
        let values = blurred(rows, columns);
        let (sums, entropies) = (sums(&values), entropies(&values));
        for (k, width) in WIDTHS.into_iter().enumerate() {
            let map = heat_map(&HeatMapSpec {
                query_labels: &labels[..rows],
                key_labels: &labels[..columns],
                forbidden: &|i, j| j > i + 2,
                hand_set: &|i, j| (i + j) % 9 == 0,
                row_sums: &sums,
                row_entropy: Some(&entropies),
                selected: Some((rows - 1, columns - 1)),
                hovered: Some((rows / 2, columns / 2)),
                width,
                max_height: if k % 2 == 0 { f64::INFINITY } else { 600.0 },
                type_scale: if k == 6 { 1.75 } else { 1.0 },
                titles: if k % 2 == 0 { ZH } else { EN },
                ..spec(&[], &values)
            });
            let what = format!("{rows} × {columns} in {width}");
            assert_inside(&map.scene, &what);
            assert_eq!(overlapping(&map.scene), None, "{what}");
            assert!(map.layout.cell >= 3.0, "{what}");
            assert!(map.scene.width <= width || map.layout.cell == 3.0, "{what}: {}", map.scene.width);
            let marks = map.scene.marks.len();
            assert!(
                marks < 60 + 8 * (rows + columns) + if map.layout.cell > 20.0 { 2 * rows * columns } else { 0 },
                "{what}"
            );
            for i in 0..rows {
                for j in 0..columns {
                    let square = map.layout.cell_rect(i, j).expect("a cell of the map");
                    let middle = square.centre();
                    assert_eq!(map.layout.hit(middle.x, middle.y), Some(Target::Cell { query: i, key: j }), "{what}");
                    assert_eq!(cells(&map).square(i, j), square, "painted where it is hit");
                }
            }
            assert_labels_hit(&map, rows, columns, &what);
            assert_eq!(map.layout.hit(-1.0, -1.0), None);
            assert_eq!(map.layout.hit(f64::NAN, 5.0), None);
            assert_eq!(map.layout.cell_rect(rows, 0), None);
        }
    }
}

/// The labels of the selected row and column (the last ones) are shown in accent, and each label is hit as itself.
fn assert_labels_hit(map: &HeatMap, rows: usize, columns: usize, what: &str) {
    let accent: Vec<Target> = texts(&map.scene)
        .into_iter()
        .filter(|t| t.ink.tone == Tone::Accent)
        .map(|t| {
            let [a, _, c, _] = text_box(t);
            let (x, y) = ((a.x + c.x) / 2.0, (a.y + c.y) / 2.0);
            map.layout.hit(x, y).unwrap_or_else(|| panic!("{what}: {} is hit", t.text))
        })
        .collect();
    assert!(accent.contains(&Target::QueryLabel(rows - 1)), "{what}: {accent:?}");
    assert!(accent.contains(&Target::KeyLabel(columns - 1)), "{what}: {accent:?}");
}

#[test]
fn odd_input_draws_something_or_nothing_but_never_fails() {
    let values = array![[f32::NAN, f32::INFINITY, f32::NEG_INFINITY], [1e30, -1e30, f32::MIN_POSITIVE]];
    for kind in [MapKind::Weights, MapKind::Scores, MapKind::Differences] {
        for domain in [(0.0, 1.0), (1.0, 0.0), (f32::NAN, 1.0), (f32::NEG_INFINITY, f32::INFINITY), (2.0, 2.0)] {
            let odd = [f32::NAN, f32::INFINITY];
            let map = heat_map(&HeatMapSpec {
                kind,
                domain,
                forbidden: &|i, j| i == j,
                row_sums: &odd,
                row_entropy: Some(&odd),
                selected: Some((9, 9)),
                hovered: Some((usize::MAX, 0)),
                type_scale: f64::NAN,
                ..spec(&["", "\u{0}\n<b>&\"", "👩‍🚀", "left over"], &values)
            });
            assert_inside(&map.scene, "odd values");
            let svg = to_svg(&map.scene, Palette::of(Theme::Light));
            assert!(!svg.contains("NaN\"") && !svg.contains("inf") && !svg.contains("<b>") && !svg.contains('\u{0}'));
        }
    }
    for width in [0.0, -5.0, f64::NAN, f64::INFINITY] {
        assert!(heat_map(&HeatMapSpec { width, ..spec(&CAT, &values) }).scene.is_empty());
    }
    for shape in [(0, 0), (0, 4), (4, 0)] {
        let nothing = Array2::zeros(shape);
        let map = heat_map(&spec(&CAT, &nothing));
        assert!(map.scene.is_empty() && map.layout.hit(0.0, 0.0).is_none());
    }
    let tiny = heat_map(&HeatMapSpec { width: 1.0, max_height: 0.0, ..spec(&CAT, &values) });
    assert_eq!(tiny.layout.cell, 3.0);
    assert_inside(&tiny.scene, "no room");
}

#[test]
fn every_line_of_words_stays_inside_and_apart() {
    let vocabulary = ["BOS", "猫", "chased", "extraordinarily-long-word-without-end", "", "老鼠", "i", "👩‍🚀"];
    for n in [1, 2, 3, 4, 7, 11, 20, 40] {
        let labels: Vec<&str> = (0..n).map(|i| vocabulary[i % vocabulary.len()]).collect();
        let mut line = words(&labels);
        for (i, word) in line.iter_mut().enumerate() {
            word.unknown = i % 3 == 1;
        }
        let weights: Vec<f32> = (0..n).map(|i| 1.0 / (1.0 + i as f32)).collect();
        for width in [120.0, 358.0, 640.0, 960.0, 1400.0] {
            for query in [0, n / 2, n - 1] {
                let drawing = arcs(&ArcsSpec {
                    words: &line,
                    query: Some(query),
                    key: Some(n - 1 - query),
                    weights: &weights,
                    width,
                    base_size: 34.0,
                });
                let what = format!("{n} words in {width}, query {query}");
                assert_inside(&drawing.scene, &what);
                assert_eq!(overlapping(&drawing.scene), None, "{what}");
                assert!((15.0..=34.0).contains(&drawing.word_size), "{what}");
                assert!(drawing.scene.width <= width || drawing.word_size == 15.0, "{what}");
                for (i, slot) in drawing.slots.iter().enumerate() {
                    let middle = slot.area.centre();
                    assert_eq!(drawing.hit(middle.x, middle.y), Some(i), "{what}");
                    assert!(slot.area.height >= 24.0, "{what}: a finger's height");
                }
                assert_eq!(drawing.arcs.last().map(|a| a.to), Some(n - 1 - query), "{what}: the selected on top");
            }
        }
    }
}

#[test]
fn the_line_of_words_keeps_its_height_and_bears_odd_input() {
    let cat = words(&CAT);
    let height = |weights: &[f32], query| arcs(&ArcsSpec { query, ..line(&cat, 0, 1, weights, 640.0) }).scene.height;
    let first = height(&[0.0, 1.0, 0.0, 0.0], Some(0));
    for weights in [&[][..], &[0.0; 4], &[f32::NAN, f32::INFINITY, -1.0, 1e9], &[0.25; 9]] {
        for query in [None, Some(0), Some(3), Some(99)] {
            assert_eq!(height(weights, query), first);
        }
    }
    let odd = arcs(&line(&cat, 0, 1, &[f32::NAN, f32::INFINITY, -1.0, 1e9], 640.0));
    assert_inside(&odd.scene, "odd weights");
    assert_eq!(
        odd.arcs.iter().map(|a| a.to).collect::<Vec<_>>(),
        [3, 1],
        "neither NaN nor a negative weight has an arc"
    );
    for width in [0.0, f64::NAN, f64::INFINITY] {
        assert_eq!(arcs(&line(&cat, 0, 1, &[0.25; 4], width)), Arcs::default());
    }
    assert_eq!(arcs(&line(&[], 0, 1, &[0.25; 4], 640.0)), Arcs::default());
    let bold = texts(&odd.scene).into_iter().filter(|t| t.weight == FontWeight::SemiBold && t.text == "BOS").count();
    assert_eq!(bold, 1, "the query is bold");
}

#[test]
fn svg_is_deterministic_and_escaped() {
    let text = Text::centred("<script>&\"\u{1}", 1.005, -0.001, 12.0, Tone::Foreground);
    let scene = Scene { width: 10.0, height: 10.0, marks: vec![Mark::Text(text)] };
    let svg = to_svg(&scene, Palette::of(Theme::Light));
    assert_eq!(svg, to_svg(&scene, Palette::of(Theme::Light)));
    assert!(svg.contains("&lt;script&gt;&amp;&quot;\u{fffd}</text>"), "{svg}");
    assert!(!svg.contains("-0\"") && !svg.contains("style="));
}

#[test]
fn scores_of_a_map_are_written_alike_and_fit() {
    let form = |values: &[f32], room| signed_form(values.iter().copied(), false, room);
    let two = Form::Signed { decimals: 2, plus: false };
    assert_eq!(form(&[1.0, -2.5], 9.0), Some(two));
    for room in [1.2, 1.8, 2.0, 2.4, 2.6, 3.0, 3.6] {
        let values = [9.996, -0.4, 99.95, -12.0, f32::NAN, f32::INFINITY];
        if let Some(form) = form(&values, room) {
            for v in values.into_iter().filter(|v| v.is_finite()) {
                let text = written(v, form).expect("a signed number is always written");
                assert!(width_em(&text) <= room, "{text} in {room}");
            }
        }
    }
    assert_eq!(form(&[-1e30], 5.0), None);
}

#[test]
fn a_stroke_visits_a_chain_of_neighbours_and_ends_where_it_should() {
    let cells = || (0..7).flat_map(|q| (0..5).map(move |k| (q, k)));
    for from in cells() {
        for to in cells() {
            let stroke = stroke(from, to);
            assert_eq!(stroke.last().copied().unwrap_or(from), to, "{from:?} to {to:?}");
            let mut at = from;
            for &next in &stroke {
                let far = (at.0.abs_diff(next.0)).max(at.1.abs_diff(next.1));
                assert_eq!(far, 1, "{from:?} to {to:?}: from {at:?} to {next:?}");
                at = next;
            }
            // As short as a chain of neighbours can be.
            assert_eq!(stroke.len(), from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)));
        }
    }
    assert_eq!(stroke((0, 0), (2, 4)), [(1, 1), (1, 2), (2, 3), (2, 4)]);
}
