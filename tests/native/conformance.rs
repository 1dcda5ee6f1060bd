//! The conformance suite with the CPU engine on the host.

use super::conformance::{cases, check};
use super::engine::run;
use attention_lab::engine::Want;
use attention_lab::engine::cpu::CpuEngine;

#[test]
fn the_cpu_engine_conforms() {
    let (mut warm, all) = (CpuEngine::new(), cases::all());
    assert!(all.len() > 250, "{} cases", all.len());
    for case in &all {
        check(case, &run(&mut warm, &case.problem, &Want::everything()));
        check(case, &run(&mut CpuEngine::keeping(0), &case.problem, &Want::everything()));
    }
}

#[test]
#[should_panic(expected = "not within")]
fn a_number_that_is_not_written_fails() {
    let case = &cases::all()[0];
    let trace = run(&mut CpuEngine::new(), &case.problem, &Want::everything());
    let mut broken = (*trace).clone();
    let mut weights = broken.layers[0].weights.get().cloned().expect("wanted");
    weights[[0, 0, 0]] = f32::NAN;
    broken.layers[0].weights = attention_lab::attention::Held::Held(std::rc::Rc::new(weights));
    check(case, &broken);
}
