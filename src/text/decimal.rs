//! Decimal numbers as links and people write them.
//!
//! The standard library's parser carries 10 kB of powers of ten, as much as a tenth of the whole page; this one does
//! the same for numbers of everyday size.

/// From here on one more digit might not fit 64 bits.
const FULL: u64 = 10_u64.pow(18);
/// 10^this still fits 64 bits.
const LARGEST_POWER: u32 = 19;

/// Reads `0.5`, `.5`, `-3`, `1e1`; `None` for everything else, also for `inf`, `NaN` and numbers too large for f64.
///
/// The nearest f64 for up to 19 significant digits and 19 decimals, so that what [`f64`]'s `Display` wrote of such a
/// number reads back as the same number. Beyond that within a few units in the last place; further digits are dropped.
#[must_use]
pub fn decimal(text: &str) -> Option<f64> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, mut exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (mut significand, mut any, mut point) = (0_u64, false, false);
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                any = true;
                let room = significand < FULL;
                if room {
                    significand = significand * 10 + u64::from(byte - b'0');
                }
                // A digit after the point makes the number ten times smaller, one dropped before it ten times larger.
                exponent = exponent.saturating_add(i32::from(!room) - i32::from(point));
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    if !any {
        return None;
    }
    let size = scaled(significand, exponent);
    size.is_finite().then_some(if negative { -size } else { size })
}

/// significand · 10^exponent
#[expect(clippy::cast_precision_loss, reason = "the conversions round to nearest, which is what is wanted")]
fn scaled(significand: u64, exponent: i32) -> f64 {
    if significand == 0 || exponent == 0 {
        return significand as f64;
    }
    if exponent < 0 && exponent.unsigned_abs() <= LARGEST_POWER {
        // A quotient of at least 64 bits whose lowest bit says whether anything was left rounds as the true one does.
        let divisor = u128::from(10_u64.pow(exponent.unsigned_abs()));
        let shift = u128::from(significand).leading_zeros();
        let dividend = u128::from(significand) << shift;
        let quotient = (dividend / divisor) | u128::from(dividend % divisor != 0);
        return quotient as f64 / 2_f64.powi(shift.cast_signed());
    }
    significand as f64 * 10_f64.powi(exponent)
}
