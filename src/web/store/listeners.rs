//! Lists of listeners that may come and go while they are called.

use std::cell::RefCell;
use std::rc::Rc;

pub type Listener<T> = Rc<dyn Fn(T)>;

/// A list of listeners; a subscription forgets its own when it is dropped.
pub struct Listeners<T>(RefCell<Vec<(u64, Listener<T>)>>);

impl<T: Clone> Listeners<T> {
    /// Nobody listens yet.
    pub const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    /// Adds a listener by which `id` it will be forgotten.
    pub fn add(&self, id: u64, listener: Listener<T>) {
        self.0.borrow_mut().push((id, listener));
    }

    /// Forgets a listener.
    pub fn forget(&self, id: u64) {
        self.0.borrow_mut().retain(|(known, _)| *known != id);
    }

    /// How many listen.
    pub fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Calls every listener.
    pub fn publish(&self, value: &T) {
        // A listener may subscribe or leave while it is called.
        let now: Vec<Listener<T>> = self.0.borrow().iter().map(|(_, listener)| Rc::clone(listener)).collect();
        for listener in now {
            listener(value.clone());
        }
    }
}
