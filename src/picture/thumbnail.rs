//! The small map of one head: colours only, at data resolution. Owns no labels and no hit test.

use ndarray::ArrayView2;

use super::scale::{FORBIDDEN, NOTHING, ScaleName, index, indices};
use super::scene::{Cells, Mark, Scene};

/// A square picture of `side` CSS px (a rectangular map fills its longer side) of weights `[queries, keys]`.
///
/// Forbidden cells, where a mask forbids any, have their own colour, and weight that leaked into one lies on top in the colours of a leak. Empty
/// when there are no cells or no room.
pub fn thumbnail(
    weights: ArrayView2<'_, f32>,
    domain: (f32, f32),
    forbidden: Option<&dyn Fn(usize, usize) -> bool>,
    side: f64,
) -> Scene {
    let (rows, columns) = weights.dim();
    if rows == 0 || columns == 0 || !(side.is_finite() && side > 0.0) {
        return Scene::default();
    }
    let pitch = side / rows.max(columns) as f64;
    let weights = weights.as_standard_layout();
    let mut colours = indices(weights.as_slice().unwrap_or_default(), domain.0, domain.1);
    if let Some(forbidden) = forbidden {
        for (((i, j), weight), colour) in weights.indexed_iter().zip(&mut colours) {
            if forbidden(i, j) && !weight.is_nan() {
                *colour = FORBIDDEN;
            }
        }
    }
    let cells = Cells {
        x: 0.0,
        y: 0.0,
        rows,
        columns,
        pitch,
        gap: 0.0,
        radius: 0.0,
        scale: ScaleName::Sequential,
        indices: colours.into(),
        outline: None,
    };
    let mut marks = vec![Mark::Cells(cells.clone())];
    if let Some(forbidden) = forbidden {
        let leak = |((i, j), &weight): ((usize, usize), &f32)| {
            if weight > 0.0 && forbidden(i, j) { index(weight, 0.0, 1.0) } else { NOTHING }
        };
        let leaks: Vec<u8> = weights.indexed_iter().map(leak).collect();
        if leaks.iter().any(|&leak| leak != NOTHING) {
            marks.push(Mark::Cells(Cells { scale: ScaleName::Leak, indices: leaks.into(), ..cells }));
        }
    }
    Scene { width: columns as f64 * pitch, height: rows as f64 * pitch, marks }
}
