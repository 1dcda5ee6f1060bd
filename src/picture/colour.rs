//! Colour values: two palettes, three scales of each, and readability. Owns no meaning (see `scene::Tone`).
//!
//! Scales are interpolated in OKLab (Björn Ottosson, 2020), where equal steps look equal, so lightness alone carries
//! the order: for colour-blind readers, on a projector and on paper.

use std::sync::LazyLock;

use super::scale::{FORBIDDEN, NOT_A_NUMBER, NOTHING, ScaleName, TOP};
use super::scene::Tone;

/// An opaque sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// From `0xRRGGBB`.
    const fn hex(value: u32) -> Self {
        let [_, red, green, blue] = value.to_be_bytes();
        Self(red, green, blue)
    }

    /// `#rrggbb`, as CSS and SVG write it.
    pub fn to_css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Red, green and blue as amounts of light, 0 to 1.
    fn linear(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|byte| {
            let c = f64::from(byte) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { power((c + 0.055) / 1.055, 2.4) }
        })
    }

    /// The nearest colour to amounts of light.
    fn from_linear(linear: [f64; 3]) -> Self {
        let [red, green, blue] = linear.map(|c| {
            let c = c.clamp(0.0, 1.0);
            let s = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * power(c, 1.0 / 2.4) - 0.055 };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "s is between 0 and 1")]
            let byte = (s * 255.0).round() as u8;
            byte
        });
        Self(red, green, blue)
    }

    /// Relative luminance as WCAG 2 defines it, 0 to 1.
    pub fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Lightness, green–red and blue–yellow in OKLab; lightness is 0 to 1.
    pub fn to_oklab(self) -> [f64; 3] {
        let [r, g, b] = self.linear();
        let l = power(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b, 1.0 / 3.0);
        let m = power(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b, 1.0 / 3.0);
        let s = power(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b, 1.0 / 3.0);
        [
            0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        ]
    }

    /// The inverse of [`Rgb::to_oklab`], to the nearest byte.
    fn from_oklab([lightness, a, b]: [f64; 3]) -> Self {
        let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        Self::from_linear([
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ])
    }
}

/// x^exponent for x ≥ 0, by two functions that the page has anyway: a general power is as long as both.
fn power(x: f64, exponent: f64) -> f64 {
    (x.ln() * exponent).exp()
}

/// Contrast of two colours as WCAG 2 defines it, 1 to 21.
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (a.luminance() + 0.05, b.luminance() + 0.05);
    a.max(b) / a.min(b)
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Theme {
    /// Dark ink on a light ground.
    #[default]
    Light,
    /// Light ink on a dark ground.
    Dark,
}

/// A colour scale with the text colour for each of its entries.
#[derive(Clone, Debug, PartialEq)]
struct Scale {
    colours: [Rgb; 256],
    texts: [Rgb; 256],
}

/// The values of all tones in one theme.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    background: Rgb,
    foreground: Rgb,
    muted: Rgb,
    line: Rgb,
    soft: Rgb,
    accent: Rgb,
    warning: Rgb,
    blue: Rgb,
    sequential: Scale,
    diverging: Scale,
    leak: Scale,
}

/// What a palette is made of, before its scales are interpolated.
struct Recipe {
    tones: [u32; 8],
    forbidden: u32,
    sequential: [u32; 5],
    negative: [u32; 4],
    leak: [u32; 3],
}

static LIGHT: LazyLock<Palette> = LazyLock::new(|| {
    Palette::cook(&Recipe {
        // Muted is a touch darker than #6d737b, which misses 4.5 : 1 on the soft ground.
        tones: [0xfdfcfa, 0x20242a, 0x686e76, 0xe5e2db, 0xf5f3ee, 0xc23b22, 0x9a5200, 0x1f4a86],
        forbidden: 0xefece6,
        sequential: [0xfaf9f6, 0xcddce8, 0x7ea6c6, 0x3a6898, 0x142e5c],
        negative: [0x5e330c, 0x97632f, 0xc79e72, 0xebdcc9],
        leak: [0xf6d9a8, 0xe39a35, 0x9a5200],
    })
});

static DARK: LazyLock<Palette> = LazyLock::new(|| {
    Palette::cook(&Recipe {
        tones: [0x14171b, 0xe6e8eb, 0x8d939b, 0x2a2e35, 0x1b1f24, 0xff7a5c, 0xffb454, 0x7fb2e6],
        forbidden: 0x23272e,
        sequential: [0x1b1e23, 0x243a54, 0x346896, 0x6eaacd, 0xe2f0f8],
        negative: [0xf8e6cf, 0xcf9e67, 0x8f6231, 0x4a3520],
        leak: [0x4d3616, 0x9c6a22, 0xffb454],
    })
});

impl Palette {
    /// The palette of a theme.
    pub fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    /// The value of a tone.
    pub fn colour(&self, tone: Tone) -> Rgb {
        match tone {
            Tone::Foreground => self.foreground,
            Tone::Muted => self.muted,
            Tone::Line => self.line,
            Tone::Background => self.background,
            Tone::Soft => self.soft,
            Tone::Accent => self.accent,
            Tone::Warning => self.warning,
            Tone::Blue => self.blue,
            Tone::Scale(name, index) => self.lut(name)[usize::from(index)],
            Tone::OnScale(name, index) => self.scale(name).texts[usize::from(index)],
        }
    }

    /// All entries of a scale, for a painter that colours pixels itself. The entry of [`NOTHING`] must not be painted.
    pub fn lut(&self, name: ScaleName) -> &[Rgb; 256] {
        &self.scale(name).colours
    }

    fn scale(&self, name: ScaleName) -> &Scale {
        match name {
            ScaleName::Sequential => &self.sequential,
            ScaleName::Diverging => &self.diverging,
            ScaleName::Leak => &self.leak,
        }
    }

    fn cook(recipe: &Recipe) -> Self {
        let [background, foreground, muted, line, soft, accent, warning, blue] = recipe.tones.map(Rgb::hex);
        let forbidden = Rgb::hex(recipe.forbidden);
        let scale = |stops: &[Rgb]| {
            let mut colours = [background; 256];
            for index in 0..=TOP {
                colours[usize::from(index)] = interpolated(stops, f64::from(index) / f64::from(TOP));
            }
            colours[usize::from(NOTHING)] = background;
            colours[usize::from(FORBIDDEN)] = forbidden;
            colours[usize::from(NOT_A_NUMBER)] = warning;
            // The page's own ink where it can be read, else pure black or white: one of these always can.
            let (black, white) = (Rgb(0, 0, 0), Rgb(255, 255, 255));
            let texts = colours.map(|ground| {
                let readable = [foreground, background, white, black].into_iter().find(|&t| contrast(t, ground) >= 4.5);
                readable.unwrap_or(if contrast(white, ground) > contrast(black, ground) { white } else { black })
            });
            Scale { colours, texts }
        };
        let sequential = recipe.sequential.map(Rgb::hex);
        let mut both_signs = recipe.negative.map(Rgb::hex).to_vec();
        both_signs.extend(sequential);
        Self {
            background,
            foreground,
            muted,
            line,
            soft,
            accent,
            warning,
            blue,
            sequential: scale(&sequential),
            diverging: scale(&both_signs),
            leak: scale(&recipe.leak.map(Rgb::hex)),
        }
    }
}

/// The colour a share of the way (0 to 1) along equally spaced stops, straight between stops in OKLab.
fn interpolated(stops: &[Rgb], share: f64) -> Rgb {
    let spans = stops.len().saturating_sub(1);
    let along = share.clamp(0.0, 1.0) * spans as f64;
    let mut left = 0;
    while left + 1 < spans && (left + 1) as f64 <= along {
        left += 1;
    }
    let (Some(&from), Some(&to)) = (stops.get(left), stops.get(left + 1)) else {
        return stops.first().copied().unwrap_or(Rgb(0, 0, 0));
    };
    let part = along - left as f64;
    let (from, to) = (from.to_oklab(), to.to_oklab());
    Rgb::from_oklab([0, 1, 2].map(|i| from[i] + part * (to[i] - from[i])))
}
