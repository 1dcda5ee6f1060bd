//! Cells of a map: numbers to entries of a colour scale, entries to pixels.

/// Ends and marks of a colour scale with entries 0 to `top`.
#[derive(Clone, Copy, Debug)]
pub struct Ramp {
    /// Value of entry 0.
    pub low: f32,
    /// Value of entry `top`; where it is not above `low`, or not finite, values above `low` get `top`.
    pub high: f32,
    /// The last entry.
    pub top: u8,
    /// What a NaN becomes.
    pub nan: u8,
}

impl Ramp {
    /// The nearest entry of one value; values outside, and infinities, take the end.
    #[must_use]
    #[inline]
    pub fn entry(&self, value: f32) -> u8 {
        if value.is_nan() {
            return self.nan;
        }
        // f64 keeps high − low finite for every pair of finite f32.
        let (value, low, high) = (f64::from(value), f64::from(self.low), f64::from(self.high));
        if value <= low {
            return 0;
        }
        if !(low.is_finite() && high.is_finite() && high > low) || value >= high {
            return self.top;
        }
        nearest((value - low) / (high - low), self.top)
    }
}

/// The entry nearest to a share from 0 to 1 of a scale that ends at `top`.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and top, and casts saturate")]
pub fn nearest(share: f64, top: u8) -> u8 {
    ((share * f64::from(top) + 0.5) as u8).min(top)
}

/// entries_i = the entry of values_i, as far as both go.
#[inline(never)]
pub fn entries(ramp: &Ramp, values: &[f32], entries: &mut [u8]) {
    // The scale of weights, 0 to 1, needs no division; casts saturate, and clamping keeps what lies outside at the ends.
    if ramp.low == 0.0 && ramp.high == 1.0 {
        for (entry, &value) in entries.iter_mut().zip(values) {
            *entry = if value.is_nan() { ramp.nan } else { nearest(f64::from(value.clamp(0.0, 1.0)), ramp.top) };
        }
        return;
    }
    for (entry, &value) in entries.iter_mut().zip(values) {
        *entry = ramp.entry(value);
    }
}

/// pixels_i = colours[entries_i], RGBA, as far as both go.
#[inline(never)]
pub fn pixels(colours: &[[u8; 4]; 256], entries: &[u8], pixels: &mut [u8]) {
    for (pixel, &entry) in pixels.as_chunks_mut::<4>().0.iter_mut().zip(entries) {
        *pixel = colours[usize::from(entry)];
    }
}
