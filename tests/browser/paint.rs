//! The canvas painter: pixels of a painted scene.

use crate::page::document;
use attention_lab::picture::heatmap::hover_frame;
use attention_lab::picture::scale::{self, FORBIDDEN, NOT_A_NUMBER, ScaleName, index};
use attention_lab::picture::scene::Rect;
use attention_lab::picture::{HeatMap, HeatMapSpec, MapKind, Palette, Rgb, Scene, Theme, Titles, Tone};
use attention_lab::picture::{heat_map, thumbnail};
use attention_lab::tensor::Matrix;
use attention_lab::web::paint;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

const BOTH: [Theme; 2] = [Theme::Light, Theme::Dark];

fn canvas() -> HtmlCanvasElement {
    document().create_element("canvas").expect("a plain element").unchecked_into()
}

/// What stands on a canvas.
struct Pixels {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
    ratio: f64,
}

impl Pixels {
    fn of(canvas: &HtmlCanvasElement) -> Self {
        let context: CanvasRenderingContext2d =
            canvas.get_context("2d").expect("a context is asked for by its name").expect("a canvas").unchecked_into();
        let (width, height) = (canvas.width(), canvas.height());
        let size = |n: u32| f64::from(n);
        let image = context.get_image_data(0.0, 0.0, size(width), size(height)).expect("a canvas of our own");
        let ratio = attention_lab::web::environment::pixel_ratio();
        Self { width: width as usize, height: height as usize, rgba: image.data().0, ratio }
    }

    /// Red, green, blue and opacity of a canvas pixel.
    fn pixel(&self, column: usize, row: usize) -> [u8; 4] {
        assert!(column < self.width && row < self.height, "({column}, {row}) is off the canvas");
        let at = 4 * (row * self.width + column);
        [self.rgba[at], self.rgba[at + 1], self.rgba[at + 2], self.rgba[at + 3]]
    }

    /// The pixel at a place in CSS px.
    fn at(&self, x: f64, y: f64) -> [u8; 4] {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place on the canvas")]
        let whole = |css: f64| (css * self.ratio).floor() as usize;
        self.pixel(whole(x), whole(y))
    }

    /// How many pixels inside a square have this colour, and how many have not; `rim` CSS px at its edge do not count.
    fn in_square(&self, square: Rect, rim: f64, colour: Rgb) -> (usize, usize) {
        let (mut same, mut other) = (0, 0);
        let inside = square.grown(-rim);
        let mut y = inside.y;
        while y < inside.bottom() {
            let mut x = inside.x;
            while x < inside.right() {
                let hit = self.at(x, y) == opaque(colour);
                *(if hit { &mut same } else { &mut other }) += 1;
                x += 1.0;
            }
            y += 1.0;
        }
        (same, other)
    }
}

fn opaque(colour: Rgb) -> [u8; 4] {
    [colour.0, colour.1, colour.2, 255]
}

/// A map of these weights in `width` px, with a causal mask if asked.
fn map(values: &Matrix<f32>, causal: bool, width: f64, selected: Option<(usize, usize)>) -> HeatMap {
    let labels = vec!["猫"; values.nrows()];
    heat_map(&HeatMapSpec {
        query_labels: &labels,
        key_labels: &labels,
        values: values.view(),
        kind: MapKind::Weights,
        domain: (0.0, 1.0),
        forbidden: &|query, key| causal && key > query,
        hand_set: &|_, _| false,
        row_sums: &[],
        row_entropy: None,
        selected,
        hovered: None,
        width,
        max_height: f64::INFINITY,
        type_scale: 1.0,
        titles: Titles::default(),
    })
}

/// Weights from 0 to 1 in n × n cells, no two the same.
#[expect(clippy::cast_precision_loss, reason = "few cells")]
fn ramp(n: usize) -> Matrix<f32> {
    Matrix::from_shape_fn((n, n), |(i, j)| (i * n + j) as f32 / (n * n - 1) as f32)
}

#[wasm_bindgen_test]
fn the_middle_of_a_cell_has_the_colour_of_its_value() {
    // Cells too small for numbers, with and without gaps.
    for (n, width) in [(12, 240.0), (24, 240.0), (60, 300.0)] {
        for theme in BOTH {
            let (values, palette, canvas) = (ramp(n), Palette::of(theme), canvas());
            let drawn = map(&values, false, width, None);
            paint::scene(&canvas, &drawn.scene, palette);
            let pixels = Pixels::of(&canvas);
            for ((i, j), &value) in values.indexed_iter() {
                let middle = drawn.layout.cell_rect(i, j).expect("a cell of the map").centre();
                let want = palette.lut(ScaleName::Sequential)[usize::from(index(value, 0.0, 1.0))];
                assert_eq!(pixels.at(middle.x, middle.y), opaque(want), "cell ({i}, {j}) of {n}, {theme:?}");
            }
        }
    }
}

#[wasm_bindgen_test]
fn a_large_cell_has_its_number_in_ink_that_can_be_read() {
    for theme in BOTH {
        let (values, palette, canvas) = (ramp(3), Palette::of(theme), canvas());
        let drawn = map(&values, false, 400.0, None);
        paint::scene(&canvas, &drawn.scene, palette);
        let pixels = Pixels::of(&canvas);
        for ((i, j), &value) in values.indexed_iter() {
            let square = drawn.layout.cell_rect(i, j).expect("a cell of the map");
            assert!(square.width > 40.0, "room for a number");
            let entry = index(value, 0.0, 1.0);
            let ground = palette.lut(ScaleName::Sequential)[usize::from(entry)];
            assert_eq!(pixels.at(square.x + 6.0, square.y + 6.0), opaque(ground), "ground of ({i}, {j}), {theme:?}");
            let (same, other) = pixels.in_square(square, 5.0, ground);
            assert!(other > 20 && same > 5 * other, "({i}, {j}), {theme:?}: {other} pixels of ink on {same} of ground");
        }
    }
}

#[wasm_bindgen_test]
fn forbidden_cells_are_hatched_and_others_are_not() {
    for theme in BOTH {
        // 12 cells of about 20 px, zero above the diagonal; then smaller ones, hatched in runs.
        for (n, width) in [(12, 280.0), (24, 240.0)] {
            let mut values = ramp(n);
            values.indexed_iter_mut().filter(|((i, j), _)| j > i).for_each(|(_, value)| *value = 0.0);
            let (palette, canvas) = (Palette::of(theme), canvas());
            let drawn = map(&values, true, width, None);
            paint::scene(&canvas, &drawn.scene, palette);
            let pixels = Pixels::of(&canvas);
            let lut = palette.lut(ScaleName::Sequential);
            // Cells of some size have a faint outline of their own.
            let rim = if drawn.layout.cell >= 12.0 { 2.0 } else { 1.0 };
            for ((i, j), &value) in values.indexed_iter() {
                let square = drawn.layout.cell_rect(i, j).expect("a cell of the map");
                let entry = if j > i { FORBIDDEN } else { index(value, 0.0, 1.0) };
                let ground = lut[usize::from(entry)];
                let (same, other) = pixels.in_square(square, rim, ground);
                assert!(same > 0, "({i}, {j}) of {n} has its ground, {theme:?}");
                assert_eq!(other > 0, j > i, "({i}, {j}) of {n}: {other} pixels of hatching on {same}, {theme:?}");
            }
        }
    }
}

#[wasm_bindgen_test]
fn a_leak_lies_on_top_of_the_hatching() {
    for theme in BOTH {
        let mut values = ramp(12);
        values.indexed_iter_mut().filter(|((i, j), _)| j > i).for_each(|(_, value)| *value = 0.0);
        values[[2, 7]] = 0.25;
        let (palette, canvas) = (Palette::of(theme), canvas());
        let drawn = map(&values, true, 280.0, None);
        paint::scene(&canvas, &drawn.scene, palette);
        let pixels = Pixels::of(&canvas);
        let leak = palette.lut(ScaleName::Leak)[usize::from(index(0.25, 0.0, 1.0))];
        let middle = |i, j| drawn.layout.cell_rect(i, j).expect("a cell of the map").centre();
        assert_eq!(pixels.at(middle(2, 7).x, middle(2, 7).y), opaque(leak), "{theme:?}");
        // Nothing else is covered: forbidden cells keep their ground, permitted ones their colour.
        let lut = palette.lut(ScaleName::Sequential);
        for ((i, j), &value) in values.indexed_iter().filter(|&(cell, _)| cell != (2, 7)) {
            let square = drawn.layout.cell_rect(i, j).expect("a cell of the map");
            let ground = lut[usize::from(if j > i { FORBIDDEN } else { index(value, 0.0, 1.0) })];
            assert!(pixels.in_square(square, 2.0, ground).0 > 100, "cell ({i}, {j}), {theme:?}");
        }
    }
}

#[wasm_bindgen_test]
fn not_a_number_has_a_colour_of_its_own() {
    let mut values = ramp(24);
    values[[3, 4]] = f32::NAN;
    let (palette, canvas) = (Palette::of(Theme::Light), canvas());
    let drawn = map(&values, false, 240.0, None);
    paint::scene(&canvas, &drawn.scene, palette);
    let pixels = Pixels::of(&canvas);
    let square = drawn.layout.cell_rect(3, 4).expect("a cell of the map");
    let colour = palette.lut(ScaleName::Sequential)[usize::from(NOT_A_NUMBER)];
    assert!(pixels.in_square(square, 1.0, colour).0 > 0);
    assert_eq!(palette.lut(ScaleName::Sequential).iter().filter(|&&c| c == colour).count(), 1, "no value has it");
}

#[wasm_bindgen_test]
fn the_selected_cell_is_framed_and_the_hovered_one_over_it() {
    let (values, palette) = (ramp(12), Palette::of(Theme::Light));
    let accent = opaque(palette.colour(Tone::Accent));
    let framed = |pixels: &Pixels, drawn: &HeatMap, i, j| {
        let square = drawn.layout.cell_rect(i, j).expect("a cell of the map");
        (-3..=3).any(|step| pixels.at(square.x + f64::from(step), square.centre().y) == accent)
    };
    let canvas = canvas();
    let drawn = map(&values, false, 280.0, Some((2, 3)));
    paint::scene(&canvas, &drawn.scene, palette);
    let pixels = Pixels::of(&canvas);
    assert!(framed(&pixels, &drawn, 2, 3) && !framed(&pixels, &drawn, 7, 5));
    let marks = hover_frame(&drawn.layout, 7, 5);
    paint::over(&canvas, &Scene { width: drawn.scene.width, height: drawn.scene.height, marks }, palette);
    let pixels = Pixels::of(&canvas);
    assert!(framed(&pixels, &drawn, 2, 3), "the hovered cell is painted over what stands there");
    // Its line is thinner, so look for any pixel near to the accent.
    let square = drawn.layout.cell_rect(7, 5).expect("a cell of the map");
    let reddish = |[r, g, b, _]: [u8; 4]| i32::from(r) - i32::from(g.max(b)) > 60;
    assert!((-3..=3).any(|step| reddish(pixels.at(square.x + f64::from(step), square.centre().y))));
    // Painting the scene again takes it away.
    paint::scene(&canvas, &drawn.scene, palette);
    let pixels = Pixels::of(&canvas);
    assert!(!(-3..=3).any(|step| reddish(pixels.at(square.x + f64::from(step), square.centre().y))));
}

#[wasm_bindgen_test]
fn a_small_map_has_a_pixel_per_cell() {
    for theme in BOTH {
        let palette = Palette::of(theme);
        let mut values = ramp(5);
        values.indexed_iter_mut().filter(|((i, j), _)| j > i).for_each(|(_, value)| *value = 0.0);
        values[[0, 4]] = 0.5;
        let canvas = canvas();
        paint::small_map(&canvas, &thumbnail(values.view(), (0.0, 1.0), Some(&|i, j| j > i), 56.0), palette);
        let pixels = Pixels::of(&canvas);
        assert_eq!((pixels.width, pixels.height), (5, 5));
        for ((i, j), &value) in values.indexed_iter() {
            let want = match (i, j) {
                (0, 4) => palette.lut(ScaleName::Leak)[usize::from(index(0.5, 0.0, 1.0))],
                _ if j > i => palette.lut(ScaleName::Sequential)[usize::from(FORBIDDEN)],
                _ => palette.lut(ScaleName::Sequential)[usize::from(index(value, 0.0, 1.0))],
            };
            assert_eq!(pixels.pixel(j, i), opaque(want), "cell ({i}, {j}), {theme:?}");
        }
    }
}

#[wasm_bindgen_test]
fn a_small_map_may_be_oblong_and_change_its_size() {
    let (palette, canvas) = (Palette::of(Theme::Light), canvas());
    for (rows, columns) in [(1, 1), (2, 7), (31, 3), (137, 137), (1, 4)] {
        let values = Matrix::from_elem((rows, columns), 0.5_f32);
        paint::small_map(&canvas, &thumbnail(values.view(), (0.0, 1.0), None, 56.0), palette);
        let pixels = Pixels::of(&canvas);
        assert_eq!((pixels.width, pixels.height), (columns, rows));
        let want = palette.lut(ScaleName::Sequential)[usize::from(index(0.5, 0.0, 1.0))];
        assert_eq!(pixels.pixel(columns - 1, rows - 1), opaque(want));
    }
}

#[wasm_bindgen_test]
fn a_legend_runs_from_the_lowest_to_the_highest_colour() {
    for theme in BOTH {
        for name in [ScaleName::Sequential, ScaleName::Diverging, ScaleName::Leak] {
            let (palette, canvas) = (Palette::of(theme), canvas());
            paint::legend(&canvas, name, palette);
            let pixels = Pixels::of(&canvas);
            assert_eq!((pixels.width, pixels.height), (usize::from(scale::TOP) + 1, 1));
            for entry in 0..=usize::from(scale::TOP) {
                assert_eq!(pixels.pixel(entry, 0), opaque(palette.lut(name)[entry]), "{name:?}, entry {entry}");
            }
        }
    }
}

#[wasm_bindgen_test]
fn without_room_nothing_is_painted_and_nothing_panics() {
    let palette = Palette::of(Theme::Light);
    for width in [0.0, -1.0, f64::NAN] {
        let canvas = canvas();
        let drawn = map(&ramp(4), false, width, Some((0, 0)));
        paint::scene(&canvas, &drawn.scene, palette);
        let pixels = Pixels::of(&canvas);
        assert!(pixels.rgba.iter().all(|&byte| byte == 0), "width {width}");
        paint::over(&canvas, &drawn.scene, palette);
    }
    // The smallest map there is, a map without cells, and a place for less than a pixel.
    let canvas = canvas();
    paint::scene(&canvas, &map(&ramp(2), true, 1.0, None).scene, palette);
    paint::scene(&canvas, &Scene::default(), palette);
    paint::small_map(&canvas, &Scene::default(), palette);
    paint::small_map(&canvas, &thumbnail(Matrix::zeros((0, 0)).view(), (0.0, 1.0), None, 56.0), palette);
    paint::small_map(&canvas, &thumbnail(ramp(3).view(), (0.0, 1.0), None, 0.0), palette);
}

#[wasm_bindgen_test]
fn a_canvas_is_cleared_before_it_is_painted_again() {
    let (palette, canvas) = (Palette::of(Theme::Dark), canvas());
    let drawn = map(&ramp(12), false, 240.0, None);
    paint::scene(&canvas, &drawn.scene, palette);
    let (width, height) = (drawn.scene.width, drawn.scene.height);
    paint::scene(&canvas, &Scene { width, height, marks: Vec::new() }, palette);
    assert!(Pixels::of(&canvas).rgba.iter().all(|&byte| byte == 0));
}

#[wasm_bindgen_test]
fn a_brush_that_keeps_what_lasts_paints_what_a_fresh_one_does() {
    let drawing = |n: usize, shift: f32, width: f64, selected| {
        let values = ramp(n).mapv(|value| (value + shift).fract());
        map(&values, false, width, selected).scene
    };
    // The mask lasts as the labels do, and a selected cell in its forbidden half has its frame over the hatch.
    let masked = |shift: f32, selected| {
        let values = ramp(12).mapv(|value| (value + shift).fract());
        map(&values, true, 240.0, selected).scene
    };
    let some = Some((1, 2));
    // Labels last while the numbers change; then sizes, the selection, the numbers' room, and the theme change as well.
    let steps = [
        (drawing(12, 0.0, 240.0, some), Theme::Light),
        (drawing(12, 0.1, 240.0, some), Theme::Light),
        (drawing(12, 0.2, 240.0, some), Theme::Light),
        (drawing(12, 0.2, 240.0, Some((3, 4))), Theme::Light),
        (drawing(12, 0.3, 240.0, Some((3, 4))), Theme::Light),
        (drawing(12, 0.4, 240.0, Some((3, 4))), Theme::Dark),
        (drawing(12, 0.5, 240.0, Some((3, 4))), Theme::Dark),
        (drawing(12, 0.5, 260.0, Some((3, 4))), Theme::Dark),
        (drawing(12, 0.6, 260.0, Some((3, 4))), Theme::Dark),
        (drawing(4, 0.6, 260.0, some), Theme::Dark),
        (drawing(4, 0.7, 260.0, some), Theme::Dark),
        (drawing(4, 0.7, 260.0, some), Theme::Dark),
        (Scene::default(), Theme::Dark),
        (drawing(12, 0.8, 240.0, some), Theme::Light),
        (masked(0.1, Some((1, 6))), Theme::Light),
        (masked(0.2, Some((1, 6))), Theme::Light),
        (masked(0.3, Some((1, 6))), Theme::Light),
        (masked(0.3, Some((6, 7))), Theme::Light),
        (masked(0.4, Some((6, 7))), Theme::Dark),
        (masked(0.5, Some((6, 7))), Theme::Dark),
        (drawing(12, 0.6, 240.0, Some((6, 7))), Theme::Dark),
        (masked(0.7, Some((6, 7))), Theme::Dark),
    ];
    let (brush, kept) = (paint::Brush::default(), canvas());
    for (step, (scene, theme)) in steps.iter().enumerate() {
        let palette = Palette::of(*theme);
        brush.paint(&kept, scene, palette);
        let fresh = canvas();
        paint::scene(&fresh, scene, palette);
        let (kept, fresh) = (Pixels::of(&kept), Pixels::of(&fresh));
        assert_eq!((kept.width, kept.height), (fresh.width, fresh.height), "step {step}");
        // Blending a glyph's edge twice may round another way.
        let worst = kept.rgba.iter().zip(&fresh.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst <= Some(6), "step {step}: a pixel is off by {worst:?} of 255");
    }
}
