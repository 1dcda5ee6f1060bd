//! From settings to what subscribers see: who computes, and the snapshot that is published.

use super::computing::{Follow, Work, at_once, gpu_notice, shown, wish};
use super::waiting::Job;
use super::{Picture, Snapshot, Store, When, copy};
use crate::engine::Generation;
use crate::engine::choice::{Choice, Kind};
use crate::engine::cpu::CpuEngine;
use crate::state::{Notice, Plan, Planner, Settings, link};
use std::rc::Rc;

impl Store {
    /// Computes `settings`, or has them computed, and publishes. `when` is how the address was, or will be, written.
    pub(super) fn publish(&self, settings: Rc<Settings>, follow: Follow, when: Option<When>, mut notices: Vec<Notice>) {
        let generation = Generation(self.0.generation.get().0 + 1);
        self.0.generation.set(generation);
        let work = match Work::new(&mut self.0.planner.borrow_mut(), &settings, follow) {
            Ok(work) => work,
            Err(why) => {
                notices.extend(why);
                return self.publish_nothing(settings, notices);
            }
        };
        let choice = work.choice(self.0.gpu.known());
        if choice.kind == Kind::WebGpu {
            return self.wait_for(Job { work, choice, generation, settings, when, notices });
        }
        if choice.is_denied(wish(settings.engine)) {
            notices.push(gpu_notice(self.0.gpu.known()));
        }
        self.compute_now(work, choice, generation, settings, notices);
    }

    /// Computes on the CPU and publishes.
    pub(super) fn compute_now(
        &self,
        work: Work,
        choice: Choice,
        generation: Generation,
        settings: Rc<Settings>,
        mut notices: Vec<Notice>,
    ) {
        let trace = work.on_cpu(&mut self.0.engine.borrow_mut(), &shown(), generation);
        match trace {
            Ok(trace) => {
                let (picture, elapsed_ms) = work.finish(trace, choice);
                self.publish_picture(picture, elapsed_ms, notices);
                self.consider(choice);
            }
            Err(why) => {
                notices.push(why);
                self.publish_nothing(settings, notices);
            }
        }
    }

    pub(super) fn publish_picture(&self, picture: Rc<Picture>, elapsed_ms: f64, mut notices: Vec<Notice>) {
        for notice in &picture.plan.notices {
            if notices.iter().all(|said| said.code() != notice.code()) {
                notices.push(notice.clone());
            }
        }
        let settings = Rc::clone(&picture.settings);
        let pinned = self.pinned_beside(&picture);
        let next = Snapshot {
            pinned,
            picture,
            current: true,
            elapsed_ms,
            notices: notices.into(),
            waiting: false,
            difference: None,
            ..copy(&self.snapshot())
        };
        self.publish_as(settings, next);
    }

    /// The settings can't be computed: the last good picture stays.
    pub(super) fn publish_nothing(&self, settings: Rc<Settings>, notices: Vec<Notice>) {
        let next = Snapshot { current: false, notices: notices.into(), waiting: false, ..copy(&self.snapshot()) };
        self.publish_as(settings, next);
    }

    /// Publishes `next` with these settings and what they say of language and theme.
    pub(super) fn publish_as(&self, settings: Rc<Settings>, mut next: Snapshot) {
        let preferences = self.0.preferences.get();
        next.dark = preferences.darkness(&settings, self.0.system_dark.get());
        next.lang = preferences.language(&settings);
        next.page.b = settings;
        next.moving = self.0.moving.get();
        let next = Rc::new(next);
        self.0.snapshot.replace(Rc::clone(&next));
        self.0.snapshots.publish(&next);
    }

    /// The same picture in other colours or another language.
    pub(super) fn redress(&self) {
        self.publish_as(Rc::clone(self.snapshot().settings()), copy(&self.snapshot()));
    }

    /// The picture that is pinned, computed once, with the selection and the stage of `picture`.
    fn pinned_beside(&self, picture: &Picture) -> Option<Rc<Picture>> {
        let wanted = &picture.settings.pinned;
        let known = Rc::clone(&self.0.pinned.borrow().0);
        if known != *wanted {
            let settings = link::pinned(&picture.settings).map(Rc::new);
            let computed = settings.and_then(|settings| {
                at_once(&mut Planner::new(), &mut CpuEngine::keeping(0), &settings).ok().map(|(picture, _)| picture)
            });
            self.0.pinned.replace((Rc::clone(wanted), computed));
        }
        let pinned = self.0.pinned.borrow().1.clone()?;
        let (a, b) = (pinned.trace.shape, picture.trace.shape);
        let head = picture.plan.selection.head;
        if (a.n_q, a.n_k) != (b.n_q, b.n_k) || head >= a.heads {
            return None;
        }
        let Settings { head: chosen, query, key, stage, .. } = *picture.settings;
        let settings = Settings { head: chosen, query, key, stage, ..(*pinned.settings).clone() };
        let plan = Plan { selection: picture.plan.selection, ..(*pinned.plan).clone() };
        Some(Rc::new(Picture { settings: Rc::new(settings), plan: Rc::new(plan), ..(*pinned).clone() }))
    }

    /// The first picture has what is pinned beside it.
    pub(super) fn show_pinned(&self) {
        let before = self.snapshot();
        if before.settings().pinned.is_empty() {
            return;
        }
        let pinned = self.pinned_beside(&before.picture);
        self.0.snapshot.replace(Rc::new(Snapshot { pinned, ..copy(&before) }));
    }
}
