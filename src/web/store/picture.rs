//! A computed picture, and what parts of the page ask of it.

use super::Hover;
use crate::attention::toy::Role;
use crate::attention::{Problem, Stage, Trace};
use crate::engine::choice::Choice;
use crate::state::{Plan, Settings, role_of_head};
use crate::text::Token;
use std::rc::Rc;

/// A computed picture: its tokens, its problem, its numbers.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What was computed from.
    pub settings: Rc<Settings>,
    /// Tokens, problem and selection.
    pub plan: Rc<Plan>,
    /// The problem that was computed.
    pub problem: Rc<Problem>,
    /// Every number of it.
    pub trace: Rc<Trace<f32>>,
    /// How tokens are labelled, in order.
    pub labels: Rc<[String]>,
    /// What computed it, and why that.
    pub engine: Choice,
}

impl Picture {
    /// The role of head `head` (from 0), where the weights are constructed.
    pub fn role(&self, head: usize) -> Option<Role> {
        role_of_head(&self.settings, head + 1)
    }

    /// Which cells of a head the mask forbids, `[n_q, n_k]` row-major; empty when it forbids none.
    pub fn forbidden(&self, head: usize) -> Vec<bool> {
        let mask = &self.problem.mask;
        if mask.is_none() {
            return Vec::new();
        }
        let shape = self.trace.shape;
        let mut all = vec![false; shape.n_q * shape.n_k];
        for (query, row) in all.chunks_exact_mut(shape.n_k.max(1)).enumerate() {
            mask.fill_row(head, query, row);
            for cell in row {
                *cell = !*cell;
            }
        }
        all
    }

    /// A hovered cell, where it exists in this picture: the sentence may have become shorter under the pointer.
    pub fn inside(&self, hover: Hover) -> Hover {
        hover.filter(|&(query, key)| query < self.trace.shape.n_q && key < self.trace.shape.n_k)
    }

    /// How token `at` is labelled; empty where there is none.
    pub fn label(&self, at: usize) -> String {
        self.labels.get(at).cloned().unwrap_or_default()
    }

    /// One row of a stage of the selected head; empty where it is not held.
    pub fn row(&self, stage: Stage, query: usize) -> Vec<f32> {
        let row = self.trace.rows(stage, self.plan.selection.head, query..query + 1);
        row.map(|row| row.iter().copied().collect()).unwrap_or_default()
    }

    /// The tokens.
    pub fn tokens(&self) -> &[Token] {
        &self.plan.tokens
    }
}
