//! A closer look at a picture: its problem computed again with every stage, and examined without being told what is broken.

use super::Picture;
use crate::attention::{Bugs, Fill, Method, Problem, Trace};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, Generation, Want};
use crate::insight::diagnosis::{Declared, Guess, diagnose, differences};
use std::rc::Rc;

/// What a closer look found.
pub struct Examined {
    /// What may have gone wrong, likeliest first.
    pub guesses: Vec<Guess>,
    /// Whether there are mistakes on purpose, and none of them changes a number here.
    pub no_effect: bool,
}

/// Examines the problem of a picture; `None` where it can't be computed.
pub fn examine(picture: &Picture) -> Option<Examined> {
    let problem = &picture.problem;
    let trace = everything(problem)?;
    let same = healthy(problem).and_then(|healthy| differences(&trace, &*everything(&healthy)?));
    let guesses = diagnose(&trace, &Declared::of(problem)).guesses;
    Some(Examined { guesses, no_effect: same.is_some_and(|found| found.is_empty()) })
}

/// Every stage of a problem.
fn everything(problem: &Problem) -> Option<Rc<Trace<f32>>> {
    let mut trace = None;
    let ran = CpuEngine::keeping(0)
        .run(problem, &Want::everything(), Generation(0), &mut |answer| trace = Some(answer.trace));
    ran.ok().and(trace)
}

/// The problem without its mistakes; `None` where there is none.
fn healthy(problem: &Problem) -> Option<Problem> {
    let method = problem.method.as_deref()?;
    let fill = if matches!(method.fill, Fill::Zero | Fill::MultiplyAfter) { Fill::Exclude } else { method.fill };
    let healed = Method { bugs: Bugs::NONE, fill, ..method.clone() };
    (healed != *method).then(|| Problem { method: Some(Rc::new(healed)), ..problem.clone() })
}
