//! The CPU engine: f32, whole sentence at once, four lanes at a time.
//!
//! Owns the [`CpuEngine`] and what it remembers of its last problem, so that a change costs only the stages from the
//! first one that it touches. The loops over numbers are the crate `attention-kernel`'s. Owns no formula that the oracle
//! could share.

mod field;
mod permitted;
mod rows;
mod stages;

use super::{Answer, Engine, Generation, Want};
use crate::attention::{Held, Mask, Problem, ProblemError, Trace};
use crate::tensor::Heads;
use rows::Buffers;
use stages::Stages;
use std::rc::Rc;

/// Raw scores are kept for the next run up to this many (16 MB): far above any sentence, below what a long text needs.
const KEEP_RAW: usize = 1 << 22;

/// Computes on the CPU, at once, in one part.
///
/// Remembers the stages of the last problem. Arrays are recognised by their `Rc`, so a caller that keeps its `Rc`s gets
/// the projections and raw scores for free; the numbers are the same bits either way.
#[derive(Debug)]
pub struct CpuEngine {
    keep_raw: usize,
    last: Option<Last>,
    buffers: Buffers,
}

#[derive(Debug)]
struct Last {
    problem: Problem,
    stages: Stages,
}

impl CpuEngine {
    /// An engine that remembers nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::keeping(KEEP_RAW)
    }

    /// The same, keeping raw scores between runs only when there are at most `cells` of them (or they are wanted).
    #[must_use]
    pub fn keeping(cells: usize) -> Self {
        Self { keep_raw: cells, last: None, buffers: Buffers::default() }
    }

    /// Takes back a trace that has been read: its largest arrays serve the next problem of the same sizes as memory. What
    /// was remembered of the last problem is forgotten.
    pub fn recycle(&mut self, trace: Rc<Trace<f32>>) {
        self.last = None;
        let Some(layer) = Rc::try_unwrap(trace).ok().and_then(|trace| trace.layers.into_iter().next()) else { return };
        self.buffers.weights = memory_of(layer.weights);
        self.buffers.head_output = memory_of(layer.head_output);
    }

    /// Stages of the last problem that hold for this one too, checked; or fresh ones.
    fn start(&mut self, problem: &Problem) -> Result<Stages, ProblemError> {
        // Taken, not borrowed: after an error nothing half-done is remembered.
        if let Some(Last { problem: last, mut stages }) = self.last.take()
            && last.source.is_same(&problem.source)
        {
            // The source was checked when it first came, and what is behind an `Rc` has not changed since.
            problem.check_parameters(&stages.shape)?;
            let same_scale = last.scale.to_bits() == problem.scale.to_bits();
            let same_temperature = last.temperature.to_bits() == problem.temperature.to_bits();
            if !same_scale {
                stages.scaled = None;
            }
            if !(same_scale && same_temperature) {
                stages.tempered = None;
            }
            if !(same_scale && same_temperature && is_same(&last.mask, &problem.mask)) {
                stages.forget_rows();
            }
            return Ok(stages);
        }
        Stages::project(&problem.source, problem.shape()?)
    }
}

impl Default for CpuEngine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for CpuEngine {
    fn name(&self) -> &'static str {
        "cpu"
    }

    /// Computes `problem` at once, in one part.
    ///
    /// # Errors
    /// Besides what [`Problem::shape`] refuses: [`ProblemError::NotFinite`] for `q`, `k`, `v`, `scores` or `output`
    /// when finite inputs are so large that f32 overflows. So a trace holds no NaN,
    /// and no infinity but the −∞ that marks forbidden cells. A problem with a method of its own is not refused for its
    /// numbers: there a NaN may be what is to be seen.
    fn run(
        &mut self,
        problem: &Problem,
        want: &Want,
        generation: Generation,
        receive: &mut dyn FnMut(Answer),
    ) -> Result<(), ProblemError> {
        if let Some(method) = problem.departure() {
            let trace = Rc::new(field::trace(problem, method, want)?);
            receive(Answer { generation, trace, more: false });
            return Ok(());
        }
        let mut stages = self.start(problem)?;
        stages.compute(problem, want, self.keep_raw, &mut self.buffers)?;
        let trace = Rc::new(stages.trace(&problem.source, want));
        self.last = Some(Last { problem: problem.clone(), stages });
        receive(Answer { generation, trace, more: false });
        Ok(())
    }
}

/// The memory of an array that nobody else holds.
fn memory_of(held: Held<Heads<f32>>) -> Vec<f32> {
    let Held::Held(array) = held else { return Vec::new() };
    Rc::try_unwrap(array).map_or_else(|_| Vec::new(), |array| array.into_raw_vec_and_offset().0)
}

/// Whether two masks are the same. Large arrays count as the same only when they are the same in memory.
fn is_same(a: &Mask, b: &Mask) -> bool {
    a.causal == b.causal
        && a.keys == b.keys
        && a.rule == b.rule
        && a.cells == b.cells
        && same_array(a.given.as_ref(), b.given.as_ref())
        && same_array(a.bias.as_ref(), b.bias.as_ref())
}

fn same_array<A>(a: Option<&Rc<A>>, b: Option<&Rc<A>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}
