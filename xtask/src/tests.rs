//! The parts of this program that read other programs' texts, tried on those texts.

use crate::names;
use crate::page::{link_style, modules_of, move_start_script, without_comments, without_preloads};
use crate::relaxed::optimisation;
use crate::setup::locked_version;
use crate::tally::Tally;

fn tally(output: &str) -> Tally {
    let mut tally = Tally::default();
    output.lines().for_each(|line| tally.listen(line));
    tally
}

#[test]
fn cargo_results_are_added_up() {
    let seen = tally(
        "running 3 tests\ntest a ... ok\n\n\
         test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.00s\n\
         test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n",
    );
    assert_eq!(seen, Tally { passed: 7, failed: 2, skipped: 1 });
    assert_eq!(seen.closing_line(), "7 passed, 2 failed, 1 skipped");
}

#[test]
fn node_results_are_counted_in_both_reporters() {
    let spec = tally("ℹ tests 9\nℹ suites 0\nℹ pass 5\nℹ fail 2\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n");
    assert_eq!(spec, Tally { passed: 5, failed: 3, skipped: 1 });
    assert_eq!(tally("# pass 2\n# fail 0\n# a pass 9\n"), Tally { passed: 2, failed: 0, skipped: 0 });
}

#[test]
fn coloured_results_count_too() {
    let cargo = "test result: \u{1b}[32mok\u{1b}(B\u{1b}[m. 3 passed; 0 failed; 0 ignored";
    assert_eq!(tally(cargo), Tally { passed: 3, failed: 0, skipped: 0 });
    assert_eq!(tally("\u{1b}[34mℹ fail 2\u{1b}[39m"), Tally { passed: 0, failed: 2, skipped: 0 });
}

#[test]
fn a_clean_tally_says_nothing_of_skipped() {
    assert_eq!(Tally { passed: 1, failed: 0, skipped: 0 }.closing_line(), "1 passed, 0 failed");
}

#[test]
fn the_locked_version_is_the_named_packages_own() {
    let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.1\"\n\n\
                [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.129\"\n";
    assert_eq!(locked_version(lock, "wasm-bindgen").ok().as_deref(), Some("0.2.129"));
    assert!(locked_version(lock, "wasm").is_err());
}

const TRUNKS: &str = "<head>\n<script src=\"./start-1f.js\" defer></script>\n\n<script type=\"module\">\n\
    import init, * as bindings from './page-2e.js';\n\
    const wasm = await init({ module_or_path: './page-2e_bg.wasm' });\n</script>\n<link rel=\"preload\">";

#[test]
fn the_inline_script_becomes_two_attributes() {
    let html = move_start_script(TRUNKS, &[]).expect("Trunk's form");
    assert_eq!(
        html,
        "<head>\n<script data-page=\"./page-2e.js\" data-wasm=\"./page-2e_bg.wasm\" src=\"./start-1f.js\" defer></script>\
         \n<link rel=\"preload\">"
    );
}

#[test]
fn modules_that_come_later_are_named_to_the_start_script() {
    let link = |rest: &str| format!("<link data-trunk rel=\"rust\" {rest} />\n");
    let index = link("data-bin=\"page\"")
        + &link("data-bin=\"gpu\" data-type=\"worker\"")
        + &link("data-type=\"worker\" data-bin=\"other\"");
    assert_eq!(modules_of(&index), ["gpu", "other"]);
    let html = move_start_script(TRUNKS, &[("gpu".into(), "gpu-3f.js".into())]).expect("Trunk's form");
    assert!(html.contains("data-wasm=\"./page-2e_bg.wasm\" data-gpu=\"./gpu-3f.js\" src="), "{html}");
}

#[test]
fn the_minified_page_is_read_as_well() {
    let minified = TRUNKS.replace("type=\"module\"", "type=module").replace("\"./start-1f.js\"", "./start-1f.js");
    let html = move_start_script(&minified, &[]).expect("Trunk's minified form");
    assert!(
        html.contains("<script data-page=\"./page-2e.js\" data-wasm=\"./page-2e_bg.wasm\" src=./start-1f.js defer>")
    );
    assert!(
        link_style("<link href=style.css rel=stylesheet>", "s.css").is_ok_and(|html| html.contains("href=\"./s.css\""))
    );
}

#[test]
fn another_form_of_trunks_page_is_refused() {
    for broken in ["type=\"module\"", "from '", "module_or_path", "src=\"./start-"] {
        assert!(move_start_script(&TRUNKS.replace(broken, ""), &[]).is_err(), "without {broken}");
    }
}

#[test]
fn the_style_link_is_replaced_exactly_once() {
    let link = "<link rel=\"stylesheet\" href=\"style.css\" />";
    assert!(link_style(link, "style-7.css").is_ok_and(|html| html.contains("href=\"./style-7.css\"")));
    assert!(link_style("", "style-7.css").is_err());
    assert!(link_style(&link.repeat(2), "style-7.css").is_err());
}

#[test]
fn css_comments_go_and_quoted_text_stays() {
    let css = "/* top */\na { content: \"/* kept */\"; } /* gone\nover lines */\n\n.b::before { content: '\\'/*'; width: calc(1px / 2) }\n";
    assert_eq!(
        without_comments(css),
        "a { content: \"/* kept */\"; }\n.b::before { content: '\\'/*'; width: calc(1px / 2) }\n"
    );
    assert_eq!(without_comments("a{}/* never closed"), "a{}\n");
}

#[test]
fn imports_get_calmer_names_in_both_files_and_nothing_else_changes() {
    let (a, b, c) =
        ("__wbg_new_617a8cdb8bb1130e", "__wbg_new_ee2291f50781bf1d", "__wbg_set_fillStyle_00000000000000aa");
    let mut glue =
        format!("{{{a}:()=>1,{b}:()=>2,{c}:3,__wbg_x_free:4,__wbg_short_12:5,y:\"__wbindgen_{a}\"}}").into_bytes();
    let mut program =
        [&[26, 0xff][..], b.as_bytes(), &[0, 26], a.as_bytes(), &[0, 35], c.as_bytes(), &[0, 0xff]].concat();
    let lengths = (glue.len(), program.len());
    names::calm(&mut glue, &mut program);
    assert_eq!((glue.len(), program.len()), lengths);
    let (a, b) = ("__wbg_new_0000000000000001", "__wbg_new_0000000000000002");
    let c = "__wbg_set_fillStyle_0000000000000001";
    let text = String::from_utf8(glue).expect("text stays text");
    assert_eq!(text, format!("{{{a}:()=>1,{b}:()=>2,{c}:3,__wbg_x_free:4,__wbg_short_12:5,y:\"__wbindgen_{a}\"}}"));
    assert_eq!(
        program,
        [&[26, 0xff][..], b.as_bytes(), &[0, 26], a.as_bytes(), &[0, 35], c.as_bytes(), &[0, 0xff]].concat()
    );
}

#[test]
fn a_program_is_optimised_as_index_html_says() {
    let index =
        "<link data-trunk rel=\"rust\" data-bin=\"page\" data-wasm-opt=\"z\" data-wasm-opt-params=\"--a -Oz\" />
        <link data-trunk rel=\"rust\" data-bin=\"lab\" data-type=\"worker\" data-wasm-opt=\"3\" />";
    assert_eq!(optimisation(index, "page"), Some(("z", vec!["--a", "-Oz"])));
    assert_eq!(optimisation(index, "lab"), Some(("3", vec![])));
    assert_eq!(optimisation(index, "la"), None, "no program has half a name");
    let own = include_str!("../../index.html");
    for program in ["page", "document", "lab"] {
        assert!(optimisation(own, program).is_some(), "{program}");
    }
}

#[test]
fn preloads_go_and_nothing_else_does() {
    let page = "<head><link rel=icon href=a><link crossorigin href=./p.js rel=modulepreload><title>a > b</title>\
        <link as=fetch href=./p.wasm rel=\"preload\" type=application/wasm><link rel=stylesheet href=s.css></head>";
    let want = "<head><link rel=icon href=a><title>a > b</title><link rel=stylesheet href=s.css></head>";
    assert_eq!(without_preloads(page), want);
    assert_eq!(without_preloads("no link"), "no link");
}
