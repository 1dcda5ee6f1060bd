//! Comparison never lets a NaN or a wrong infinity pass; random numbers are the published SplitMix64.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use attention_lab::tensor::angle::cos_sin;
use attention_lab::tensor::compare::{Mismatch, all_close};
use attention_lab::tensor::random::SplitMix64;

#[test]
fn nan_never_passes() {
    for (got, want) in [(f64::NAN, 0.0), (0.0, f64::NAN), (f64::NAN, f64::NAN)] {
        assert!(all_close([got], [want], f64::INFINITY, 0.0).is_err(), "{got} passed for {want}");
        assert!(all_close([got], [want], 1e9, 1e9).is_err(), "{got} passed for {want}");
    }
}

#[test]
fn infinities_agree_only_with_themselves() {
    let infinity = f64::INFINITY;
    assert_eq!(all_close([infinity, -infinity], [infinity, -infinity], 0.0, 0.0), Ok(0.0));
    for (got, want) in [(infinity, -infinity), (infinity, 1.0), (1.0, infinity), (0.0, -infinity)] {
        assert!(all_close([got], [want], 1e300, 1.0).is_err(), "{got} passed for {want}");
    }
}

#[test]
fn tolerance_is_absolute_plus_relative_and_the_first_offender_is_named() {
    assert_eq!(all_close([1.0, 102.0], [1.0, 100.0], 1.0, 0.01), Ok(2.0));
    let far = all_close([1.0_f32, 103.0], [1.0_f64, 100.0], 1.0, 0.01);
    assert_eq!(far, Err(Mismatch::Element { index: 1, got: 103.0, want: 100.0, tolerance: 2.0 }));
    assert_eq!(far.unwrap_err().to_string(), "element 1: 103 is not within 2 of 100");
    assert_eq!(all_close([1.0], [1.0, 2.0], 1.0, 1.0), Err(Mismatch::Length { got: 1, want: 2 }));
}

#[test]
fn split_mix_is_the_published_sequence() {
    // First outputs of the reference implementation for seed 1234567.
    let mut random = SplitMix64::new(1_234_567);
    let drawn: Vec<u64> = (0..5).map(|_| random.next_u64()).collect();
    assert_eq!(
        drawn,
        [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821
        ]
    );
    let mut random = SplitMix64::new(7);
    assert!((0..1000).map(|_| random.next_unit()).all(|u| (0.0..1.0).contains(&u)));
}

#[test]
fn quarter_turns_agree_with_radians() {
    for step in -2000..2000 {
        let turns = f64::from(step) / 128.0;
        let (cos, sin) = cos_sin(turns);
        let angle = turns * std::f64::consts::FRAC_PI_2;
        assert!((cos - angle.cos()).abs() < 1e-14 && (sin - angle.sin()).abs() < 1e-14, "{turns}");
    }
    assert_eq!([0.0, 1.0, 2.0, -1.0, 4.0].map(cos_sin), [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)]);
}
