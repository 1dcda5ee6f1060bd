//! THE SPEED: engines answer a problem with a trace.
//!
//! Owns the [`Engine`] trait, the engines, and the choice between them. An engine shares no code with the oracle that
//! checks it. What a GPU is to do is planned in [`webgpu`]; who does it is the web room's executor, which answers later.

pub mod choice;
pub mod cpu;
pub mod long;
pub mod webgpu;

use crate::attention::{Problem, ProblemError, Stage, Trace};
use std::rc::Rc;

/// Which stages a caller will read. Row statistics are always computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    stages: [bool; Stage::ALL.len()],
}

impl Want {
    /// Every stage.
    #[must_use]
    pub const fn everything() -> Self {
        Self { stages: [true; Stage::ALL.len()] }
    }

    /// Only these stages.
    #[must_use]
    pub fn only(stages: &[Stage]) -> Self {
        let mut want = Self { stages: [false; Stage::ALL.len()] };
        for &stage in stages {
            want.stages[stage as usize] = true;
        }
        want
    }

    /// Whether `stage` was asked for.
    #[must_use]
    pub const fn has(&self, stage: Stage) -> bool {
        self.stages[stage as usize]
    }
}

/// Counts runs; the answer with the latest generation wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Generation(pub u64);

/// What an engine answers, at once or later, in one or several parts.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The run it belongs to.
    pub generation: Generation,
    /// The stages computed so far; those not wanted are absent.
    pub trace: Rc<Trace<f32>>,
    /// Whether more parts of the same generation follow.
    pub more: bool,
}

/// Computes traces within a call. (A GPU answers after it: its engine is a future of a trace.) An engine may keep what it computed to answer the next problem faster; never to answer it differently.
pub trait Engine {
    /// A short name for the status line: `cpu`.
    fn name(&self) -> &'static str;

    /// Computes `problem` and hands every part of the answer to `receive`, the last with `more == false`.
    ///
    /// # Errors
    /// [`ProblemError`] when shapes do not agree or a number is out of range; nothing is computed and `receive` is not called.
    fn run(
        &mut self,
        problem: &Problem,
        want: &Want,
        generation: Generation,
        receive: &mut dyn FnMut(Answer),
    ) -> Result<(), ProblemError>;
}
