//! Arrays across the border: `{shape, data}` in and out, validated, and the error that scripts catch.

use crate::attention::ProblemError;
use crate::engine::choice::Kind;
use crate::locale;
use crate::state::InputError;
use crate::tensor::Heads;
use crate::text::Lang;
use js_sys::{Array, Error, Float32Array, Object, Reflect, Uint8Array};
use ndarray::Dimension;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// Largest number of elements of one array: what this engine computes at once in a page's memory.
const MOST_ELEMENTS: usize = 1 << 26;

/// An array that `attention()` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Weights,
    Output,
    Scores,
    Entropy,
}

// Properties by getters and setters of the glue: a name as a Rust string would be decoded anew at every call, which takes
// longer than a small problem's numbers.
#[wasm_bindgen]
extern "C" {
    /// The argument of `attention()`, a plain object (static/start.js makes one).
    type Input;
    #[wasm_bindgen(method, getter)]
    fn q(this: &Input) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn k(this: &Input) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn v(this: &Input) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn mask(this: &Input) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn causal(this: &Input) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn scale(this: &Input) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn temperature(this: &Input) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn engine(this: &Input) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn want(this: &Input) -> JsValue;

    /// `{shape, data}`
    type ArrayObject;
    #[wasm_bindgen(method, getter)]
    fn shape(this: &ArrayObject) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn data(this: &ArrayObject) -> JsValue;
    #[wasm_bindgen(method, setter)]
    fn set_shape(this: &ArrayObject, shape: &JsValue);
    #[wasm_bindgen(method, setter)]
    fn set_data(this: &ArrayObject, data: &JsValue);

    /// What `attention()` answers.
    pub type Answer;
    /// An array `{shape, data}`.
    #[wasm_bindgen(method, setter)]
    pub fn set_weights(this: &Answer, array: &JsValue);
    /// An array `{shape, data}`.
    #[wasm_bindgen(method, setter)]
    pub fn set_output(this: &Answer, array: &JsValue);
    /// An array `{shape, data}`.
    #[wasm_bindgen(method, setter)]
    pub fn set_scores(this: &Answer, array: &JsValue);
    /// An array `{shape, data}`.
    #[wasm_bindgen(method, setter)]
    pub fn set_entropy(this: &Answer, array: &JsValue);
    /// A list of `{code, text}`.
    #[wasm_bindgen(method, setter)]
    pub fn set_warnings(this: &Answer, list: &JsValue);
    /// The name of the engine that computed.
    #[wasm_bindgen(method, setter)]
    pub fn set_engine(this: &Answer, name: &JsValue);
    /// Milliseconds from arrays to numbers.
    #[wasm_bindgen(method, setter, js_name = elapsedMs)]
    pub fn set_elapsed_ms(this: &Answer, elapsed_ms: f64);
}

thread_local! {
    static CPU: JsValue = Kind::Cpu.name().into();
}

impl From<Object> for Answer {
    fn from(object: Object) -> Self {
        object.unchecked_into()
    }
}

/// The name of an engine.
pub fn name_of(kind: Kind) -> JsValue {
    match kind {
        Kind::Cpu => CPU.with(JsValue::clone),
        Kind::WebGpu => kind.name().into(),
    }
}

/// What `attention()` was asked, validated as far as single arrays go.
pub struct Request {
    /// `[h, n_q, d]`
    pub q: Rc<Heads<f32>>,
    /// `[h, n_k, d]`
    pub k: Rc<Heads<f32>>,
    /// `[h, n_k, d_v]`
    pub v: Rc<Heads<f32>>,
    /// A mask of permissions, `[1 or h, n_q, n_k]`.
    pub given: Option<Rc<Heads<bool>>>,
    /// A mask that is added, `[1 or h, n_q, n_k]`.
    pub bias: Option<Rc<Heads<f32>>>,
    /// Whether key j ≤ query i only.
    pub causal: bool,
    /// What scores are multiplied by; `None` is 1/√d.
    pub scale: Option<f32>,
    /// What scaled scores are divided by.
    pub temperature: f32,
    /// The engine that was asked for; `None` is automatic.
    pub engine: Option<Kind>,
    /// Which arrays to return.
    pub want: Vec<Wanted>,
}

/// Makes the `Error` that scripts catch: name `AttentionError`, a `code`, and a sentence.
pub struct AttentionError;

impl AttentionError {
    /// An error with a code and a sentence.
    #[expect(clippy::new_ret_no_self, reason = "the value lives on the JavaScript side")]
    pub fn new(code: &str, text: &str) -> JsValue {
        let error = Error::new(text);
        error.set_name("AttentionError");
        // A plain error takes every property.
        let _ = Reflect::set(&error, &"code".into(), &code.into());
        error.into()
    }

    /// The error of a problem that can't be computed.
    pub fn of_problem(lang: Lang, error: &ProblemError) -> JsValue {
        let code = match error {
            ProblemError::Shape { .. } => "shape",
            ProblemError::Empty { .. } => "empty",
            ProblemError::NotFinite { .. } => "not_finite",
            ProblemError::Temperature { .. } => "temperature",
            ProblemError::Scale { .. } => "scale",
        };
        Self::new(code, &locale::problem_error(lang, error))
    }

    fn of_input(lang: Lang, error: &InputError) -> JsValue {
        Self::new(error.code(), &locale::input_error(lang, error))
    }
}

#[wasm_bindgen]
extern "C" {
    /// JavaScript's own `String(value)`; a symbol or a broken `toString` throws.
    #[wasm_bindgen(js_name = String, catch)]
    fn javascript_string(value: &JsValue) -> Result<String, JsValue>;
}

fn text_in_javascript(value: &JsValue) -> String {
    javascript_string(value).unwrap_or_default()
}

/// Any value as a person would write it.
pub fn to_text(value: &JsValue) -> String {
    if value.is_null() {
        return String::new();
    }
    value.as_string().unwrap_or_else(|| text_in_javascript(value))
}

/// A typed array of its own. Made empty and then filled, which browsers do faster than both at once.
fn copied(numbers: &[f32]) -> Float32Array {
    let length = u32::try_from(numbers.len()).unwrap_or(u32::MAX); // memory ends before
    let array = Float32Array::new_with_length(length);
    array.copy_from(numbers);
    array
}

/// `{shape, data}` with a `Float32Array`.
pub fn array_out<D: Dimension>(array: &ndarray::Array<f32, D>) -> JsValue {
    // Straight from where the numbers stand, when they stand in order.
    let data = match array.as_slice() {
        Some(numbers) => copied(numbers),
        None => copied(&array.iter().copied().collect::<Vec<_>>()),
    };
    let sizes = Array::new();
    for &size in array.shape() {
        #[expect(clippy::cast_precision_loss, reason = "sizes that fit in memory")]
        sizes.push(&JsValue::from(size as f64));
    }
    let out: ArrayObject = Object::new().unchecked_into();
    out.set_shape(&sizes);
    out.set_data(&data);
    out.into()
}

/// Reads the argument of `attention()`.
pub fn request(lang: Lang, input: &JsValue) -> Result<Request, JsValue> {
    read(input).map_err(|error| AttentionError::of_input(lang, &error))
}

fn read(input: &JsValue) -> Result<Request, InputError> {
    if !input.is_object() {
        return Err(InputError::NotAnObject);
    }
    let input: &Input = input.unchecked_ref();
    let engine = engine(&input.engine())?;
    let q = heads(&input.q(), "q")?;
    let k = heads(&input.k(), "k")?;
    let v = heads(&input.v(), "v")?;
    let (given, bias) = mask(&input.mask())?;
    // The weights are the largest array of all: [h, n_q, n_k].
    let (h, n_q, n_k) = (q.dim().0, q.dim().1, k.dim().1);
    if h.checked_mul(n_q).and_then(|rows| rows.checked_mul(n_k)).is_none_or(|cells| cells > MOST_ELEMENTS) {
        return Err(InputError::TooLarge { name: "h × nq × nk", most: MOST_ELEMENTS });
    }
    Ok(Request {
        q: Rc::new(q),
        k: Rc::new(k),
        v: Rc::new(v),
        given,
        bias,
        causal: input.causal().is_truthy(),
        scale: number(&input.scale(), "scale")?,
        temperature: number(&input.temperature(), "temperature")?.unwrap_or(1.0),
        engine,
        want: want(&input.want())?,
    })
}

fn engine(value: &JsValue) -> Result<Option<Kind>, InputError> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    if CPU.with(|name| value == name) {
        return Ok(Some(Kind::Cpu));
    }
    match value.as_string().as_deref() {
        Some("auto") => Ok(None),
        Some("webgpu") => Ok(Some(Kind::WebGpu)),
        _ => Err(InputError::Engine { given: to_text(value) }),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "engines compute in f32")]
fn number(value: &JsValue, name: &'static str) -> Result<Option<f32>, InputError> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    let number = value.as_f64().ok_or_else(|| InputError::NotANumber { name, given: to_text(value) })?;
    Ok(Some(number as f32))
}

fn want(value: &JsValue) -> Result<Vec<Wanted>, InputError> {
    if value.is_undefined() || value.is_null() {
        return Ok(vec![Wanted::Weights, Wanted::Output]);
    }
    let Some(names) = list(value) else { return Err(InputError::Want { given: to_text(value) }) };
    let known = |name: JsValue| match name.as_string().as_deref() {
        Some("weights") => Ok(Wanted::Weights),
        Some("output") => Ok(Wanted::Output),
        Some("scores") => Ok(Wanted::Scores),
        Some("entropy") => Ok(Wanted::Entropy),
        _ => Err(InputError::Want { given: to_text(&name) }),
    };
    names.iter().map(known).collect()
}

fn list(value: &JsValue) -> Option<&Array> {
    Array::is_array(value).then(|| value.unchecked_ref())
}

fn shape(array: &ArrayObject, name: &'static str) -> Result<Vec<usize>, InputError> {
    let value = array.shape();
    let Some(sizes) = list(&value) else { return Err(InputError::NoShape { name }) };
    sizes
        .iter()
        .map(|size| match size.as_f64() {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be a small whole number"
            )]
            Some(size) if size >= 0.0 && size.fract() == 0.0 && size <= 4_294_967_295.0 => Ok(size as usize),
            _ => Err(InputError::NoShape { name }),
        })
        .collect()
}

/// Checks that `length` elements are what `sizes` holds, and not more than a page can compute.
fn fits(name: &'static str, sizes: &[usize], length: usize) -> Result<(), InputError> {
    let product = sizes.iter().fold(1_usize, |all, &size| all.saturating_mul(size));
    match product {
        count if count > MOST_ELEMENTS => Err(InputError::TooLarge { name, most: MOST_ELEMENTS }),
        count if count == length => Ok(()),
        _ => Err(InputError::Length { name, got: length, shape: sizes.to_vec() }),
    }
}

fn object<'a>(value: &'a JsValue, name: &'static str) -> Result<&'a ArrayObject, InputError> {
    if value.is_object() { Ok(value.unchecked_ref()) } else { Err(InputError::Missing { name }) }
}

fn heads(value: &JsValue, name: &'static str) -> Result<Heads<f32>, InputError> {
    let array = object(value, name)?;
    let sizes = shape(array, name)?;
    let &[h, n, d] = sizes.as_slice() else { return Err(InputError::Rank { name, got: sizes, want: "[h, n, d]" }) };
    let data = array.data();
    let Ok(data) = data.dyn_into::<Float32Array>() else { return Err(InputError::NotFloat32 { name }) };
    fits(name, &sizes, data.length() as usize)?;
    Heads::from_shape_vec((h, n, d), data.to_vec()).map_err(|_| InputError::Length {
        name,
        got: data.length() as usize,
        shape: vec![h, n, d],
    })
}

type Masks = (Option<Rc<Heads<bool>>>, Option<Rc<Heads<f32>>>);

fn mask(value: &JsValue) -> Result<Masks, InputError> {
    const NAME: &str = "mask";
    if value.is_undefined() || value.is_null() {
        return Ok((None, None));
    }
    let array = object(value, NAME)?;
    let sizes = shape(array, NAME)?;
    let (h, n_q, n_k) = match *sizes.as_slice() {
        [n_q, n_k] => (1, n_q, n_k),
        [h, n_q, n_k] => (h, n_q, n_k),
        _ => return Err(InputError::Rank { name: NAME, got: sizes, want: "[nq, nk] / [h, nq, nk]" }),
    };
    let data = array.data();
    let wrong = |length: usize| InputError::Length { name: NAME, got: length, shape: vec![h, n_q, n_k] };
    if let Some(bytes) = data.dyn_ref::<Uint8Array>() {
        fits(NAME, &sizes, bytes.length() as usize)?;
        let permitted = bytes.to_vec().into_iter().map(|byte| byte != 0).collect();
        let given = Heads::from_shape_vec((h, n_q, n_k), permitted).map_err(|_| wrong(bytes.length() as usize))?;
        return Ok((Some(Rc::new(given)), None));
    }
    let Ok(data) = data.dyn_into::<Float32Array>() else { return Err(InputError::MaskData) };
    fits(NAME, &sizes, data.length() as usize)?;
    let bias = Heads::from_shape_vec((h, n_q, n_k), data.to_vec()).map_err(|_| wrong(data.length() as usize))?;
    Ok((None, Some(Rc::new(bias))))
}
