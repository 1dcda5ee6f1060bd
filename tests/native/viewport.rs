//! The window on a large map: limits, zoom, tiles, hits and labels.

use attention_lab::picture::viewport::{CLOSEST, STEP, Viewport, thinned};
use attention_lab::tensor::pyramid::{Pyramid, TILE, code, halved};
use attention_lab::tensor::random::SplitMix64;

const N: usize = 16_384;

#[test]
fn no_walk_leaves_the_limits() {
    let mut random = SplitMix64::new(11);
    for places in [1, 5, 700, N] {
        let mut view = Viewport::whole(places, 640.0);
        for _ in 0..3_000 {
            let mut unit = || f64::from(random.next_unit());
            let (x, y, which) = (unit() * 640.0, unit() * 640.0, unit());
            view = match which {
                ..0.4 => view.zoomed(STEP, x, y),
                ..0.7 => view.zoomed(1.0 / STEP, x, y),
                ..0.9 => view.moved(x * 4.0 - 1280.0, y * 4.0 - 1280.0),
                _ => view.showing((x / 640.0 * places as f64) as usize, (y / 640.0 * places as f64) as usize),
            };
            let all = places as f64;
            assert!(view.span <= all && view.span >= CLOSEST.min(all), "{view:?}");
            assert!(view.left >= 0.0 && view.left + view.span <= all + 1e-6, "{view:?}");
            assert!(view.top >= 0.0 && view.top + view.span <= all + 1e-6, "{view:?}");
        }
    }
    let lost = Viewport { left: f64::NAN, span: f64::INFINITY, ..Viewport::whole(100, 10.0) }.inside();
    assert_eq!((lost.left, lost.span), (0.0, 100.0));
}

#[test]
fn the_point_under_the_pointer_stays_while_zooming() {
    let view = Viewport::whole(N, 700.0).zoomed(16.0, 300.0, 400.0);
    let before = view.hit(200.0, 123.0);
    assert!(before.is_some());
    assert_eq!(view.zoomed(1.5, 200.0, 123.0).hit(200.0, 123.0), before);
    assert_eq!(view.hit(-1.0, 5.0), None);
    assert_eq!(view.hit(5.0, 700.0), None);
    let (query, key) = before.unwrap_or_default();
    let [x, y, width, height] = view.rectangle(&(query..query + 1), &(key..key + 1));
    assert!(x <= 200.0 && 200.0 < x + width && y <= 123.0 && 123.0 < y + height);
}

#[test]
fn a_cell_is_brought_into_sight_by_the_shortest_way() {
    let view = Viewport { left: 100.0, top: 100.0, span: 50.0, ..Viewport::whole(N, 500.0) };
    assert_eq!(view.showing(120, 130), view);
    assert_eq!((view.showing(99, 150).top, view.showing(99, 150).left), (99.0, 101.0));
}

#[test]
fn tiles_in_sight_cover_the_window_and_no_cell_is_below_a_pixel() {
    for (span, ratio) in [(16_384.0, 1.0), (9_000.0, 2.0), (1_000.0, 1.0), (640.0, 1.0), (40.0, 3.0)] {
        let view = Viewport { left: 3_000.5, top: 7_000.0, span, ..Viewport::whole(N, 640.0) }.inside();
        let level = view.level(ratio);
        let cell_px = Pyramid::cell_side(level) as f64 * view.scale() * ratio;
        assert!(cell_px > 0.998 && (level == 0 || cell_px < 2.0), "{span}: {cell_px}");
        let tiles = view.tiles(level);
        let side = (TILE * Pyramid::cell_side(level)) as f64;
        for (x, y) in [(0.0, 0.0), (639.9, 0.0), (0.0, 639.9), (320.0, 320.0), (639.9, 639.9)] {
            let (query, key) = view.hit(x, y).unwrap_or_default();
            let covered = tiles
                .iter()
                .any(|tile| tile.row == (query as f64 / side) as u16 && tile.column == (key as f64 / side) as u16);
            assert!(covered, "{span}: {query}, {key} in {tiles:?}");
        }
        assert!(tiles.len() <= 16, "{}", tiles.len());
    }
    assert_eq!(Viewport::whole(N, 300.0).level(1.0), 6, "a small window needs a coarser level than the pyramid has");
    assert!(Viewport::whole(N, 300.0).tiles(6).is_empty());
    assert!(Viewport::whole(0, 300.0).tiles(0).is_empty());
}

#[test]
fn labels_never_overlap() {
    let mut random = SplitMix64::new(2);
    for _ in 0..200 {
        let labels: Vec<(f64, f64)> =
            (0..60).map(|_| (f64::from(random.next_unit()) * 600.0, f64::from(random.next_unit()) * 60.0)).collect();
        let kept = thinned(&labels, 4.0);
        assert_eq!(kept.first(), Some(&0), "the first asked for always stays");
        for (at, &a) in kept.iter().enumerate() {
            for &b in &kept[at + 1..] {
                let ((a, length_a), (b, length_b)) = (labels[a], labels[b]);
                assert!(a + length_a + 4.0 <= b || b + length_b + 4.0 <= a);
            }
        }
    }
    let view = Viewport { left: 1_234.5, span: 200.0, ..Viewport::whole(N, 600.0) };
    let labelled = view.labelled(view.left, 40.0);
    assert_eq!(&labelled[..3], [1_240, 1_260, 1_280], "round steps of at least 40 pixels");
    assert_eq!(Viewport::whole(N, 600.0).labelled(0.0, 50.0)[..3], [0, 2_000, 4_000]);
}

#[test]
fn a_map_at_half_size_keeps_its_spikes() {
    let mut codes = vec![code(0.001); 5 * 5];
    codes[2 * 5 + 4] = 255;
    let max = halved(&codes, 5, false);
    assert_eq!((max.len(), max.iter().filter(|&&code| code == 255).count(), max[5]), (9, 1, 255));
    let mean = halved(&codes, 5, true);
    assert_eq!(mean[0], code(0.001));
    assert!(mean[5].abs_diff(code((1.0 + 0.001) / 2.0)) <= 1);
}

#[test]
fn the_small_map_shows_the_window() {
    let view = Viewport { left: 4_096.0, top: 8_192.0, span: 1_024.0, ..Viewport::whole(N, 640.0) };
    assert_eq!(view.share(), [0.25, 0.5, 0.0625, 0.0625]);
    assert_eq!(view.centred(100.0, 16_000.0).share(), [0.9375, 0.0, 0.0625, 0.0625]);
}
