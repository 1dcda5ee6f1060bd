//! The GPU plan and its shaders, as far as they need no GPU: naga reads every shader, layouts are compared with Rust's, and
//! plans keep to the limits.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::conformance::{agree, cases};
use attention_lab::attention::{Problem, Shape, Source, Stage, oracle};
use attention_lab::engine::Want;
use attention_lab::engine::choice::{Choice, Gpu, Kind, WORTH_FLOP, Why, choose, flop};
use attention_lab::engine::webgpu::layout::{computed, length};
use attention_lab::engine::webgpu::plan::{Ask, Pass, Role, Step};
use attention_lab::engine::webgpu::shader::{SIDE, Shader, WIDTH};
use attention_lab::engine::webgpu::sizes::{ConcatSizes, ProductSizes, RowsSizes, ScoresSizes, StageSizes};
use attention_lab::engine::webgpu::wire::{MaskKind, decode, encode};
use attention_lab::engine::webgpu::{Item, Limits, Plan, compact, plan, read_back, trace};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::collections::BTreeSet;
use std::rc::Rc;

fn parsed(shader: Shader) -> (naga::Module, naga::valid::ModuleInfo) {
    let module = naga::front::wgsl::parse_str(shader.text()).unwrap_or_else(|e| panic!("{shader:?}: {e}"));
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    (module, info.unwrap_or_else(|e| panic!("{shader:?}: {e:?}")))
}

#[test]
fn every_shader_is_valid_and_binds_what_rust_says() {
    for shader in Shader::ALL {
        let (module, _) = parsed(shader);
        let [entry] = module.entry_points.as_slice() else { panic!("{shader:?}: one entry point") };
        assert_eq!((entry.name.as_str(), entry.stage), ("main", naga::ShaderStage::Compute));
        let mut bound = Vec::new();
        for (_, variable) in module.global_variables.iter() {
            let binding = variable.binding.as_ref().unwrap_or_else(|| panic!("{shader:?}: workgroup memory"));
            assert_eq!(binding.group, 0);
            let writes = match variable.space {
                naga::AddressSpace::Uniform => None,
                naga::AddressSpace::Storage { access } => Some(access.contains(naga::StorageAccess::STORE)),
                other => panic!("{shader:?}: {other:?}"),
            };
            bound.push((binding.binding, writes));
        }
        bound.sort_unstable();
        let mut want = vec![(0, None)];
        want.extend((1..).zip(shader.writes().iter().map(|&writes| Some(writes))));
        assert_eq!(bound, want, "{shader:?}");
    }
}

#[test]
fn uniforms_are_laid_out_as_rust_writes_them() {
    for (shader, fields) in [
        (Shader::Product, ProductSizes::FIELDS),
        (Shader::Scores, ScoresSizes::FIELDS),
        (Shader::Stage, StageSizes::FIELDS),
        (Shader::Rows, RowsSizes::FIELDS),
        (Shader::Concat, ConcatSizes::FIELDS),
    ] {
        let (module, _) = parsed(shader);
        let sizes = module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some("Sizes")).unwrap().1;
        let naga::TypeInner::Struct { members, span } = &sizes.inner else { panic!("{shader:?}") };
        let wgsl: Vec<_> = members
            .iter()
            .map(|member| {
                let naga::TypeInner::Scalar(scalar) = module.types[member.ty].inner else { panic!("{shader:?}") };
                let kind = if scalar == naga::Scalar::F32 { "f32" } else { "u32" };
                assert_eq!(scalar.width, 4);
                (member.name.clone().unwrap(), kind, member.offset)
            })
            .collect();
        let rust: Vec<_> =
            fields.iter().zip(0..).map(|((name, kind), at)| ((*name).to_owned(), *kind, 4 * at)).collect();
        assert_eq!(wgsl, rust, "{shader:?}");
        assert_eq!(usize::try_from(*span).unwrap(), 4 * fields.len());
    }
}

/// Words of each pass's sizes by field name.
fn field(plan: &Plan, pass: &Pass, name: &str) -> usize {
    let fields = match pass.shader {
        Shader::Product => ProductSizes::FIELDS,
        Shader::Scores => ScoresSizes::FIELDS,
        Shader::Stage => StageSizes::FIELDS,
        Shader::Rows => RowsSizes::FIELDS,
        Shader::Concat => ConcatSizes::FIELDS,
    };
    let at = fields.iter().position(|(field, _)| *field == name).unwrap();
    let start = usize::try_from(pass.uniforms / 4).unwrap();
    usize::try_from(plan.uniforms[start + at]).unwrap()
}

fn passes(plan: &Plan) -> impl Iterator<Item = &Pass> {
    plan.steps.iter().filter_map(|step| match step {
        Step::Pass(pass) => Some(pass),
        Step::Copy { .. } => None,
    })
}

fn ask(shape: Shape, want: Want, mask: MaskKind, bias: Option<bool>) -> Ask {
    Ask { shape, want, mask, bias, scale: 0.5, temperature: 1.0 }
}

fn shape(heads: usize, n_q: usize, n_k: usize, d_k: usize, d_v: usize, d_model: usize) -> Shape {
    Shape { heads, n_q, n_k, d_k, d_v, d_model }
}

/// Every cell of an output is computed by exactly one dispatch.
fn covers(plan: &Plan, shader: Shader, stack: usize, rows: usize, group: usize) {
    let mut seen = vec![0_u32; stack * rows];
    let (first_row, first_batch) = match shader {
        Shader::Product | Shader::Scores => ("first_tile", "first_batch"),
        _ => ("first_row", "first_batch"),
    };
    for pass in passes(plan).filter(|pass| pass.shader == shader) {
        let [_, y, z] =
            if shader == Shader::Rows { [0, pass.workgroups[0], pass.workgroups[1]] } else { pass.workgroups };
        let (row, batch) = (field(plan, pass, first_row), field(plan, pass, first_batch));
        for batch in batch..batch + usize::try_from(z).unwrap() {
            for row in (row..row + usize::try_from(y).unwrap() * group).take_while(|&row| row < rows) {
                seen[batch * rows + row] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&times| times == 1), "{shader:?}: {seen:?}");
}

#[test]
fn each_plan_keeps_to_the_limits() {
    let roomy = Limits::DEFAULT;
    let tight = Limits { binding: 6144, buffer: 1 << 20, workgroups: 8, work: 3000, ..roomy };
    for limits in [roomy, tight] {
        for shape in
            [shape(3, 5, 7, 9, 11, 0), shape(3, 5, 7, 9, 11, 13), shape(4, 33, 31, 8, 8, 16), shape(1, 1, 1, 1, 1, 1)]
        {
            for (mask, bias) in [
                (MaskKind::None, None),
                (MaskKind::Bits { by_head: true }, Some(true)),
                (MaskKind::Causal, Some(false)),
            ] {
                let plan = plan(&ask(shape, Want::everything(), mask, bias), &limits).unwrap();
                for buffer in &plan.buffers {
                    assert!(buffer.bytes > 0 && buffer.bytes % 4 == 0 && buffer.bytes <= limits.binding, "{buffer:?}");
                }
                assert!(plan.read_back <= limits.buffer);
                for pass in passes(&plan) {
                    assert!(pass.workgroups.iter().all(|&count| (1..=limits.workgroups).contains(&count)), "{pass:?}");
                    assert_eq!(pass.uniforms % limits.uniform_alignment, 0);
                    assert_eq!(pass.buffers.len(), pass.shader.writes().len());
                    // A buffer that is written is bound once.
                    for (&written, &writes) in pass.buffers.iter().zip(pass.shader.writes()) {
                        assert!(!writes || pass.buffers.iter().filter(|&&other| other == written).count() == 1);
                        assert!(!writes || plan.buffers[written].role == Role::Computed, "{pass:?}");
                    }
                    let (module, _) = parsed(pass.shader);
                    for (constant, _) in &pass.constants {
                        assert!(
                            module.overrides.iter().any(|(_, o)| o.name.as_deref() == Some(constant)),
                            "{constant}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn dispatches_cover_every_row_once() {
    for work in [1, 5000, 1 << 30] {
        let limits = Limits { work, ..Limits::DEFAULT };
        let plan = plan(
            &ask(shape(3, 133, 70, 5, 5, 0), Want::only(&[Stage::HeadOutput, Stage::Masked]), MaskKind::None, None),
            &limits,
        )
        .unwrap();
        covers(&plan, Shader::Product, 3, 34, SIDE);
        covers(&plan, Shader::Scores, 3, 34, SIDE);
        covers(&plan, Shader::Stage, 3, 136, SIDE);
        covers(&plan, Shader::Rows, 3, 136, WIDTH);
        let count = passes(&plan).count();
        assert!(if work == 1 { count > 20 } else { count >= 4 }, "{count} dispatches");
    }
}

#[test]
fn only_what_is_wanted_is_read_back_and_without_gaps() {
    let shape = shape(3, 5, 23, 9, 11, 5);
    // The second holds one head at a time.
    for limits in [Limits::DEFAULT, Limits { binding: 1200, ..Limits::DEFAULT }] {
        for stages in [vec![], vec![Stage::Weights], vec![Stage::Output], Stage::ALL.to_vec()] {
            let want = Want::only(&stages);
            let parts = read_back(&shape, &want);
            let expected = stages.iter().filter(|&&stage| computed(stage, &shape).is_some()).count() + 1;
            assert_eq!(parts.len(), expected);
            let plan = plan(&ask(shape, want, MaskKind::None, None), &limits).unwrap();
            let mut spans: Vec<(u64, u64)> = plan
                .steps
                .iter()
                .filter_map(|step| match step {
                    Step::Copy { buffer, to, bytes } => {
                        assert!(*bytes <= plan.buffers[*buffer].bytes);
                        Some((*to, to + bytes))
                    }
                    Step::Pass(_) => None,
                })
                .collect();
            spans.sort_unstable();
            assert_eq!(spans.first().unwrap().0, 0);
            assert!(spans.windows(2).all(|pair| pair[0].1 == pair[1].0), "{spans:?}");
            assert_eq!(spans.last().unwrap().1, plan.read_back);
            assert_eq!(plan.read_back, 4 * length(&parts) as u64);
        }
    }
}

#[test]
fn what_is_too_large_is_refused_with_its_size() {
    let huge = shape(1, 40_000, 40_000, 8, 8, 0);
    let weights = plan(&ask(huge, Want::only(&[Stage::Weights]), MaskKind::None, None), &Limits::DEFAULT).unwrap_err();
    assert_eq!((weights.what, weights.needed), ("read-back", 4 * (40_000 * 40_000 + 40_000 * 4)));
    let output =
        plan(&ask(huge, Want::only(&[Stage::HeadOutput]), MaskKind::None, None), &Limits::DEFAULT).unwrap_err();
    assert_eq!((output.what, output.most), ("scores", 128 << 20));
    // Two heads that fit one by one are computed one after the other.
    let two = shape(2, 5_000, 5_000, 8, 8, 0);
    let plan = plan(&ask(two, Want::only(&[Stage::HeadOutput]), MaskKind::None, None), &Limits::DEFAULT).unwrap();
    assert!(passes(&plan).filter(|pass| pass.shader == Shader::Rows).count() >= 2);
    assert_eq!(plan.buffers.iter().filter(|buffer| buffer.name == "weights").count(), 1);
}

fn given(problem: &Problem) -> (&Rc<attention_lab::tensor::Heads<f32>>, &Source) {
    let Source::Given { q, .. } = &problem.source else { unreachable!() };
    (q, &problem.source)
}

#[test]
fn a_problem_crosses_the_wire_whole() {
    for mask in cases::masks(cases::ODD, 5) {
        let problem = Problem { mask, ..cases::odd(4) };
        let shape = problem.shape().unwrap();
        let want = Want::only(&[Stage::Weights, Stage::Output]);
        let request = decode(&encode(&problem, &shape, &want, None)).unwrap();
        assert_eq!((request.shape, &request.want, request.scale), (shape, &want, problem.scale));
        let (q, source) = given(&problem);
        let inputs = request.arrays.as_ref().unwrap();
        assert_eq!(inputs[0], q.iter().copied().collect::<Vec<_>>());
        for head in 0..3 {
            for query in 0..5 {
                for key in 0..7 {
                    let may = match request.mask {
                        MaskKind::None => true,
                        MaskKind::Causal => key <= query,
                        MaskKind::Bits { by_head } => {
                            request.bits[if by_head { head * 5 + query } else { query }] >> key & 1 == 1
                        }
                    };
                    assert_eq!(may, problem.mask.permits(head, query, key));
                    let at = (if request.bias_by_head() { head * 35 } else { 0 }) + query * 7 + key;
                    let bias = request.bias.get(at).copied().unwrap_or(0.0);
                    assert!(bias.is_finite());
                    assert_eq!(bias, problem.mask.added(head, query, key));
                }
            }
        }
        // The same arrays are not sent again, and what is cut off or too long is refused.
        let again = encode(&problem, &shape, &want, Some(source));
        assert_eq!(decode(&again).unwrap().arrays, None);
        assert!(decode(&again[..again.len() - 1]).is_none() && decode(&[again, vec![0]].concat()).is_none());
    }
    assert!(decode(&[]).is_none());
}

/// The numbers of a trace as a device would hand them back, its padding full of NaN.
fn as_read_back(trace: &attention_lab::attention::Trace<f64>, want: &Want) -> Vec<f32> {
    let parts = read_back(&trace.shape, want);
    let mut numbers = vec![f32::NAN; length(&parts)];
    for part in &parts {
        for stack in 0..part.grid.stack {
            for row in 0..part.grid.rows {
                let start = part.start + stack * part.grid.matrix() + row * part.grid.padded_columns();
                let rows = &trace.top().unwrap().rows;
                let values: Vec<f64> = match part.item {
                    Item::Stage(stage) => trace.rows(stage, stack, row..row + 1).unwrap().iter().copied().collect(),
                    Item::Rows => vec![
                        rows.max[[stack, row]].max(-1e9),
                        rows.inverse_sum[[stack, row]],
                        rows.entropy[[stack, row]],
                        f64::from(rows.permitted[[stack, row]]),
                    ],
                };
                for (number, value) in numbers[start..].iter_mut().zip(values) {
                    #[expect(clippy::cast_possible_truncation, reason = "devices compute in f32")]
                    let value = value.max(-1e9) as f32;
                    *number = value;
                }
            }
        }
    }
    numbers
}

#[test]
fn an_answer_becomes_a_trace_and_a_broken_one_does_not() {
    for mask in cases::masks(cases::ODD, 5) {
        let problem = Problem { mask, ..cases::odd(4) };
        let truth = oracle::trace(&problem).unwrap();
        let want = Want::everything();
        let mut numbers = as_read_back(&truth, &want);
        let request = decode(&encode(&problem, &truth.shape, &want, None)).unwrap();
        let whole = compact(&request, &numbers).unwrap();
        let shaped = |from: &[f32]| {
            let mut rest = from;
            let mut next = |count: usize| {
                let (taken, left) = rest.split_at_checked(count)?;
                rest = left;
                Some(taken.to_vec())
            };
            let trace = trace(&problem, truth.shape, &want, &mut next)?;
            rest.is_empty().then_some(trace)
        };
        agree("an answer", &shaped(&whole).unwrap(), &truth, 1e-6, 1e-6);
        assert!(shaped(&whole[1..]).is_none() && compact(&request, &numbers[1..]).is_none());
        numbers[0] = f32::NAN;
        assert!(compact(&request, &numbers).is_none(), "a NaN is no answer");
    }
}

#[test]
fn the_choice_of_engine_has_a_reason() {
    let small = flop(&shape(8, 16, 16, 8, 8, 64));
    let large = flop(&shape(12, 256, 256, 64, 64, 0));
    assert_eq!((small, large), (65_536, 201_326_592));
    assert!(small < WORTH_FLOP && WORTH_FLOP < large);
    let pick = |wish, flop, gpu| {
        let Choice { kind, why } = choose(wish, flop, gpu);
        (kind, why)
    };
    use Gpu::{Failed, Faster, Lost, NoAdapter, NoWebGpu, Slower, Software, Unknown, Untimed};
    for gpu in [Unknown, NoWebGpu, NoAdapter, Software, Untimed, Slower, Faster, Lost, Failed] {
        assert_eq!(pick(Some(Kind::Cpu), large, gpu), (Kind::Cpu, Why::Chosen));
        assert_eq!(pick(None, small, gpu), (Kind::Cpu, Why::TooSmall));
        let auto = if gpu == Faster { Kind::WebGpu } else { Kind::Cpu };
        assert_eq!(pick(None, large, gpu), (auto, Why::Gpu(gpu)));
        let denied = matches!(gpu, NoWebGpu | NoAdapter);
        let forced = choose(Some(Kind::WebGpu), small, gpu);
        assert_eq!(forced.is_denied(Some(Kind::WebGpu)), denied);
        assert_eq!(forced.why, if denied { Why::Gpu(gpu) } else { Why::Chosen });
    }
}

#[test]
fn every_shader_is_used() {
    let want = Want::everything();
    let plan = plan(&ask(shape(2, 3, 4, 5, 6, 7), want, MaskKind::None, None), &Limits::DEFAULT).unwrap();
    let used: BTreeSet<Shader> = passes(&plan).map(|pass| pass.shader).collect();
    assert_eq!(used, Shader::ALL.into_iter().collect());
}
