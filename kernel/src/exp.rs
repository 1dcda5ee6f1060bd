//! exp for softmax: arguments at or below 0, four at a time.

use crate::lanes::Lanes;

/// ln 2⁻¹²⁶: below it exp is smaller than every normal f32, and taken as exactly 0.
pub const SMALLEST: f32 = -87.336_54;

/// 1.5 · 2²³: adding it rounds a small number to an integer, which then stands in the low bits of the sum.
const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts: the first has few bits, so that n · LN_2_HIGH is exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// exp(r) ≈ 1 + r·P(r) on |r| ≤ ln 2 / 2, highest power first: the polynomial whose largest relative error, 9.2e-8, is
/// smallest.
const P: [f32; 5] = [8.290_272e-3, 4.189_816e-2, 0.166_676_39, 0.499_991_48, 0.999_999_7];

/// The constants of [`exp4`], loaded once before a loop.
///
/// Written into the loop as they are, a browser would make each of them anew from two halves for every four numbers,
/// which takes longer than the arithmetic; what is loaded it keeps in registers or on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Exp {
    smallest: Lanes,
    log2_e: Lanes,
    round: Lanes,
    minus_ln_2_high: Lanes,
    minus_ln_2_low: Lanes,
    p: [Lanes; 6],
}

impl Exp {
    /// Loads the constants.
    #[inline(always)]
    pub fn new() -> Self {
        static ALL: [f32; 11] =
            [SMALLEST, core::f32::consts::LOG2_E, ROUND, -LN_2_HIGH, -LN_2_LOW, P[0], P[1], P[2], P[3], P[4], 1.0];
        let all = core::hint::black_box(&ALL);
        let [smallest, log2_e, round, minus_ln_2_high, minus_ln_2_low, p0, p1, p2, p3, p4, one] = all.map(Lanes::splat);
        Self { smallest, log2_e, round, minus_ln_2_high, minus_ln_2_low, p: [p0, p1, p2, p3, p4, one] }
    }

    /// e^x for x ≤ 0, relative error below 3e-7; exactly 1 at 0, exactly 0 below [`SMALLEST`].
    ///
    /// x = n ln 2 + r with integer n, so e^x = 2ⁿ e^r: a polynomial in r, and n put into the exponent bits.
    #[inline(always)]
    pub fn of(&self, x: Lanes) -> Lanes {
        self.with_inside(x).0
    }

    /// The same, and x where it is at least [`SMALLEST`], which is what it becomes elsewhere.
    #[inline(always)]
    pub fn with_inside(&self, x: Lanes) -> (Lanes, Lanes) {
        // Far below the limit n would not fit into the exponent; the result there is replaced by 0 at the end.
        let inside = x.max(self.smallest);
        let shifted = inside.times_plus(self.log2_e, self.round);
        let n = shifted - self.round;
        let r = n.times_plus(self.minus_ln_2_low, n.times_plus(self.minus_ln_2_high, inside));
        let [first, rest @ ..] = self.p;
        let p = rest.into_iter().fold(first, |p, coefficient| p.times_plus(r, coefficient));
        (p.times_two_to_low_bits(shifted).zero_below(x, self.smallest), inside)
    }
}

/// The same of one number, with the same bits.
#[must_use]
pub fn exp(x: f32) -> f32 {
    Exp::new().of(Lanes::splat(x)).to_array()[0]
}
