//! One Yew component for every part of the page that has a state or a canvas of its own.
//!
//! Yew's life cycle is generic over the component, and each further one costs about nine kilobytes of code. So there is
//! one, [`Part`], and what differs from part to part is a value: a [`Body`].

use crate::web::renders;
use std::any::Any;
use std::rc::Rc;
use yew::functional::{Hook, HookContext};
use yew::prelude::*;

/// What a part is drawn from. A part is drawn again when its body is another than before, or its own state changed.
pub trait Body: PartialEq + 'static {
    /// The part's name, by which its state is found again and its renderings are counted.
    const NAME: &'static str;

    /// Draws the part; may use hooks.
    fn draw(&self) -> impl Hook<Output = Html>;
}

/// Places a part. Among its neighbours there is only one of its kind.
pub fn part<B: Body>(body: B) -> Html {
    html! { <Part key={B::NAME} body={Shape(Rc::new(body))} /> }
}

/// A [`Body`] of any kind.
trait AnyBody {
    fn run(&self, context: &mut HookContext) -> Html;
    fn is(&self, other: &dyn AnyBody) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<B: Body> AnyBody for B {
    fn run(&self, context: &mut HookContext) -> Html {
        renders::count(B::NAME);
        self.draw().run(context)
    }

    fn is(&self, other: &dyn AnyBody) -> bool {
        other.as_any().downcast_ref::<B>() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Clone)]
struct Shape(Rc<dyn AnyBody>);

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(&*other.0)
    }
}

#[derive(Properties, PartialEq)]
struct PartProps {
    body: Shape,
}

#[component]
fn Part(props: &PartProps) -> Html {
    use_body(&*props.body.0)
}

/// Runs the hooks of a body as the component's own.
fn use_body(body: &dyn AnyBody) -> UseBody<'_> {
    UseBody(body)
}

struct UseBody<'a>(&'a dyn AnyBody);

impl Hook for UseBody<'_> {
    type Output = Html;

    fn run(self, context: &mut HookContext) -> Html {
        self.0.run(context)
    }
}
