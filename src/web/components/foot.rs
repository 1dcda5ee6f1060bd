//! What computed this, how fast, how large, and that nothing leaves the page.

use crate::locale::words;
use crate::text::Lang;
use crate::web::shared::Shared;
use crate::web::store::Snapshot;
use yew::prelude::*;

/// Properties of [`Foot`].
#[derive(Properties, PartialEq)]
pub struct FootProps {
    /// What is shown.
    pub snapshot: Shared<Snapshot>,
}

/// The status line.
#[component]
pub fn Foot(props: &FootProps) -> Html {
    let Snapshot { lang, picture, elapsed_ms, settings, .. } = &*props.snapshot;
    let w = words(*lang);
    let shape = picture.trace.shape;
    let why = match settings.engine {
        crate::state::EngineChoice::Auto => w.engine_why_auto,
        crate::state::EngineChoice::Cpu => w.engine_why_chosen,
    };
    let middle = if *lang == Lang::Zh { "：" } else { ": " };
    html! {
        <footer class="foot">
            <span data-name="engine">{ "CPU · simd128 · f32" }{ middle }{ why }{ " · " }{ format!("{elapsed_ms:.2} ms") }</span>
            <span>{ format!("{} {} · {} {} · ", shape.n_q, w.tokens_unit, shape.heads, w.heads_unit) }{ "d" }<sub>{ "k" }</sub>{ format!(" {}", shape.d_k) }</span>
            <span class="last">{ w.no_network }</span>
        </footer>
    }
}
