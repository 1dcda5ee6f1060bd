//! Mounts the page. On any machine but a browser it only says how to open it.

#[cfg(target_arch = "wasm32")]
fn main() {
    attention_lab::web::mount();
}

#[cfg(not(target_arch = "wasm32"))]
#[expect(clippy::print_stdout, reason = "a person who runs the page natively reads this")]
fn main() {
    println!("The page runs in a browser: cargo xtask serve");
}
