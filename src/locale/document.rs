//! The texts of the view on a long text, in Chinese and English.

use crate::attention::document::Role;
use crate::attention::{Pattern, Sparse};
use crate::text::Lang;

/// Every text of the view that has no data in it.
#[expect(missing_docs, reason = "the fields are named for where they stand; the texts below say the rest")]
pub struct DocumentWords {
    pub title: &'static str,
    pub back: &'static str,
    pub texts: &'static str,
    pub names: [&'static str; 2],
    pub own: &'static str,
    pub open_file: &'static str,
    pub drop_here: &'static str,
    pub not_in_link: &'static str,
    pub copy_link: &'static str,
    pub copied: &'static str,
    pub copy_failed: &'static str,
    pub weights: &'static str,
    pub constructed: &'static str,
    pub random: &'static str,
    pub badge_constructed: &'static str,
    pub badge_random: &'static str,
    pub heads: &'static str,
    pub mask: &'static str,
    pub causal: &'static str,
    pub full: &'static str,
    pub window: &'static str,
    pub strided: &'static str,
    pub temperature: &'static str,
    pub each_cell: &'static str,
    pub max: &'static str,
    pub mean: &'static str,
    pub max_note: &'static str,
    pub mean_note: &'static str,
    pub zoom_in: &'static str,
    pub zoom_out: &'static str,
    pub zoom_all: &'static str,
    pub map: &'static str,
    pub map_keys: &'static str,
    pub small_map: &'static str,
    pub queries: &'static str,
    pub keys: &'static str,
    pub log_scale: &'static str,
    pub forbidden: &'static str,
    pub why: &'static str,
    pub by_construction: &'static str,
    pub by_mask: &'static str,
    pub by_text: &'static str,
    pub row: &'static str,
    pub row_hint: &'static str,
    pub under_pointer: &'static str,
    pub no_pointer: &'static str,
    pub same_word: &'static str,
    pub itself: &'static str,
    pub stop: &'static str,
    pub resume: &'static str,
    pub stopped: &'static str,
    pub done: &'static str,
    pub loading: &'static str,
    pub nothing: &'static str,
    pub not_loaded: &'static str,
    pub unknown_name: &'static str,
    pub overflow: &'static str,
    pub broken: &'static str,
}

/// The texts of a language.
#[must_use]
pub const fn document_words(lang: Lang) -> &'static DocumentWords {
    match lang {
        Lang::Zh => &ZH,
        Lang::En => &EN,
    }
}

const ZH: DocumentWords = DocumentWords {
    title: "整篇文章的注意力",
    back: "回到句子",
    texts: "文章",
    names: ["三国演义 · 前三回", "爱丽丝漫游奇境（英文）· 前五章"],
    own: "自己的文章",
    open_file: "打开文件…",
    drop_here: "也可以把文件拖进来，或者直接粘贴。",
    not_in_link: "您自己的文章不在链接里，也不会离开这台电脑。",
    copy_link: "复制链接",
    copied: "已复制。",
    copy_failed: "浏览器不许复制：请从地址栏复制。",
    weights: "权重",
    constructed: "构造",
    random: "随机",
    badge_constructed: "为长文手工构造 · 未经训练",
    badge_random: "随机权重 · 未经训练",
    heads: "头",
    mask: "掩码",
    causal: "因果",
    full: "全部",
    window: "窗口",
    strided: "跨步",
    temperature: "温度",
    each_cell: "一格显示",
    max: "最大",
    mean: "平均",
    max_note: "一格代表许多权重时，显示其中最大的：缩得再小，尖峰也不会消失。",
    mean_note: "一格代表许多权重时，显示它们的平均：孤立的尖峰会变淡。",
    zoom_in: "放大",
    zoom_out: "缩小",
    zoom_all: "看全图",
    map: "权重图：一行是一个在看的词，一列是一个被看的词",
    map_keys: "滚轮、双指或 + − 缩放，拖动平移，方向键移动所选的格，0 看全图。",
    small_map: "小地图：点一下就移到那里",
    queries: "在看的词",
    keys: "被看的词",
    log_scale: "颜色按对数",
    forbidden: "掩码不许看",
    why: "图案从哪来",
    by_construction: "构造",
    by_mask: "掩码",
    by_text: "文章",
    row: "这一行",
    row_hint: "点一下图，就能读出一行。",
    under_pointer: "指针下",
    no_pointer: "把指针移到图上，就能读到准确的权重。",
    same_word: "同一个词",
    itself: "它自己",
    stop: "停止",
    resume: "继续",
    stopped: "已停止，算好的都还在。",
    done: "全部算完",
    loading: "正在读文章…",
    nothing: "这里没有可读的词：请换一篇文章。",
    not_loaded: "这篇文章没能载入：请检查网络后再试。",
    unknown_name: "没有叫这个名字的文章，换成了第一篇。",
    overflow: "这个头的分数超出了 f32 的范围，算不出来：请调高温度或换一组权重。",
    broken: "计算停住了：请重新打开这篇文章。",
};

const EN: DocumentWords = DocumentWords {
    title: "Attention over a whole text",
    back: "Back to the sentence",
    texts: "Text",
    names: ["Three Kingdoms (Chinese) · chapters 1–3", "Alice in Wonderland · chapters I–V"],
    own: "A text of your own",
    open_file: "Open a file…",
    drop_here: "Or drop a file here, or simply paste.",
    not_in_link: "A text of your own is in no link, and it does not leave this computer.",
    copy_link: "Copy link",
    copied: "Copied.",
    copy_failed: "The browser does not allow copying: please copy from the address bar.",
    weights: "Weights",
    constructed: "constructed",
    random: "random",
    badge_constructed: "constructed by hand for long texts · not trained",
    badge_random: "random weights · not trained",
    heads: "Head",
    mask: "Mask",
    causal: "causal",
    full: "all",
    window: "window",
    strided: "strided",
    temperature: "Temperature",
    each_cell: "A cell shows",
    max: "maximum",
    mean: "mean",
    max_note: "Where a cell stands for many weights it shows the largest: however far you zoom out, no spike is hidden.",
    mean_note: "Where a cell stands for many weights it shows their mean: a lone spike fades.",
    zoom_in: "Zoom in",
    zoom_out: "Zoom out",
    zoom_all: "Whole map",
    map: "Map of weights: a row for each word that looks, a column for each word looked at",
    map_keys: "Wheel, pinch or + − zoom, dragging pans, arrow keys move the chosen cell, 0 shows the whole map.",
    small_map: "Small map: a click goes there",
    queries: "words that look",
    keys: "words looked at",
    log_scale: "logarithmic colours",
    forbidden: "forbidden by the mask",
    why: "What makes the pattern",
    by_construction: "Construction",
    by_mask: "Mask",
    by_text: "Text",
    row: "This row",
    row_hint: "Click the map to read out a row.",
    under_pointer: "Under the pointer",
    no_pointer: "Move the pointer over the map to read exact weights.",
    same_word: "same word",
    itself: "itself",
    stop: "Stop",
    resume: "Go on",
    stopped: "Stopped; what is computed stays.",
    done: "All computed",
    loading: "Reading the text…",
    nothing: "There is no word to read here: please choose another text.",
    not_loaded: "This text did not load: please check the connection and try again.",
    unknown_name: "There is no text of that name; here is the first one instead.",
    overflow: "The scores of this head are beyond the range of f32: please raise the temperature or choose other weights.",
    broken: "The computation stopped: please open the text again.",
};

/// The name of a constructed head.
#[must_use]
pub const fn document_head(lang: Lang, role: Role) -> &'static str {
    match (lang, role) {
        (Lang::Zh, Role::SameWord) => "同词",
        (Lang::Zh, Role::RecentSameWord) => "近处同词",
        (Lang::Zh, Role::LocalWindow) => "邻近",
        (Lang::Zh, Role::FirstToken) => "首词",
        (Lang::En, Role::SameWord) => "same word",
        (Lang::En, Role::RecentSameWord) => "recent same word",
        (Lang::En, Role::LocalWindow) => "local window",
        (Lang::En, Role::FirstToken) => "first token",
    }
}

/// What the construction contributes to a head's picture; `None` for random weights.
#[must_use]
pub const fn construction(lang: Lang, role: Option<Role>) -> &'static str {
    match (lang, role) {
        (Lang::Zh, Some(Role::SameWord)) => "每个词看所有和自己相同的词，远近一样，所以有一条对角线。",
        (Lang::Zh, Some(Role::RecentSameWord)) => "每个词看相同的词，越近越多：从对角线向两边渐渐变淡。",
        (Lang::Zh, Some(Role::LocalWindow)) => {
            "每个词看身边约 24 个词以内，中间最多：沿对角线的一条带子，与写了什么无关。"
        }
        (Lang::Zh, Some(Role::FirstToken)) => "每个词都看全文的第一个词：左边的一条竖线，与写了什么无关。",
        (Lang::Zh, None) => "随机的投影：没有任何意图，条纹来自词向量里的位置和词。",
        (Lang::En, Some(Role::SameWord)) => {
            "Each word looks at every word equal to itself, near and far alike: hence the diagonal."
        }
        (Lang::En, Some(Role::RecentSameWord)) => {
            "Each word looks at equal words, the nearer the more: dots fade on either side of the diagonal."
        }
        (Lang::En, Some(Role::LocalWindow)) => {
            "Each word looks at those within about 24 words of it, most at itself: a band along the diagonal, whatever is written."
        }
        (Lang::En, Some(Role::FirstToken)) => {
            "Each word looks at the first word of the text: a line at the left, whatever is written."
        }
        (Lang::En, None) => {
            "Random projections, meant for nothing: stripes come from the positions and words in the embedding."
        }
    }
}

/// What the text contributes; `count` is how often the chosen word stands in it, with its spelling.
#[must_use]
pub fn from_text(lang: Lang, role: Option<Role>, chosen: Option<(&str, usize)>) -> String {
    let repeats = matches!(role, Some(Role::SameWord | Role::RecentSameWord));
    match (lang, repeats) {
        (Lang::Zh, true) => {
            let of = chosen.map_or(String::new(), |(word, count)| format!("“{word}”在全文里有 {count} 处。"));
            format!("对角线以外的每一点都是重复的词，斜的短线是重复的句段。{of}")
        }
        (Lang::En, true) => {
            let of = chosen.map_or(String::new(), |(word, count)| match count {
                1 => format!(" “{word}” stands in it once."),
                _ => format!(" “{word}” stands in it {count} times."),
            });
            format!("Every dot off the diagonal is a repeated word, every short slanting line a repeated passage.{of}")
        }
        (Lang::Zh, false) if role.is_some() => "没有：换一篇文章，图案不变。".to_owned(),
        (Lang::En, false) if role.is_some() => "Nothing: with another text the pattern stays.".to_owned(),
        (Lang::Zh, false) => "同一个词有相似的行和列。".to_owned(),
        (Lang::En, false) => "Equal words have similar rows and columns.".to_owned(),
    }
}

/// What the mask contributes.
#[must_use]
pub fn from_mask(lang: Lang, pattern: Pattern) -> String {
    let sparse = match (lang, pattern.sparse) {
        (_, Sparse::Full) => None,
        (Lang::Zh, Sparse::Window(width)) => Some(format!("只许看前后 {width} 个词以内：只剩对角线旁的一条带子。")),
        (Lang::En, Sparse::Window(width)) => {
            Some(format!("Only words at most {width} away may be seen: all that is left is a band along the diagonal."))
        }
        (Lang::Zh, Sparse::Strided(stride)) => {
            Some(format!("只许看 {stride} 个词以内和每隔 {stride} 个词的一个：平行的斜线来自掩码。"))
        }
        (Lang::En, Sparse::Strided(stride)) => Some(format!(
            "Only words less than {stride} away and every {stride}th one may be seen: the parallel slanting lines are the mask's."
        )),
    };
    let causal = pattern.causal.then_some(match lang {
        Lang::Zh => "不许看后面的词：右上方的三角是空的。",
        Lang::En => "No word may see later ones: the upper right triangle is empty.",
    });
    let gap = if lang == Lang::Zh { "" } else { " " };
    let all: Vec<&str> = sparse.as_deref().into_iter().chain(causal).collect();
    if all.is_empty() {
        return match lang {
            Lang::Zh => "没有：每个词都可以看所有的词。",
            Lang::En => "None: every word may see every word.",
        }
        .to_owned();
    }
    all.join(gap)
}
