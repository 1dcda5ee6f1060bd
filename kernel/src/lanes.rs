//! Four f32 at a time: simd128 on the page, a plain array elsewhere, with the same operations in the same order, so that
//! the host's tests see the page's bits.
//!
//! The lanes are spelled out: what a compiler vectorises by itself may change with its version, and the bits with it.

use core::ops::{Add, Div, Mul, Sub};

/// Numbers per [`Lanes`].
pub const WIDTH: usize = 4;

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
    pub fn zero_below(self, x: Self, limit: f32) -> Self {
        Self(four::zero_below(self.0, x.0, limit))
    }

    /// 2ⁿ, where n (−126 to 127) stands in the low bits of each number, as adding 1.5 · 2²³ puts it there.
    #[inline]
    #[must_use]
    pub fn power_of_two_from_low_bits(self) -> Self {
        Self(four::power_of_two_from_low_bits(self.0))
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
        let [a, b, c, d] = self.to_array();
        a.max(b).max(c.max(d))
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
        f32x4_add as add, f32x4_div as div, f32x4_mul as mul, f32x4_pmax as max, f32x4_splat as splat, f32x4_sub as sub,
    };
    use core::arch::wasm32::{
        f32x4_ge, f32x4_splat, i32x4_add, i32x4_shl, i32x4_splat, v128, v128_and, v128_load, v128_store,
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
    pub fn zero_below(a: Four, x: Four, limit: f32) -> Four {
        v128_and(a, f32x4_ge(x, f32x4_splat(limit)))
    }

    #[inline]
    pub fn power_of_two_from_low_bits(a: Four) -> Four {
        i32x4_add(i32x4_shl(a, 23), i32x4_splat(0x3f80_0000))
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
    pub fn zero_below(a: Four, x: Four, limit: f32) -> Four {
        zip(a, x, |a, x| if x >= limit { a } else { 0.0 })
    }

    #[inline]
    pub fn power_of_two_from_low_bits(a: Four) -> Four {
        a.map(|x| f32::from_bits((x.to_bits() << 23).wrapping_add(0x3f80_0000)))
    }
}
