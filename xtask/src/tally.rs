//! How many tests a runner says it ran: cargo test, wasm-bindgen's runner and Node's.

/// Tests counted over runners and stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that were not run: cargo's ignored, Node's skipped.
    pub skipped: u64,
}

impl Tally {
    /// Adds what one line of a runner's output says; other lines say nothing.
    pub fn listen(&mut self, line: &str) {
        let line = &without_colours(line);
        if let Some(counts) = line.strip_prefix("test result: ") {
            // "ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out"
            let counts = counts.split_once(". ").map_or(counts, |(_, counts)| counts);
            for count in counts.split(';') {
                match count.trim().split_once(' ') {
                    Some((number, "passed")) => self.passed += number.parse().unwrap_or(0),
                    Some((number, "failed")) => self.failed += number.parse().unwrap_or(0),
                    Some((number, "ignored")) => self.skipped += number.parse().unwrap_or(0),
                    _ => {}
                }
            }
        } else if let Some(count) = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# ")) {
            match count.split_once(' ') {
                Some(("pass", number)) => self.passed += number.parse().unwrap_or(0),
                Some(("fail" | "cancelled", number)) => self.failed += number.parse().unwrap_or(0),
                Some(("skipped" | "todo", number)) => self.skipped += number.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// Adds another runner's counts.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// The closing line: `3 passed, 0 failed`, and the skipped if there are any.
    pub fn closing_line(self) -> String {
        let Self { passed, failed, skipped } = self;
        let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        format!("{passed} passed, {failed} failed{skipped}")
    }
}

/// A line without its terminal colours (`ESC [ … m`).
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let plain = parts.next().unwrap_or_default().to_owned();
    parts.fold(plain, |plain, part| plain + part.split_once('m').map_or(part, |(_, after)| after))
}
