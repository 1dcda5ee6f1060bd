//! The constructed model: eight heads whose weights are made by hand, not trained.
//!
//! Owns the recipes and the construction kit: three moves (content, kernel, parking), each a plain bilinear term
//! x_i W_Q · x_j W_K. Nothing after the embedding is a special case: every pattern comes from dot products.

use super::D_MODEL;
use super::embedding::{CONTENT, IDENTITY, POSITION, frequency, rounded};
use super::problem::Weights;
use crate::tensor::Matrix;
use crate::tensor::angle::cos_sin;
use crate::text::Feature;
use crate::text::Feature::{
    Animal, Animate, Be, Bos, Const, Det, Func, Human, Mod, Noun, Pl, Pron, Punct, SFin, SFood, SNat, STech, Sg, TFin,
    TFood, TNat, TTech, Thing, Trans, Unk, Verb, WantAnimal, WantHuman, WantPl, WantSg, WantThing,
};
use std::f64::consts::SQRT_2;

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

/// Width of a query, a key and a value of every head.
const D_HEAD: usize = 8;

/// The classes of head 3; a token attends to tokens of its own class.
const CLASSES: [&[Feature]; D_HEAD] = [&[Noun, Pron], &[Verb, Be], &[Det], &[Func], &[Mod], &[Punct], &[Unk], &[Bos]];

/// The order kernel g(δ) = Σ A cos ω_m δ + B sin ω_m δ of the offset δ = i − j, as (m, A, B): high just before the
/// query, lower farther back, about 0 or negative after it. Found once by a max-margin search and frozen.
const ORDER: [(usize, f64, f64); 3] = [(0, -1.19, 1.37), (1, -0.25, 2.74), (3, 5.22, 5.09)];

/// The constructed weights: h = 8, d_k = d_v = 8, W_O = identity.
#[must_use]
pub fn weights() -> Weights {
    let heads = ROLES.map(head);
    let side_by_side = |of: fn(&Head) -> &Matrix<f64>| {
        Matrix::from_shape_fn((D_MODEL, ROLES.len() * D_HEAD), |(row, column)| {
            rounded(of(&heads[column / D_HEAD])[[row, column % D_HEAD]])
        })
    };
    Weights {
        heads: ROLES.len(),
        w_q: side_by_side(|head| &head.q),
        w_k: side_by_side(|head| &head.k),
        w_v: side_by_side(|head| &head.v),
        w_o: Matrix::eye(D_MODEL),
    }
}

/// The recipe of each role. "Logits" are scores after the scale 1/√d_k.
fn head(role: Role) -> Head {
    let mut head = Head::new();
    match role {
        Role::Uniform => {}
        Role::PreviousToken => {
            // 4 cos ω(i − 1 − j) = 4 cos ω · cos ω(i − j) + 4 sin ω · sin ω(i − j): a peak at j = i − 1.
            for m in 0..4 {
                let (cos, sin) = cos_sin(frequency(m));
                head.kernel(m, 4.0 * cos, 4.0 * sin);
            }
        }
        Role::SameCategory => {
            for class in CLASSES {
                head.content(6.0, &ones(class), &ones(class));
            }
        }
        Role::Agent => {
            head.content(20.0, &ones(&[Verb]), &ones(&[Animate]));
            head.parking(30.0, &[(Verb, 1.0 - 14.0 / 30.0)]);
            for (m, a, b) in ORDER {
                head.kernel(m, a, b);
            }
        }
        Role::Patient => {
            head.content(20.0, &ones(&[Trans]), &ones(&[Noun, Pron]));
            // <BOS> lies before the verb, where this kernel is low: hence the larger fallback.
            head.parking(30.0, &[(Trans, 1.0 - 23.5 / 30.0)]);
            for (m, a, b) in ORDER {
                head.kernel(m, a, -b);
            }
        }
        Role::Reference => {
            for (wanted, answer) in [(WantAnimal, Animal), (WantHuman, Human), (WantThing, Thing)] {
                head.content(12.0, &ones(&[wanted]), &ones(&[answer]));
            }
            head.content(12.0, &ones(&[Be]), &ones(&[Noun, Pron]));
            head.content(3.0, &[(WantSg, 1.0), (WantPl, -1.0)], &[(Sg, 1.0), (Pl, -1.0)]);
            // May go below 0 for a token that asks twice: then <BOS> is avoided.
            head.parking(14.0, &[(WantAnimal, 1.0), (WantHuman, 1.0), (WantThing, 1.0), (Be, 1.0)]);
            head.earlier_first();
        }
        Role::WordSense => {
            let senses = [(SFin, TFin), (SNat, TNat), (SFood, TFood), (STech, TTech)];
            for (sense, topic) in senses {
                head.content(8.0, &ones(&[sense]), &ones(&[topic]));
            }
            // An ambiguous word has two senses and so keeps <BOS> at logit 4.
            head.parking(8.0, &senses.map(|(sense, _)| (sense, 0.25)));
        }
        Role::Sink => head.content(6.0, &ones(&[Const]), &ones(&[Bos])),
    }
    match role {
        Role::WordSense => head.carry_features(&[TFin, TNat, TFood, TTech, Bos, Noun, Verb, Const]),
        // Small values: to attend here is to do almost nothing.
        Role::Sink => head.carry_identity(0.05),
        _ => head.carry_identity(1.0),
    }
    head
}

/// Features with a weight each.
type Mix<'a> = &'a [(Feature, f64)];

fn ones(features: &[Feature]) -> Vec<(Feature, f64)> {
    features.iter().map(|&feature| (feature, 1.0)).collect()
}

/// The construction kit: each move takes free head dimensions and adds a term to the scores.
struct Head {
    /// W_Q of this head, `[64, 8]`.
    q: Matrix<f64>,
    /// W_K of this head, `[64, 8]`.
    k: Matrix<f64>,
    /// W_V of this head, `[64, 8]`.
    v: Matrix<f64>,
    /// The next free head dimension.
    free: usize,
}

impl Head {
    fn new() -> Self {
        let zeros = || Matrix::zeros((D_MODEL, D_HEAD));
        Self { q: zeros(), k: zeros(), v: zeros(), free: 0 }
    }

    /// √d_k: every move puts it in, since the scale takes it out again.
    fn root() -> f64 {
        8.0_f64.sqrt()
    }

    /// Content: score += `logit` · (mix of query features) · (mix of key features). One dimension.
    fn content(&mut self, logit: f64, query: Mix<'_>, key: Mix<'_>) {
        let a = (logit * Self::root()).sqrt();
        for &(feature, weight) in query {
            self.q[[CONTENT.start + feature as usize, self.free]] += a * weight;
        }
        for &(feature, weight) in key {
            self.k[[CONTENT.start + feature as usize, self.free]] += a * weight;
        }
        self.free += 1;
    }

    /// Kernel: score += A cos ω_m(i − j) + B sin ω_m(i − j), by rotating the query's position pair. Two dimensions.
    fn kernel(&mut self, m: usize, a: f64, b: f64) {
        let g = Self::root().sqrt();
        let (cos, sin) = (POSITION.start + 2 * m, POSITION.start + 2 * m + 1);
        let (first, second) = (self.free, self.free + 1);
        self.q[[cos, first]] = a * g;
        self.q[[sin, first]] = b * g;
        self.q[[sin, second]] = a * g;
        self.q[[cos, second]] = -b * g;
        self.k[[cos, first]] = g;
        self.k[[sin, second]] = g;
        self.free += 2;
    }

    /// Parking: the key `<BOS>` gets `logit` from every query, less the given share of it for queries that ask something.
    fn parking(&mut self, logit: f64, asks: Mix<'_>) {
        let query: Vec<_> = [(Const, 1.0)].into_iter().chain(asks.iter().map(|&(f, share)| (f, -share))).collect();
        self.content(logit, &query, &ones(&[Bos]));
    }

    /// Kernel of the key alone: score += −13 sin(π j / 64), so that of equals the first mention wins. One dimension.
    fn earlier_first(&mut self) {
        self.q[[CONTENT.start + Const as usize, self.free]] = 13.0;
        self.k[[POSITION.start + 2 * 5 + 1, self.free]] = -Self::root();
        self.free += 1;
    }

    /// Values carry half of the identity code (8 of 16 dimensions), so that an output can be decoded to a word.
    fn carry_identity(&mut self, strength: f64) {
        for d in 0..D_HEAD {
            self.v[[IDENTITY.start + d, d]] = SQRT_2 * strength;
        }
    }

    /// Values carry these features as they are.
    fn carry_features(&mut self, features: &[Feature; D_HEAD]) {
        for (d, &feature) in features.iter().enumerate() {
            self.v[[CONTENT.start + feature as usize, d]] = 1.0;
        }
    }
}
