//! f16 in f32's clothes: IEEE 754 binary16 by its bits.

/// The nearest f16 as an f32, ties to even; ∞ from 65,520 on, subnormal below 2^−14.
#[must_use]
pub fn round(x: f32) -> f32 {
    if !x.is_finite() {
        return x;
    }
    let bits = x.to_bits();
    let (sign, magnitude) = (bits & 0x8000_0000, bits & 0x7FFF_FFFF);
    // Below 2^−14 the steps are 2^−24 wide: what is added, 0.5, has just such steps in f32, so the sum rounds.
    if magnitude < 0x3880_0000 {
        let small = f32::from_bits(magnitude) + 0.5 - 0.5;
        return f32::from_bits(small.to_bits() | sign);
    }
    // 13 of the 23 bits go: half a step, less one unless the last bit that stays is odd.
    let odd = magnitude >> 13 & 1;
    let nearest = (magnitude + 0x0FFF + odd) & !0x1FFF;
    f32::from_bits(sign | if nearest >= 0x4780_0000 { 0x7F80_0000 } else { nearest })
}

/// [`round`], in place.
pub fn round_all(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|x| *x = round(*x));
}
