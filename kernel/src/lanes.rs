//! Four f32 at a time: simd128 on the page, a plain array elsewhere, with the same operations in the same order, so that
//! the host's tests see the page's bits.
//!
//! The lanes are spelled out: what a compiler vectorises by itself may change with its version, and the bits with it.

use core::ops::{Add, Div, Mul, Sub};

/// Numbers per [`Lanes`].
pub const WIDTH: usize = 4;

/// The bits of √½: an exponent counted from there is that of a number between √½ and √2.
const SQRT_HALF: i32 = core::f32::consts::FRAC_1_SQRT_2.to_bits().cast_signed();

/// Four numbers, in one register where there is one.
#[derive(Clone, Copy, Debug)]
pub struct Lanes(four::Four);

impl Lanes {
    /// The same number four times.
    #[inline]
    #[must_use]
    pub fn splat(x: f32) -> Self {
        Self(four::splat(x))
    }

    /// Loads four numbers.
    #[inline]
    #[must_use]
    pub fn from_array(a: &[f32; WIDTH]) -> Self {
        Self(four::load(a))
    }

    /// Stores four numbers.
    #[inline]
    #[must_use]
    pub fn to_array(self) -> [f32; WIDTH] {
        four::store(self.0)
    }

    /// Lane by lane b where a < b, else a (so a NaN in b is not taken).
    #[inline]
    #[must_use]
    pub fn max(self, b: Self) -> Self {
        Self(four::max(self.0, b.0))
    }

    /// Lane by lane this, but 0 where `x` is not at least `limit`.
    #[inline]
    #[must_use]
    pub fn zero_below(self, x: Self, limit: Self) -> Self {
        Self(four::zero_below(self.0, x.0, limit.0))
    }

    /// self · b + c; rounded once instead of twice where the module is built with relaxed SIMD.
    #[inline]
    #[must_use]
    pub fn times_plus(self, b: Self, c: Self) -> Self {
        Self(four::times_plus(self.0, b.0, c.0))
    }

    /// Rows become columns.
    #[inline]
    #[must_use]
    pub fn transpose(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        four::transpose(rows.map(|row| row.0)).map(Self)
    }

    /// This, times 2ⁿ, where n stands in the low bits of each number of `n`, as adding 1.5 · 2²³ puts it there.
    /// The product is a normal number: n is added to the exponent.
    #[inline]
    #[must_use]
    pub fn times_two_to_low_bits(self, n: Self) -> Self {
        Self(four::times_two_to_low_bits(self.0, n.0))
    }

    /// n and m with 2ⁿ·m = the number and m from √½ to √2, for normal positive numbers.
    #[inline]
    #[must_use]
    pub fn split(self) -> (Self, Self) {
        let (n, m) = four::split(self.0);
        (Self(n), Self(m))
    }

    /// a₀ + a₁ + a₂ + a₃, in a fixed order.
    #[inline]
    #[must_use]
    pub fn sum(self) -> f32 {
        let [a, b, c, d] = self.to_array();
        (a + b) + (c + d)
    }

    /// The largest of the four.
    #[inline]
    #[must_use]
    pub fn largest(self) -> f32 {
        // Across registers: comparing numbers one by one would branch, and guess wrong.
        let pairs = self.max(Self(four::swap_halves(self.0)));
        let [largest, ..] = pairs.max(Self(four::swap_neighbours(pairs.0))).to_array();
        largest
    }

    /// Every bit that is set in one of the two.
    #[inline]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(four::or(self.0, other.0))
    }

    /// Whether a bit is set.
    #[inline]
    #[must_use]
    pub fn has_a_bit(self) -> bool {
        four::has_a_bit(self.0)
    }
}

macro_rules! lane_by_lane {
    ($($operator:ident $function:ident),*) => {$(
        impl $operator for Lanes {
            type Output = Self;
            #[inline]
            fn $function(self, other: Self) -> Self {
                Self(four::$function(self.0, other.0))
            }
        }
    )*};
}
lane_by_lane!(Add add, Sub sub, Mul mul, Div div);

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod four {
    pub use core::arch::wasm32::{
        f32x4_add as add, f32x4_div as div, f32x4_mul as mul, f32x4_pmax as max, f32x4_splat as splat,
        f32x4_sub as sub, v128_any_true as has_a_bit, v128_or as or,
    };
    use core::arch::wasm32::{
        f32x4_convert_i32x4, f32x4_ge, i32x4_add, i32x4_shl, i32x4_shr, i32x4_shuffle, i32x4_splat, i32x4_sub, v128,
        v128_and, v128_load, v128_store,
    };

    pub type Four = v128;

    #[inline]
    #[expect(unsafe_code, reason = "the only way to load a register; the array is exactly the 16 bytes that are read")]
    pub fn load(a: &[f32; 4]) -> Four {
        // SAFETY: `a` is valid for reading 16 bytes, and v128_load asks for no alignment.
        unsafe { v128_load(a.as_ptr().cast()) }
    }

    #[inline]
    #[expect(unsafe_code, reason = "the only way to store a register; the array is exactly the 16 bytes written")]
    pub fn store(four: Four) -> [f32; 4] {
        let mut a = [0.0; 4];
        // SAFETY: `a` is valid for writing 16 bytes, and v128_store asks for no alignment.
        unsafe { v128_store(a.as_mut_ptr().cast(), four) };
        a
    }

    #[inline]
    pub fn times_plus(a: Four, b: Four, c: Four) -> Four {
        #[cfg(target_feature = "relaxed-simd")]
        return core::arch::wasm32::f32x4_relaxed_madd(a, b, c);
        #[cfg(not(target_feature = "relaxed-simd"))]
        add(mul(a, b), c)
    }

    #[inline]
    pub fn transpose([a, b, c, d]: [Four; 4]) -> [Four; 4] {
        let (ab_low, ab_high) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
        let (cd_low, cd_high) = (i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
        let (low, high) = (i32x4_shuffle::<0, 1, 4, 5>, i32x4_shuffle::<2, 3, 6, 7>);
        [low(ab_low, cd_low), high(ab_low, cd_low), low(ab_high, cd_high), high(ab_high, cd_high)]
    }

    #[inline]
    pub fn zero_below(a: Four, x: Four, limit: Four) -> Four {
        v128_and(a, f32x4_ge(x, limit))
    }

    #[inline]
    pub fn times_two_to_low_bits(a: Four, n: Four) -> Four {
        i32x4_add(a, i32x4_shl(n, 23))
    }

    #[inline]
    pub fn split(a: Four) -> (Four, Four) {
        let above = i32x4_sub(a, i32x4_splat(super::SQRT_HALF));
        let n = i32x4_shr(above, 23);
        (f32x4_convert_i32x4(n), i32x4_sub(a, i32x4_shl(n, 23)))
    }

    #[inline]
    pub fn swap_halves(a: Four) -> Four {
        i32x4_shuffle::<2, 3, 0, 1>(a, a)
    }

    #[inline]
    pub fn swap_neighbours(a: Four) -> Four {
        i32x4_shuffle::<1, 0, 3, 2>(a, a)
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod four {
    pub type Four = [f32; 4];

    #[inline]
    pub fn splat(x: f32) -> Four {
        [x; 4]
    }

    #[inline]
    pub fn load(a: &[f32; 4]) -> Four {
        *a
    }

    #[inline]
    pub fn store(a: Four) -> [f32; 4] {
        a
    }

    #[inline]
    fn zip(a: Four, b: Four, f: impl Fn(f32, f32) -> f32) -> Four {
        core::array::from_fn(|lane| f(a[lane], b[lane]))
    }

    #[inline]
    pub fn add(a: Four, b: Four) -> Four {
        zip(a, b, |a, b| a + b)
    }

    #[inline]
    pub fn sub(a: Four, b: Four) -> Four {
        zip(a, b, |a, b| a - b)
    }

    #[inline]
    pub fn mul(a: Four, b: Four) -> Four {
        zip(a, b, |a, b| a * b)
    }

    #[inline]
    pub fn div(a: Four, b: Four) -> Four {
        zip(a, b, |a, b| a / b)
    }

    #[inline]
    pub fn max(a: Four, b: Four) -> Four {
        zip(a, b, |a, b| if a < b { b } else { a })
    }

    #[inline]
    pub fn times_plus(a: Four, b: Four, c: Four) -> Four {
        add(mul(a, b), c)
    }

    #[inline]
    pub fn transpose(rows: [Four; 4]) -> [Four; 4] {
        core::array::from_fn(|column| rows.map(|row| row[column]))
    }

    #[inline]
    pub fn zero_below(a: Four, x: Four, limit: Four) -> Four {
        core::array::from_fn(|lane| if x[lane] >= limit[lane] { a[lane] } else { 0.0 })
    }

    #[inline]
    pub fn times_two_to_low_bits(a: Four, n: Four) -> Four {
        zip(a, n, |a, n| f32::from_bits(a.to_bits().wrapping_add(n.to_bits() << 23)))
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "an exponent has eight bits")]
    pub fn split(a: Four) -> (Four, Four) {
        let n = a.map(|x| x.to_bits().cast_signed().wrapping_sub(super::SQRT_HALF) >> 23);
        let m = core::array::from_fn(|lane| {
            f32::from_bits(a[lane].to_bits().wrapping_sub((n[lane] << 23).cast_unsigned()))
        });
        (n.map(|n| n as f32), m)
    }

    #[inline]
    pub fn or(a: Four, b: Four) -> Four {
        zip(a, b, |a, b| f32::from_bits(a.to_bits() | b.to_bits()))
    }

    #[inline]
    pub fn has_a_bit(a: Four) -> bool {
        a.iter().any(|x| x.to_bits() != 0)
    }

    #[inline]
    pub fn swap_halves([a, b, c, d]: Four) -> Four {
        [c, d, a, b]
    }

    #[inline]
    pub fn swap_neighbours([a, b, c, d]: Four) -> Four {
        [b, a, d, c]
    }
}
