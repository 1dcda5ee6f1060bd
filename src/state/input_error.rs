//! What can be wrong with arrays that a script hands over, as values; the sentences are in `locale`.

/// Why an input of the JavaScript API was refused. Nothing was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "field names are the documentation")]
pub enum InputError {
    /// The argument is not an object.
    NotAnObject,
    /// An array is missing or not an object with shape and data.
    Missing { name: &'static str },
    /// `shape` is missing, or not a list of whole numbers.
    NoShape { name: &'static str },
    /// The number of dimensions is wrong.
    Rank { name: &'static str, got: Vec<usize>, want: &'static str },
    /// `data` is not a `Float32Array`.
    NotFloat32 { name: &'static str },
    /// The mask's data is neither a `Uint8Array` nor a `Float32Array`.
    MaskData,
    /// `data` has another number of elements than `shape` says.
    Length { name: &'static str, got: usize, shape: Vec<usize> },
    /// More elements than a page computes at once.
    TooLarge { name: &'static str, most: usize },
    /// Not a number where one is needed.
    NotANumber { name: &'static str, given: String },
    /// An engine that this version does not have.
    Engine { given: String },
    /// Something in `want` that can't be returned.
    Want { given: String },
}

impl InputError {
    /// The `code` of the error that a script catches.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject => "not_an_object",
            Self::Missing { .. } => "missing",
            Self::NoShape { .. } | Self::Rank { .. } | Self::Length { .. } => "shape",
            Self::NotFloat32 { .. } | Self::MaskData => "type",
            Self::TooLarge { .. } => "too_large",
            Self::NotANumber { .. } => "not_a_number",
            Self::Engine { .. } => "engine",
            Self::Want { .. } => "want",
        }
    }
}
