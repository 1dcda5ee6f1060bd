//! The shaders: their text, what they bind, and their constants.

/// A shader of `shaders/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shader {
    /// Matrix products: projections, weights · v, concat · W_O.
    Product,
    /// q · kᵀ.
    Scores,
    /// Scaled, tempered or masked scores, to be seen.
    Stage,
    /// Softmax and row statistics.
    Rows,
    /// Heads side by side.
    Concat,
}

/// Rows and columns of a workgroup of every shader but [`Shader::Rows`]; the override `SIDE`.
pub const SIDE: usize = 8;
/// Rows of a workgroup of [`Shader::Rows`]; the override `WIDTH`.
pub const WIDTH: usize = 32;

impl Shader {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Product, Self::Scores, Self::Stage, Self::Rows, Self::Concat];

    /// Its text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Product => include_str!("shaders/product.wgsl"),
            Self::Scores => include_str!("shaders/scores.wgsl"),
            Self::Stage => include_str!("shaders/stage.wgsl"),
            Self::Rows => include_str!("shaders/rows.wgsl"),
            Self::Concat => include_str!("shaders/concat.wgsl"),
        }
    }

    /// Its storage buffers from binding 1 on: whether each is written. Binding 0 is its sizes.
    #[must_use]
    pub const fn writes(self) -> &'static [bool] {
        match self {
            Self::Product | Self::Scores | Self::Stage => &[false, false, true],
            Self::Rows => &[false, false, false, true, true],
            Self::Concat => &[false, true],
        }
    }
}
