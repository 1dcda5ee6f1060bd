//! The conformance suite with WebGPU: Chromium's software adapter here, which is slow and right.
//!
//! Without an adapter these tests fail, for a test that did not run shows nothing. Who has no adapter says so when building:
//! `WEBGPU_TESTS=optional` skips them with a line in the console.

use crate::conformance::{cases, check};
use attention_lab::attention::{Problem, Source, Trace};
use attention_lab::engine::Want;
use attention_lab::engine::webgpu::{Limits, trace, wire};
use attention_lab::web::gpu::{Executor, Failure};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// An executor with the page's side of the wire.
struct Runner {
    executor: Executor,
    last: Option<Source>,
}

impl Runner {
    fn new(limits: Option<Limits>) -> Self {
        Self { executor: Executor::for_tests(limits), last: None }
    }

    async fn run(&mut self, problem: &Problem, want: &Want) -> Result<Trace<f32>, Failure> {
        let shape = problem.shape().expect("a valid problem");
        let words = wire::encode(problem, &shape, want, self.last.as_ref());
        let numbers = self.executor.run(&words).await?;
        self.last = Some(problem.source.clone());
        let mut rest = numbers.as_slice();
        let mut next = |count: usize| {
            let (taken, left) = rest.split_at_checked(count)?;
            rest = left;
            Some(taken.to_vec())
        };
        Ok(trace(problem, shape, want, &mut next).expect("numbers of the whole trace"))
    }
}

/// The answer, or `None` where there is no adapter and that is no failure.
fn skipped<T>(outcome: Result<T, Failure>) -> Option<T> {
    match outcome {
        Ok(answer) => Some(answer),
        Err(Failure::NoWebGpu | Failure::NoAdapter) if option_env!("WEBGPU_TESTS") == Some("optional") => {
            console_log!("SKIPPED: no WebGPU adapter");
            None
        }
        Err(failure) => panic!("{failure:?}"),
    }
}

#[wasm_bindgen_test]
async fn webgpu_conforms() {
    let mut runner = Runner::new(None);
    for case in &cases::all() {
        let Some(trace) = skipped(runner.run(&case.problem, &Want::everything()).await) else { return };
        check(case, &trace);
    }
}

#[wasm_bindgen_test]
async fn a_small_device_computes_head_by_head_and_row_by_row() {
    // W_O of the widest problem needs 8 heads × 8 × 64 numbers; the work is a few rows a dispatch.
    let limits = Limits { binding: 16_384, work: 20_000, ..Limits::DEFAULT };
    let mut runner = Runner::new(Some(limits));
    let all = cases::all();
    let some = all.iter().filter(|case| {
        case.name.starts_with("odd sizes, mask 7")
            || case.name.contains("embedded, h 8")
            || case.name.starts_with("sizes")
    });
    let mut split = 0;
    for case in some {
        match runner.run(&case.problem, &Want::everything()).await {
            Err(Failure::TooLarge(refusal)) => assert!(refusal.needed > refusal.most, "{refusal:?}"),
            outcome => {
                let Some(trace) = skipped(outcome) else { return };
                check(case, &trace);
                split += 1;
            }
        }
    }
    assert!(split > 40, "{split} cases");
}

#[wasm_bindgen_test]
async fn what_is_not_wanted_is_not_read_back() {
    use attention_lab::attention::Stage;
    let problem = cases::odd(3);
    let mut runner = Runner::new(None);
    for stage in Stage::ALL {
        let Some(trace) = skipped(runner.run(&problem, &Want::only(&[stage])).await) else { return };
        for other in Stage::ALL {
            let held = trace.rows(other, 0, 0..1).is_some();
            // Given q, k and v have no x and no W_O.
            let exists = !matches!(other, Stage::XQuery | Stage::XKey | Stage::Output);
            assert_eq!(held, other == stage && exists, "{other:?} when {stage:?} is wanted");
        }
    }
}

/// The next device that is handed out is destroyed in the middle of its first run.
const LOSE_ONE: &str = "
    const ask = GPUAdapter.prototype.requestDevice, submit = GPUQueue.prototype.submit;
    let device;
    GPUAdapter.prototype.requestDevice = async function (...given) { return (device = await ask.apply(this, given)); };
    GPUQueue.prototype.submit = function (commands) {
      submit.call(this, commands);
      GPUAdapter.prototype.requestDevice = ask;
      GPUQueue.prototype.submit = submit;
      device.destroy();
    };";

#[wasm_bindgen_test]
async fn a_device_lost_in_mid_run_is_replaced() {
    let case = &cases::all()[10];
    let mut runner = Runner::new(None);
    if skipped(runner.run(&case.problem, &Want::everything()).await).is_none() {
        return;
    }
    js_sys::eval(LOSE_ONE).expect("a page without a policy evaluates");
    // A new runner, for its device is the one that is lost.
    let mut runner = Runner::new(None);
    for _ in 0..2 {
        let trace = runner.run(&case.problem, &Want::everything()).await.expect("the same problem computed again");
        check(case, &trace);
    }
}
