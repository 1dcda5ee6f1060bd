//! Four f32 at a time: simd128 on the page, a plain array elsewhere, with the same operations in the same order, so that
//! the host's tests see the page's bits.
//!
//! The page is built for size (`opt-level = "s"`), where loops are not vectorised for us; so the lanes are spelled out.

pub use imp::Lanes;

/// Numbers per [`Lanes`].
pub const WIDTH: usize = 4;

impl Lanes {
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

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod imp {
    use core::arch::wasm32::{
        f32x4_add, f32x4_div, f32x4_ge, f32x4_mul, f32x4_pmax, f32x4_splat, f32x4_sub, i32x4_add, i32x4_shl,
        i32x4_splat, v128, v128_and, v128_load, v128_store,
    };

    /// Four numbers in one simd128 register.
    #[derive(Clone, Copy, Debug)]
    pub struct Lanes(v128);

    impl Lanes {
        #[inline]
        pub fn splat(x: f32) -> Self {
            Self(f32x4_splat(x))
        }
        #[inline]
        #[expect(
            unsafe_code,
            reason = "the only way to load a register; the array is exactly the 16 bytes that are read"
        )]
        pub fn from_array(a: &[f32; 4]) -> Self {
            // SAFETY: `a` is valid for reading 16 bytes, and v128_load asks for no alignment.
            Self(unsafe { v128_load(a.as_ptr().cast()) })
        }
        #[inline]
        #[expect(unsafe_code, reason = "the only way to store a register; the array is exactly the 16 bytes written")]
        pub fn to_array(self) -> [f32; 4] {
            let mut a = [0.0; 4];
            // SAFETY: `a` is valid for writing 16 bytes, and v128_store asks for no alignment.
            unsafe { v128_store(a.as_mut_ptr().cast(), self.0) };
            a
        }
        #[inline]
        pub fn add(self, other: Self) -> Self {
            Self(f32x4_add(self.0, other.0))
        }
        #[inline]
        pub fn sub(self, other: Self) -> Self {
            Self(f32x4_sub(self.0, other.0))
        }
        #[inline]
        pub fn mul(self, other: Self) -> Self {
            Self(f32x4_mul(self.0, other.0))
        }
        #[inline]
        pub fn div(self, other: Self) -> Self {
            Self(f32x4_div(self.0, other.0))
        }
        #[inline]
        pub fn max(self, other: Self) -> Self {
            Self(f32x4_pmax(self.0, other.0))
        }
        #[inline]
        pub fn zero_below(self, x: Self, limit: f32) -> Self {
            Self(v128_and(self.0, f32x4_ge(x.0, f32x4_splat(limit))))
        }
        #[inline]
        pub fn power_of_two_from_low_bits(self) -> Self {
            Self(i32x4_add(i32x4_shl(self.0, 23), i32x4_splat(0x3f80_0000)))
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod imp {
    /// Four numbers.
    #[derive(Clone, Copy, Debug)]
    pub struct Lanes([f32; 4]);

    impl Lanes {
        /// The same number four times.
        #[inline]
        #[must_use]
        pub const fn splat(x: f32) -> Self {
            Self([x; 4])
        }
        /// Loads four numbers.
        #[inline]
        #[must_use]
        pub const fn from_array(a: &[f32; 4]) -> Self {
            Self(*a)
        }
        /// Stores four numbers.
        #[inline]
        #[must_use]
        pub const fn to_array(self) -> [f32; 4] {
            self.0
        }
        #[inline]
        fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
            Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
        }
        /// Lane by lane a + b.
        #[inline]
        #[must_use]
        pub fn add(self, other: Self) -> Self {
            self.zip(other, |a, b| a + b)
        }
        /// Lane by lane a − b.
        #[inline]
        #[must_use]
        pub fn sub(self, other: Self) -> Self {
            self.zip(other, |a, b| a - b)
        }
        /// Lane by lane a · b.
        #[inline]
        #[must_use]
        pub fn mul(self, other: Self) -> Self {
            self.zip(other, |a, b| a * b)
        }
        /// Lane by lane a ÷ b.
        #[inline]
        #[must_use]
        pub fn div(self, other: Self) -> Self {
            self.zip(other, |a, b| a / b)
        }
        /// Lane by lane b where a < b, else a (so a NaN in b is not taken).
        #[inline]
        #[must_use]
        pub fn max(self, other: Self) -> Self {
            self.zip(other, |a, b| if a < b { b } else { a })
        }
        /// Lane by lane this, but 0 where `x` is not at least `limit`.
        #[inline]
        #[must_use]
        pub fn zero_below(self, x: Self, limit: f32) -> Self {
            self.zip(x, |a, x| if x >= limit { a } else { 0.0 })
        }
        /// 2ⁿ, where n (−126 to 127) stands in the low bits of each number, as adding 1.5 · 2²³ puts it there.
        #[inline]
        #[must_use]
        pub fn power_of_two_from_low_bits(self) -> Self {
            Self(self.0.map(|x| f32::from_bits((x.to_bits() << 23).wrapping_add(0x3f80_0000))))
        }
    }
}
