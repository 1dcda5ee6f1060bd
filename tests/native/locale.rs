//! Notices and errors as sentences, in both languages.

use attention_lab::attention::ProblemError;
use attention_lab::locale::notice::{notice, problem_error};
use attention_lab::state::Notice;
use attention_lab::state::notice::Given;
use attention_lab::text::Lang;

fn every_notice() -> Vec<Notice> {
    let given = || Given::new("GIVEN");
    let used = || Given::new("USED");
    vec![
        Notice::Version { given: given() },
        Notice::LinkTooLong { kept: 111, of: 222 },
        Notice::UnknownKeys { first: vec![given()], count: 333 },
        Notice::ReservedKeys { keys: vec!["present", "embed"] },
        Notice::Repeated { key: "KEY", used: used() },
        Notice::Unreadable { key: "KEY", given: given(), used: used() },
        Notice::Clamped { key: "KEY", given: given(), used: used() },
        Notice::NotYet { key: "KEY", given: given(), used: used() },
        Notice::BrokenEscapes { key: given() },
        Notice::WordsLeftOut { kept: 111, of: 222 },
        Notice::UnknownFeature { word: given(), feature: used() },
        Notice::SentenceTooLong { kept: 111, of: 222 },
        Notice::SentenceCut { kept: 111, of: 222 },
        Notice::NothingToRead,
        Notice::OnlyPadding { pad: 3 },
        Notice::BrokenCharacters { count: 333 },
        Notice::HeadTwoRepeats { tokens: 333, period: 111 },
        Notice::SelectionMoved { query: 111, key: 222, used_query: 333, used_key: 444 },
        Notice::CellsOutside { count: 333 },
        Notice::CellsDropped { count: 333 },
        Notice::NoWebGpu,
        Notice::NoAdapter,
        Notice::GpuFailed,
    ]
}

/// Every notice says its data: what was given, what is used, how many.
#[test]
fn every_notice_is_a_sentence_with_its_data() {
    let notices = every_notice();
    let mut codes: Vec<_> = notices.iter().map(Notice::code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), notices.len(), "each has its own code");
    for value in notices {
        let debug = format!("{value:?}");
        for (lang, end) in [(Lang::Zh, '。'), (Lang::En, '.')] {
            let sentence = notice(lang, &value);
            assert!(sentence.ends_with(end) && sentence.chars().count() > 12, "{sentence}");
            for datum in ["GIVEN", "USED", "KEY", "111", "222", "333", "444", "present", "embed"] {
                assert_eq!(debug.contains(datum), sentence.contains(datum), "{datum} of {debug}: {sentence}");
            }
        }
        let (zh, en) = (notice(Lang::Zh, &value), notice(Lang::En, &value));
        assert!(
            zh.chars().any(|c| ('一'..='龥').contains(&c)) && !en.chars().any(|c| ('一'..='龥').contains(&c)),
            "{en}"
        );
    }
}

#[test]
fn every_error_is_a_sentence_with_its_data() {
    for (error, data) in [
        (ProblemError::Shape { what: "W_Q", got: vec![2, 3], want: vec![64, 8] }, vec!["W_Q", "[2, 3]", "[64, 8]"]),
        (ProblemError::Empty { what: "q" }, vec!["q"]),
        (ProblemError::NotFinite { what: "v", index: 17 }, vec!["v", "17"]),
        (ProblemError::Temperature { got: -2.5 }, vec!["−2.50"]),
        (ProblemError::Scale { got: f32::INFINITY }, vec!["∞"]),
    ] {
        for lang in [Lang::Zh, Lang::En] {
            let sentence = problem_error(lang, &error);
            assert!(data.iter().all(|datum| sentence.contains(datum)), "{sentence}");
            assert!(sentence.ends_with(['。', '.']), "{sentence}");
        }
    }
}

#[test]
fn quotes_stay_short_and_clean() {
    assert_eq!(Given::new("a\u{0}b\n").as_str(), "ab");
    assert_eq!(Given::new(&"猫".repeat(40)).as_str().chars().count(), 40);
    let cut = Given::new(&"猫".repeat(41));
    assert!(cut.as_str().chars().count() == 40 && cut.as_str().ends_with('…'));
}
