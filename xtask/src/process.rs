//! Running other programs: where they are found, in which environment they run, and what is said when they fail.

use std::ffi::OsString;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A sentence for the person at the keyboard: what went wrong and, where it is known, what to do.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// A failure with its sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// A failure that the person has already read about.
    pub fn said() -> Self {
        Self(String::new())
    }

    /// Whether its sentence has already been printed.
    pub fn is_said(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The project's folder and the search path on which its own tools come first.
pub struct Shop {
    /// The repository's root.
    pub root: PathBuf,
    path: OsString,
}

impl Shop {
    /// Finds the repository: the one that cargo runs this program in, or else the one that it was built from.
    pub fn open() -> Self {
        let own = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let own = Path::new(&own);
        let root = own.parent().unwrap_or(own).to_path_buf();
        let folders = [root.join("target/tools/bin"), root.join("tests/e2e/node_modules/.bin")];
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&inherited)));
        Self { root, path: path.unwrap_or(inherited) }
    }

    /// Where tools go that must not replace a person's own.
    pub fn tools(&self) -> PathBuf {
        self.root.join("target/tools")
    }

    /// The Node side: its package.json, lock file and tests.
    pub fn e2e(&self) -> PathBuf {
        self.root.join("tests/e2e")
    }

    /// A program to be run in the repository's root.
    pub fn command(&self, program: &str) -> Command {
        // Windows starts only .exe files by bare name; Node's and pip's commands are others.
        let found = self.find(program);
        let mut command = Command::new(found.as_deref().unwrap_or(Path::new(program)));
        command.current_dir(&self.root).env("PATH", &self.path);
        // An environment RUSTFLAGS would replace .cargo/config.toml's flags, and simd128 would silently vanish.
        for replaces_flags in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS"]
        {
            command.env_remove(replaces_flags);
        }
        // Trunk 0.21 takes NO_COLOR=1 for a wrong argument and stops.
        command.env_remove("NO_COLOR");
        command
    }

    /// The full path of a program, if it is there.
    pub fn find(&self, program: &str) -> Option<PathBuf> {
        let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
        std::env::split_paths(&self.path)
            .flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{program}{ending}"))))
            .find(|candidate| candidate.is_file())
    }

    /// What a program prints, or nothing when it is missing or fails.
    pub fn ask(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = self.command(program).args(arguments).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs a command to its end, its output going where ours goes.
    ///
    /// # Errors
    /// When it can't be started or says that it failed.
    pub fn run(&self, command: &mut Command) -> Result<(), Failure> {
        let status = command.status().map_err(|error| not_started(command, &error))?;
        if status.success() { Ok(()) } else { Err(ended(command, &status.to_string())) }
    }

    /// Runs a command to its end, showing each line of its standard output at once and handing it to `listen`.
    ///
    /// # Errors
    /// As [`Shop::run`].
    pub fn run_listening(&self, command: &mut Command, mut listen: impl FnMut(&str)) -> Result<(), Failure> {
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(command, &error))?;
        if let Some(stdout) = child.stdout.take() {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line);
                print!("{text}");
                listen(text.trim_end());
                line.clear();
            }
        }
        let status = child.wait().map_err(|error| not_started(command, &error))?;
        if status.success() { Ok(()) } else { Err(ended(command, &status.to_string())) }
    }
}

fn spoken(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default().to_string_lossy();
    command.get_args().fold(program.into_owned(), |line, argument| line + " " + &argument.to_string_lossy())
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{}` could not be run: {error}.", spoken(command)))
}

fn ended(command: &Command, status: &str) -> Failure {
    Failure::new(format!("`{}` ended with {status}.", spoken(command)))
}
