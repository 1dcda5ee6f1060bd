//! From settings to a picture: the plan, the engine that computes it, and what follows from its answer.

use super::picture::Picture;
use crate::attention::{Problem, Shape, Stage, Trace};
use crate::engine::choice::{Choice, Gpu, Kind, Why, choose_for, flop};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, Generation, Want};
use crate::insight::{strongest_key, strongest_query};
use crate::state::{EngineChoice, Notice, Plan, Planner, Settings};
use crate::web::environment;
use crate::web::gpu_client::GpuClient;
use std::rc::Rc;

/// What the page shows of a trace: all but the joined heads, which nothing on it reads.
pub fn shown() -> Want {
    let shown: Vec<Stage> =
        Stage::ALL.into_iter().filter(|stage| !matches!(stage, Stage::Concat | Stage::Output)).collect();
    Want::only(&shown)
}

/// How much of the selection follows the numbers once they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Follow {
    /// Nothing: query and key stay as they were chosen.
    Nothing,
    /// The key becomes the one that the query really looks at most.
    Key,
    /// That, and a query that only rests on `<BOS>`, as one does that asks nothing, gives way to one that tells.
    Row,
}

/// A planned computation.
#[derive(Clone)]
pub struct Work {
    settings: Rc<Settings>,
    plan: Plan,
    /// What is to be computed.
    pub problem: Rc<Problem>,
    /// Milliseconds at which it began.
    start_ms: f64,
    /// What of the selection follows its numbers.
    follow: Follow,
}

/// What the settings wish, where they wish an engine.
pub const fn wish(choice: EngineChoice) -> Option<Kind> {
    match choice {
        EngineChoice::Auto => None,
        EngineChoice::Cpu => Some(Kind::Cpu),
        EngineChoice::WebGpu => Some(Kind::WebGpu),
    }
}

/// What there is to say when the GPU did not compute what it was chosen for.
pub const fn gpu_notice(gpu: Gpu) -> Notice {
    match gpu {
        Gpu::NoWebGpu => Notice::NoWebGpu,
        Gpu::NoAdapter => Notice::NoAdapter,
        _ => Notice::GpuFailed,
    }
}

impl Work {
    /// Plans `settings`.
    ///
    /// # Errors
    /// The notices that say why there is nothing to compute.
    pub fn new(planner: &mut Planner, settings: &Rc<Settings>, follow: Follow) -> Result<Self, Vec<Notice>> {
        let start_ms = environment::now_ms();
        let plan = planner.plan(settings);
        match plan.problem.clone() {
            Some(problem) => {
                Ok(Self { settings: Rc::clone(settings), plan, problem: Rc::new(problem), start_ms, follow })
            }
            None => Err(plan.notices),
        }
    }

    /// Operations of it.
    pub fn flop(&self) -> u64 {
        let (n, d) = (self.plan.tokens.len(), self.plan.d_k);
        flop(&Shape { heads: self.plan.heads, n_q: n, n_k: n, d_k: d, d_v: d, d_model: 0 })
    }

    /// Which engine is to compute it.
    pub fn choice(&self, gpu: Gpu) -> Choice {
        choose_for(self.problem.method.as_deref(), wish(self.settings.engine), self.flop(), gpu)
    }

    /// Computes on the CPU, at once.
    ///
    /// # Errors
    /// The notice that says why it can't be computed.
    pub fn on_cpu(&self, engine: &mut CpuEngine, want: &Want, at: Generation) -> Result<Rc<Trace<f32>>, Notice> {
        let mut trace = None;
        let ran = engine.run(&self.problem, want, at, &mut |answer| trace = Some(answer.trace));
        match (ran, trace) {
            (Err(error), _) => Err(Notice::CannotCompute(error)),
            (Ok(()), Some(trace)) => Ok(trace),
            (Ok(()), None) => Err(Notice::NothingToRead),
        }
    }

    /// The picture of an answer, and the milliseconds since the work began.
    pub fn finish(self, trace: Rc<Trace<f32>>, engine: Choice) -> (Rc<Picture>, f64) {
        let Self { mut settings, mut plan, problem, start_ms, follow } = self;
        let selection = plan.selection;
        // Settings say what is shown: a selection that was moved inside the grid, and what of it follows the numbers.
        let strongest = |query| strongest_key(&trace, selection.head, query);
        let (mut query, mut key) = (selection.query, selection.key);
        if follow != Follow::Nothing {
            // Without `<BOS>` the first token is a word like any other, and to look at it is an answer.
            let rests = |query| strongest(query).is_none_or(|key| key == 0 && settings.bos);
            if follow == Follow::Row && rests(query) {
                query = strongest_query(&trace, selection.head).filter(|&query| !rests(query)).unwrap_or(query);
            }
            key = strongest(query).unwrap_or(key);
        }
        if (settings.query, settings.key) != (query, key) {
            settings = Rc::new(Settings { query, key, ..(*settings).clone() });
            (plan.selection.query, plan.selection.key) = (query, key);
        }
        let elapsed_ms = environment::now_ms() - start_ms;
        let labels = plan.tokens.iter().map(crate::text::display).collect();
        let picture = Picture { settings, plan: Rc::new(plan), problem, trace, labels, engine };
        (Rc::new(picture), elapsed_ms)
    }
}

/// The picture of some settings by the CPU, whatever they wish.
pub fn at_once(
    planner: &mut Planner,
    engine: &mut CpuEngine,
    settings: &Rc<Settings>,
) -> Result<(Rc<Picture>, f64), Vec<Notice>> {
    let work = Work::new(planner, settings, Follow::Nothing)?;
    let choice = match work.choice(Gpu::Unknown) {
        Choice { kind: Kind::WebGpu, .. } => Choice { kind: Kind::Cpu, why: Why::Gpu(Gpu::Unknown) },
        choice => choice,
    };
    let trace = work.on_cpu(engine, &shown(), Generation(0)).map_err(|why| vec![why])?;
    Ok(work.finish(trace, choice))
}

/// Computes settings without touching the page: the picture, and its milliseconds.
///
/// # Errors
/// The notices that say why there is nothing to compute, or why the engine that was wished for can't.
pub async fn compute_aside(gpu: &GpuClient, settings: &Rc<Settings>) -> Result<(Rc<Picture>, f64), Vec<Notice>> {
    let work = Work::new(&mut Planner::default(), settings, Follow::Nothing)?;
    let (trace, choice) =
        compute_chosen(gpu, &work.problem, work.flop(), wish(settings.engine), &Want::everything()).await?;
    Ok(work.finish(trace, choice))
}

/// Computes a problem with the engine that is chosen for it; one that was wished for is never replaced.
///
/// # Errors
/// The notices that say why it can't be computed.
pub async fn compute_chosen(
    gpu: &GpuClient,
    problem: &Problem,
    flop: u64,
    wish: Option<Kind>,
    want: &Want,
) -> Result<(Rc<Trace<f32>>, Choice), Vec<Notice>> {
    let method = problem.method.as_deref();
    let mut choice = choose_for(method, wish, flop, gpu.known());
    let mut failed = None;
    if choice.kind == Kind::WebGpu {
        // What is wrong with the problem itself is the same with every engine, and is said first.
        problem.shape().map_err(|error| vec![Notice::CannotCompute(error)])?;
        match gpu.compute(problem, want).await {
            Ok(trace) => return Ok((Rc::new(trace), choice)),
            Err(gpu) => {
                failed = Some(gpu_notice(gpu));
                choice = choose_for(method, None, flop, gpu);
            }
        }
    } else if choice.is_denied(wish) {
        failed = Some(gpu_notice(gpu.known()));
    }
    let mut trace = None;
    // A problem whose numbers overflow is refused for that, and not for the GPU that could not answer it.
    // Raw scores are kept for a next run, and here there is none.
    CpuEngine::keeping(0)
        .run(problem, want, Generation(0), &mut |answer| trace = Some(answer.trace))
        .map_err(|error| vec![Notice::CannotCompute(error)])?;
    if let Some(notice) = failed
        && wish == Some(Kind::WebGpu)
    {
        return Err(vec![notice]);
    }
    trace.map(|trace| (trace, choice)).ok_or_else(Vec::new)
}
