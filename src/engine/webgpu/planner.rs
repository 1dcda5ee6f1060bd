//! Makes plans: which buffers, which passes over them, in which order, within a device's limits.

use super::layout::{Grid, Item, Part, computed, length, read_back};
use super::limits::{Limits, Refusal};
use super::plan::{Ask, Buffer, Content, Pass, Plan, Role, Step};
use super::shader::{SIDE, Shader, WIDTH};
use super::sizes::{ConcatSizes, ProductSizes, RowsSizes, ScoresSizes, StageSizes};
use super::wire::{MaskKind, bits_row};
use crate::attention::{Shape, Stage};
use std::ops::Range;

/// Plans a run.
///
/// Where all heads together are more than one binding holds, blocks of heads follow each other over the same buffers.
///
/// # Errors
/// [`Refusal`] when not even one head fits, or when what is to be read back, or W_O and the joined heads, do not.
pub fn plan(ask: &Ask, limits: &Limits) -> Result<Plan, Refusal> {
    let parts = read_back(&ask.shape, &ask.want);
    let bytes = (length(&parts) as u64).saturating_mul(4);
    limits.hold("read-back", bytes)?;
    let mut planner = Planner {
        ask,
        limits,
        parts,
        plan: Plan { buffers: vec![], uniforms: vec![], steps: vec![], read_back: bytes },
    };
    planner.all()?;
    Ok(planner.plan)
}

struct Planner<'a> {
    ask: &'a Ask,
    limits: &'a Limits,
    parts: Vec<Part>,
    plan: Plan,
}

/// Sizes fit in 32 bits: every buffer was checked to be bindable.
fn word(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// vec4s of a padded width.
fn fours(width: usize) -> usize {
    width.div_ceil(4)
}

impl Planner<'_> {
    fn all(&mut self) -> Result<(), Refusal> {
        let Shape { heads, n_q, n_k, d_k, d_v, d_model } = self.ask.shape;
        let embedded = d_model > 0;
        let wants = |stage| self.ask.want.has(stage);
        let (joined, projected) = (wants(Stage::Concat) || wants(Stage::Output), embedded && wants(Stage::Output));
        let outputs = joined || wants(Stage::HeadOutput);
        // The largest array of one head decides how many heads make a block.
        let scores = Grid::new(1, n_q, n_k);
        let mut grids = vec![("scores", scores), ("q", Grid::new(1, n_q, d_k)), ("k", Grid::new(1, n_k, d_k))];
        grids.extend([("v", Grid::new(1, n_k, d_v)), ("head output", Grid::new(1, n_q, d_v))]);
        if embedded {
            grids.extend([("W_Q", Grid::new(1, d_model, d_k)), ("W_V", Grid::new(1, d_model, d_v))]);
        }
        let mut block = heads.max(1);
        for (what, grid) in grids {
            self.limits.bind(what, grid.bytes())?;
            let most = self.limits.binding.min(self.limits.buffer) / grid.bytes().max(1);
            block = block.min(usize::try_from(most).unwrap_or(usize::MAX));
        }
        let x = if embedded {
            Some((
                self.fill("x_q", Content::XQuery, Grid::new(1, n_q, d_model))?,
                self.fill("x_k", Content::XKey, Grid::new(1, n_k, d_model))?,
            ))
        } else {
            None
        };
        let mut shared = Shared::default();
        for start in (0..heads).step_by(block) {
            self.block(start..(start + block).min(heads), block, x, outputs, &mut shared)?;
            if joined && let Some(head_output) = shared.head_output {
                self.join(start..(start + block).min(heads), head_output, &mut shared.concat)?;
            }
        }
        if let Some(concat) = shared.concat {
            self.copy(Stage::Concat, 0, concat, 1);
            if projected {
                let w_o = self.fill("W_O", Content::Output, Grid::new(1, heads * d_v, d_model))?;
                let output = self.compute("output", Grid::new(1, n_q, d_model))?;
                self.product(concat, w_o, output, Grid::new(1, n_q, d_model), heads * d_v, false);
                self.copy(Stage::Output, 0, output, 1);
            }
        }
        Ok(())
    }

    /// Everything of some heads, up to their outputs.
    fn block(
        &mut self,
        heads: Range<usize>,
        block: usize,
        x: Option<(usize, usize)>,
        outputs: bool,
        shared: &mut Shared,
    ) -> Result<(), Refusal> {
        let Shape { n_q, n_k, d_k, d_v, d_model, .. } = self.ask.shape;
        let count = heads.len();
        let q_grid = Grid::new(count, n_q, d_k);
        let k_grid = Grid::new(count, n_k, d_k);
        let v_grid = Grid::new(count, n_k, d_v);
        // q, k and v: given, or x times the weights of these heads.
        let mut qkv = [0; 3];
        let names = [("q", Content::Query, Stage::Q), ("k", Content::Key, Stage::K), ("v", Content::Value, Stage::V)];
        for (((name, content, stage), grid), place) in names.into_iter().zip([q_grid, k_grid, v_grid]).zip(0..) {
            qkv[place] = match x {
                None => self.fill_heads(name, content, grid, &heads)?,
                Some((x_q, x_k)) => {
                    let w = self.fill_heads(
                        ["W_Q", "W_K", "W_V"][place],
                        content,
                        Grid::new(count, d_model, grid.columns),
                        &heads,
                    )?;
                    let to = match shared.qkv[place] {
                        Some(buffer) => buffer,
                        None => *shared.qkv[place].insert(self.compute(name, grid.stacked(block))?),
                    };
                    self.product(if place == 0 { x_q } else { x_k }, w, to, grid, d_model, false);
                    self.copy(stage, heads.start, to, count);
                    to
                }
            };
        }
        let [q, k, v] = qkv;
        let scores = Grid::new(count, n_q, n_k);
        let raw = self.once(&mut shared.raw, "raw scores", scores.stacked(block))?;
        self.scores(q, k, raw, scores);
        self.copy(Stage::Raw, heads.start, raw, count);
        let bits = match self.ask.mask {
            MaskKind::Bits { by_head } => {
                let count = if by_head { count } else { 1 };
                let bytes = (count * n_q * bits_row(n_k)) as u64 * 4;
                self.limits.bind("mask", bytes)?;
                self.buffer("mask", bytes, Role::Filled(Content::Bits, heads.clone()))
            }
            MaskKind::None | MaskKind::Causal => raw,
        };
        let bias = match self.ask.bias {
            Some(by_head) => {
                self.fill_heads("bias", Content::Bias, scores.stacked(if by_head { count } else { 1 }), &heads)?
            }
            None => raw,
        };
        for (number, stage) in (1..).zip([Stage::Scaled, Stage::Tempered, Stage::Masked]) {
            if self.ask.want.has(stage) {
                let seen = self.once(&mut shared.seen, "seen scores", scores.stacked(block))?;
                self.stage(number, [raw, bias, seen], scores);
                self.copy(stage, heads.start, seen, count);
            }
        }
        let weights = self.once(&mut shared.weights, "weights", scores.stacked(block))?;
        let statistics = self.once(&mut shared.statistics, "row statistics", Grid::new(block, n_q, 4))?;
        self.rows([raw, bits, bias, weights, statistics], scores);
        self.copy(Stage::Weights, heads.start, weights, count);
        self.copy_item(Item::Rows, heads.start, statistics, count);
        if outputs {
            let grid = Grid::new(count, n_q, d_v);
            let head_output = self.once(&mut shared.head_output, "head outputs", grid.stacked(block))?;
            self.product(weights, v, head_output, grid, n_k, true);
            self.copy(Stage::HeadOutput, heads.start, head_output, count);
        }
        Ok(())
    }

    /// The outputs of some heads into their columns of the joined heads.
    fn join(&mut self, heads: Range<usize>, head_output: usize, concat: &mut Option<usize>) -> Result<(), Refusal> {
        let Shape { heads: all, n_q, d_v, .. } = self.ask.shape;
        let grid = Grid::new(1, n_q, all * d_v);
        let to = self.once(concat, "joined heads", grid)?;
        let end = if heads.end == all { grid.padded_columns() } else { heads.end * d_v };
        let sizes = ConcatSizes {
            rows: word(grid.padded_rows()),
            columns: word(grid.columns),
            padded: word(grid.padded_columns()),
            width: word(d_v),
            padded_width: word(d_v.next_multiple_of(4)),
            first_head: word(heads.start),
            from_column: word(heads.start * d_v),
            to_column: word(end),
        };
        let workgroups = [end - heads.start * d_v, grid.padded_rows(), SIDE].map(|size| word(size.div_ceil(SIDE)));
        self.pass(Shader::Concat, side(), vec![head_output, to], sizes.words(), workgroups);
        Ok(())
    }

    fn product(&mut self, a: usize, w: usize, out: usize, grid: Grid, inner: usize, stacked: bool) {
        let (tiles, inner, columns) = (fours(grid.rows), fours(inner), fours(grid.columns));
        let work = inner * 4 * columns * 4 * 4;
        for (batches, rows) in self.split(grid.stack, tiles, SIDE, work) {
            let sizes = ProductSizes {
                tiles: word(tiles),
                inner: word(inner),
                columns: word(columns),
                a_step: if stacked { word(tiles * 4 * inner) } else { 0 },
                first_tile: word(rows.start),
                first_batch: word(batches.start),
            };
            let workgroups = [word(columns.div_ceil(SIDE)), word(rows.len().div_ceil(SIDE)), word(batches.len())];
            self.pass(Shader::Product, side(), vec![a, w, out], sizes.words(), workgroups);
        }
    }

    fn scores(&mut self, q: usize, k: usize, raw: usize, grid: Grid) {
        let (tiles, keys, inner) = (fours(grid.rows), fours(grid.columns), fours(self.ask.shape.d_k));
        for (batches, rows) in self.split(grid.stack, tiles, SIDE, inner * 4 * keys * 4 * 4) {
            let sizes = ScoresSizes {
                tiles: word(tiles),
                keys: word(keys),
                inner: word(inner),
                first_tile: word(rows.start),
                first_batch: word(batches.start),
            };
            let workgroups = [word(keys.div_ceil(SIDE)), word(rows.len().div_ceil(SIDE)), word(batches.len())];
            self.pass(Shader::Scores, side(), vec![q, k, raw], sizes.words(), workgroups);
        }
    }

    fn stage(&mut self, number: u32, buffers: [usize; 3], grid: Grid) {
        let keys = fours(grid.columns);
        for (batches, rows) in self.split(grid.stack, grid.padded_rows(), SIDE, keys * 4 * 2) {
            let sizes = StageSizes {
                rows: word(grid.padded_rows()),
                keys: word(keys),
                bias_step: self.bias_step(grid),
                scale: self.ask.scale,
                temperature: self.ask.temperature,
                first_row: word(rows.start),
                first_batch: word(batches.start),
            };
            let workgroups = [word(keys.div_ceil(SIDE)), word(rows.len().div_ceil(SIDE)), word(batches.len())];
            let constants = [side(), vec![("STAGE", number), ("BIAS", self.has_bias())]].concat();
            self.pass(Shader::Stage, constants, buffers.to_vec(), sizes.words(), workgroups);
        }
    }

    fn rows(&mut self, buffers: [usize; 5], grid: Grid) {
        let bits = bits_row(grid.columns);
        let (mask, bits_step) = match self.ask.mask {
            MaskKind::None => (0, 0),
            MaskKind::Causal => (1, 0),
            MaskKind::Bits { by_head } => (2, if by_head { grid.rows * bits } else { 0 }),
        };
        // About sixteen operations a key.
        for (batches, rows) in self.split(grid.stack, grid.padded_rows(), WIDTH, grid.columns * 16) {
            let sizes = RowsSizes {
                rows: word(grid.rows),
                padded_rows: word(grid.padded_rows()),
                keys: word(grid.columns),
                columns: word(fours(grid.columns)),
                bits_step: word(bits_step),
                bits_row: word(bits),
                bias_step: self.bias_step(grid),
                scale: self.ask.scale,
                temperature: self.ask.temperature,
                first_row: word(rows.start),
                first_batch: word(batches.start),
            };
            let constants = vec![("WIDTH", word(WIDTH)), ("MASK", mask), ("BIAS", self.has_bias())];
            let workgroups = [word(rows.len().div_ceil(WIDTH)), word(batches.len()), 1];
            self.pass(Shader::Rows, constants, buffers.to_vec(), sizes.words(), workgroups);
        }
    }

    fn has_bias(&self) -> u32 {
        u32::from(self.ask.bias.is_some())
    }

    fn bias_step(&self, grid: Grid) -> u32 {
        if self.ask.bias == Some(true) { word(grid.matrix() / 4) } else { 0 }
    }

    /// Parts of a stack of `rows` that one dispatch each may do: by matrices, and a large matrix by rows in whole
    /// workgroups of `group`. `work` is that of one row.
    fn split(&self, stack: usize, rows: usize, group: usize, work: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let most = usize::try_from(self.limits.work).unwrap_or(usize::MAX);
        let workgroups = usize::try_from(self.limits.workgroups).unwrap_or(usize::MAX);
        let matrix = rows.saturating_mul(work).max(1);
        let rows_each = (most / work.max(1) / group * group).clamp(group, workgroups.saturating_mul(group));
        let matrices_each = if rows_each >= rows { (most / matrix).clamp(1, workgroups) } else { 1 };
        let mut parts = Vec::new();
        for first in (0..stack).step_by(matrices_each) {
            for row in (0..rows).step_by(rows_each) {
                parts.push((first..(first + matrices_each).min(stack), row..(row + rows_each).min(rows)));
            }
        }
        parts
    }

    fn pass(
        &mut self,
        shader: Shader,
        constants: Vec<(&'static str, u32)>,
        buffers: Vec<usize>,
        sizes: Vec<u32>,
        workgroups: [u32; 3],
    ) {
        let uniforms = &mut self.plan.uniforms;
        let stretch = usize::try_from(self.limits.uniform_alignment).unwrap_or(256) / 4;
        uniforms.resize(uniforms.len().next_multiple_of(stretch.max(1)), 0);
        let (at, bytes) = (word(uniforms.len() * 4), word(sizes.len() * 4));
        uniforms.extend(sizes);
        let pass = Pass { shader, constants, buffers, uniforms: at, uniform_bytes: bytes, workgroups };
        self.plan.steps.push(Step::Pass(pass));
    }

    /// Hands back what the first `count` matrices of `buffer` hold of `stage`, where it is wanted.
    fn copy(&mut self, stage: Stage, first: usize, buffer: usize, count: usize) {
        if computed(stage, &self.ask.shape).is_some() {
            self.copy_item(Item::Stage(stage), first, buffer, count);
        }
    }

    fn copy_item(&mut self, item: Item, first: usize, buffer: usize, count: usize) {
        let Some(part) = self.parts.iter().find(|part| part.item == item) else { return };
        let to = ((part.start + first * part.grid.matrix()) as u64) * 4;
        self.plan.steps.push(Step::Copy { buffer, to, bytes: part.grid.stacked(count).bytes() });
    }

    fn buffer(&mut self, name: &'static str, bytes: u64, role: Role) -> usize {
        self.plan.buffers.push(Buffer { name, bytes, role });
        self.plan.buffers.len() - 1
    }

    fn fill(&mut self, name: &'static str, content: Content, grid: Grid) -> Result<usize, Refusal> {
        self.fill_heads(name, content, grid, &(0..1))
    }

    fn fill_heads(
        &mut self,
        name: &'static str,
        content: Content,
        grid: Grid,
        heads: &Range<usize>,
    ) -> Result<usize, Refusal> {
        self.limits.bind(name, grid.bytes())?;
        Ok(self.buffer(name, grid.bytes(), Role::Filled(content, heads.clone())))
    }

    fn compute(&mut self, name: &'static str, grid: Grid) -> Result<usize, Refusal> {
        self.limits.bind(name, grid.bytes())?;
        Ok(self.buffer(name, grid.bytes(), Role::Computed))
    }

    /// A buffer that blocks of heads use one after the other.
    fn once(&mut self, known: &mut Option<usize>, name: &'static str, grid: Grid) -> Result<usize, Refusal> {
        match *known {
            Some(buffer) => Ok(buffer),
            None => Ok(*known.insert(self.compute(name, grid)?)),
        }
    }
}

fn side() -> Vec<(&'static str, u32)> {
    vec![("SIDE", word(SIDE))]
}

/// Buffers that blocks of heads share.
#[derive(Default)]
struct Shared {
    qkv: [Option<usize>; 3],
    raw: Option<usize>,
    seen: Option<usize>,
    weights: Option<usize>,
    statistics: Option<usize>,
    head_output: Option<usize>,
    concat: Option<usize>,
}
