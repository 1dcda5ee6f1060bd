//! Engines that answer later: the latest generation wins, and the last good picture stands until it is here.

use super::computing::{Follow, Work, gpu_notice, shown, wish};
use super::{Picture, Snapshot, Store, When, copy};
use crate::attention::{Held, Stage, Trace};
use crate::engine::choice::{Choice, Gpu, Kind, Why};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, Generation, Want};
use crate::state::{Notice, Settings, link};
use crate::tensor::Heads;
use crate::web::{environment, tasks};
use std::rc::Rc;

/// A computation that the GPU is asked for.
pub struct Job {
    pub work: Work,
    pub choice: Choice,
    pub generation: Generation,
    pub settings: Rc<Settings>,
    /// How the address was written when it was asked for.
    pub when: Option<When>,
    /// What there is to say besides what the plan says.
    pub notices: Vec<Notice>,
}

impl Store {
    /// After the first picture: asks another engine where the settings wish or may wish it.
    pub(super) fn look_for_more(&self, notices: Vec<Notice>) {
        let snapshot = self.snapshot();
        if !snapshot.current {
            return;
        }
        match wish(snapshot.settings().engine) {
            Some(Kind::WebGpu) => self.publish(Rc::clone(snapshot.settings()), Follow::Nothing, None, notices),
            _ => self.consider(snapshot.picture.engine),
        }
    }

    /// Publishes that these settings are being computed, and has the GPU compute them as soon as it is free.
    pub(super) fn wait_for(&self, job: Job) {
        let notices = job.notices.clone();
        let next = Snapshot { notices: notices.into(), waiting: true, ..copy(&self.snapshot()) };
        self.publish_as(Rc::clone(&job.settings), next);
        self.0.job.replace(Some(job));
        if self.0.busy.replace(true) {
            return;
        }
        let store = self.clone();
        tasks::spawn(async move {
            loop {
                let Some(job) = store.0.job.take() else { break };
                let answer = store.0.gpu.compute(&job.work.problem, &shown()).await;
                // Something newer was asked for meanwhile: nothing older is drawn over it.
                if job.generation == store.0.generation.get() {
                    store.arrive(job, answer);
                }
            }
            store.0.busy.set(false);
        });
    }

    fn arrive(&self, job: Job, answer: Result<Trace<f32>, Gpu>) {
        let Job { work, choice, generation, settings, when, mut notices } = job;
        match answer {
            Ok(trace) => {
                let (picture, elapsed_ms) = work.finish(Rc::new(trace), choice);
                self.publish_picture(picture, elapsed_ms, notices);
            }
            Err(gpu) => {
                if wish(settings.engine) == Some(Kind::WebGpu) {
                    notices.push(gpu_notice(gpu));
                }
                let choice = Choice { kind: Kind::Cpu, why: Why::Gpu(gpu) };
                self.compute_now(work, choice, generation, settings, notices);
            }
        }
        // The key may have followed its query: the address says what is shown.
        let fragment = link::encode(self.snapshot().settings());
        match when {
            Some(When::Moving) => self.0.address.drag(fragment),
            Some(When::Done | When::InPlace) => self.0.address.commit_in_place(fragment),
            None => {}
        }
    }

    /// Where a GPU might pay and nobody knows: finds out, while the CPU's picture stands.
    pub(super) fn consider(&self, choice: Choice) {
        let Why::Gpu(gpu @ (Gpu::Unknown | Gpu::Untimed)) = choice.why else { return };
        if wish(self.snapshot().settings().engine).is_some() || self.0.busy.replace(true) {
            return;
        }
        let store = self.clone();
        tasks::spawn(async move {
            let gpu = if gpu == Gpu::Unknown { store.0.gpu.ask().await } else { gpu };
            if gpu == Gpu::Untimed {
                store.time().await;
            }
            store.0.busy.set(false);
            store.decided();
        });
    }

    /// Computes the present problem on both engines, both from the start and the GPU's pipelines compiled, and remembers
    /// which was faster.
    async fn time(&self) {
        let (problem, gpu) = (Rc::clone(&self.snapshot().picture.problem), &self.0.gpu);
        if gpu.compute(&problem, &shown()).await.is_err() {
            return;
        }
        let start = environment::now_ms();
        if gpu.compute(&problem, &shown()).await.is_err() {
            return;
        }
        let between = environment::now_ms();
        // A valid problem, computed once before: only the time counts.
        let _ = CpuEngine::new().run(&problem, &shown(), Generation(0), &mut |_| {});
        let faster = between - start < environment::now_ms() - between;
        gpu.learn(if faster { Gpu::Faster } else { Gpu::Slower });
    }

    /// It is known now which engine computes what is on show: the page says so, or asks the other one.
    fn decided(&self) {
        let before = self.snapshot();
        let picture = &before.picture;
        // Something waits for the GPU already, or says its reason by itself.
        if before.waiting {
            return self.resume();
        }
        let Why::Gpu(Gpu::Unknown | Gpu::Untimed) = picture.engine.why else { return };
        if !before.current || wish(before.settings().engine).is_some() {
            return;
        }
        match self.0.gpu.known() {
            Gpu::Faster => self.publish(Rc::clone(before.settings()), Follow::Nothing, None, before.notices.to_vec()),
            gpu => {
                let engine = Choice { why: Why::Gpu(gpu), ..picture.engine };
                let picture = Rc::new(Picture { engine, ..(**picture).clone() });
                self.publish_as(Rc::clone(before.settings()), Snapshot { picture, ..copy(&before) });
            }
        }
    }

    /// Work that was asked for while the GPU was being timed.
    fn resume(&self) {
        let job = self.0.job.take();
        if let Some(job) = job {
            self.wait_for(job);
        }
    }

    /// Computes this picture on the CPU too and publishes the largest difference of weights and head outputs.
    pub fn compare(&self) {
        let before = self.snapshot();
        let picture = &before.picture;
        let (mut largest, want) = (None, Want::only(&[Stage::Weights, Stage::HeadOutput]));
        // A problem that was computed once is valid.
        let _ = CpuEngine::new().run(&picture.problem, &want, Generation(0), &mut |answer| {
            if let (Some(one), Some(other)) = (picture.trace.top(), answer.trace.top()) {
                largest = Some(larger(
                    difference(&one.weights, &other.weights),
                    difference(&one.head_output, &other.head_output),
                ));
            }
        });
        self.publish_as(Rc::clone(before.settings()), Snapshot { difference: largest, ..copy(&before) });
    }
}

/// The largest difference of two stages, number by number; NaN where one of them is NaN.
fn difference(one: &Held<Heads<f32>>, other: &Held<Heads<f32>>) -> f64 {
    let pairs = numbers(one).iter().zip(numbers(other));
    pairs.map(|(one, other)| (f64::from(*one) - f64::from(*other)).abs()).fold(0.0, larger)
}

/// The larger of two differences. A NaN is the largest of all: it must never be lost in a comparison.
fn larger(one: f64, other: f64) -> f64 {
    if one >= other || one.is_nan() { one } else { other }
}

fn numbers(held: &Held<Heads<f32>>) -> &[f32] {
    held.get().and_then(|array| array.as_slice()).unwrap_or_default()
}
