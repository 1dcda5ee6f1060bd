//! The names of mechanisms, masks and mistakes, each with a sentence that says what it does.

use crate::attention::mask_text::{Convention, MaskTextError};
use crate::attention::{Bug, Fill};
use crate::state::{MaskKind, Normalisation, PositionKind, ScoreKind};
use crate::text::Lang;

/// A name and the sentence that explains it; the sentence of what is standard is empty.
pub type Said = (&'static str, &'static str);

const fn pick(lang: Lang, zh: Said, en: Said) -> Said {
    match lang {
        Lang::Zh => zh,
        Lang::En => en,
    }
}

/// What makes a raw score.
#[must_use]
pub const fn score(lang: Lang, kind: ScoreKind) -> Said {
    let (zh, en) = match kind {
        ScoreKind::Dot => (("点积", ""), ("dot product", "")),
        ScoreKind::General => (
            ("双线性 q·W·k", "Luong 2015：q 和 k 之间再乘一个矩阵 W。这里的 W 是随机的。"),
            ("general q·W·k", "Luong 2015: one more matrix W between q and k. Here W is random."),
        ),
        ScoreKind::Additive => (
            ("加性 tanh", "Bahdanau 2014：v·tanh(W q + U k)。这里的 W、U、v 是随机的。"),
            ("additive, tanh", "Bahdanau 2014: v·tanh(W q + U k). Here W, U and v are random."),
        ),
        ScoreKind::Linear => (
            ("加性，漏了 tanh", "没有 tanh，q 的那一项对每个键都一样，softmax 把它约掉：每一行都相同。"),
            (
                "additive, no tanh",
                "Without tanh the part of q is the same for every key and softmax cancels it: all rows are alike.",
            ),
        ),
    };
    pick(lang, zh, en)
}

/// What makes weights of scores.
#[must_use]
pub const fn normalisation(lang: Lang, kind: Normalisation) -> Said {
    let (zh, en) = match kind {
        Normalisation::Softmax => (("softmax", ""), ("softmax", "")),
        Normalisation::WithoutMaximum => (
            ("不减最大值", "exp(s) ÷ Σ exp(s)：算式上一样，但分数一大就溢出成 ∞，∞ ÷ ∞ 就是 NaN。"),
            ("no maximum", "exp(s) ÷ Σ exp(s): the same on paper, but large scores overflow to ∞, and ∞ ÷ ∞ is NaN."),
        ),
        Normalisation::Hard => (
            ("硬 argmax", "最大的分数拿走全部权重。没有梯度可传，所以训练时要用别的办法。"),
            (
                "hard, argmax",
                "The largest score takes all the weight. No gradient passes, so training needs another way.",
            ),
        ),
        Normalisation::Sampled => (
            ("采样", "每一行按 softmax 的概率抽一个键。多抽几次，频率就接近权重。"),
            (
                "sampled",
                "Each row draws one key with its softmax probabilities. Over many draws the frequencies become the weights.",
            ),
        ),
        Normalisation::Gumbel => (
            ("Gumbel-softmax", "给分数加 Gumbel 噪声再做 softmax(·÷τ)：τ 越小越像一次抽样。"),
            (
                "Gumbel-softmax",
                "Gumbel noise on the scores, then softmax(· ÷ τ): the smaller τ, the more it is a single draw.",
            ),
        ),
        Normalisation::Linear => (
            ("线性注意力", "用 φ(q)·φ(k)（φ = elu + 1）代替 exp：不必存 n × n 的矩阵，但权重不再是 softmax 的。"),
            (
                "linear attention",
                "φ(q)·φ(k), with φ = elu + 1, in the place of exp: no n × n matrix is needed, but the weights are no longer softmax's.",
            ),
        ),
    };
    pick(lang, zh, en)
}

/// Where positions come in.
#[must_use]
pub const fn position(lang: Lang, kind: PositionKind) -> Said {
    let (zh, en) = match kind {
        PositionKind::On => (("自带", ""), ("the model's own", "")),
        PositionKind::Off => (
            ("无", "没有位置，词换了次序，输出也只是跟着换次序。"),
            ("none", "Without positions, words in another order give the same outputs in that order."),
        ),
        PositionKind::Sinusoidal => (
            ("正弦", "Vaswani 2017：不同频率的正弦和余弦，加在嵌入上。"),
            ("sinusoidal", "Vaswani 2017: sines and cosines of many frequencies, added to the embedding."),
        ),
        PositionKind::Learned => (
            ("位置表", "每个位置一行向量，加在嵌入上。这里的表是随机的，只有 64 行，第 65 个词元就没有位置了。"),
            (
                "table",
                "One vector per position, added to the embedding. Here the table is random and has 64 rows: a 65th token has no position.",
            ),
        ),
        PositionKind::Rope => (
            ("RoPE", "把 q 和 k 按位置旋转：分数只看两者的距离，不看它们在哪儿。"),
            (
                "RoPE",
                "q and k are turned by their positions: a score depends on their distance, not on where they stand.",
            ),
        ),
        PositionKind::Alibi => (
            ("ALiBi", "按距离扣分：分数减去 m·|i − j|，每个头的斜率 m 不同。"),
            ("ALiBi", "A penalty by distance: m·|i − j| is taken off the score, with another slope m in each head."),
        ),
    };
    pick(lang, zh, en)
}

/// A kind of mask.
#[must_use]
pub const fn mask(lang: Lang, kind: MaskKind) -> Said {
    let (zh, en) = match kind {
        MaskKind::Queries => (
            ("查询填充", "<PAD> 不提问：它的整行被禁止。只遮查询、不遮键，别的词照样会看 <PAD>。"),
            (
                "query padding",
                "<PAD> asks nothing: its row is forbidden. With queries hidden and keys not, other words still look at <PAD>.",
            ),
        ),
        MaskKind::Prefix => (
            ("前缀", "开头几个词元谁都能看，其余的只能往前看。"),
            ("prefix", "All see the first tokens; of the rest, only what came before."),
        ),
        MaskKind::Window => (("窗口", "只看左右几个词元。"), ("window", "Only a few tokens to either side.")),
        MaskKind::Strided => (
            ("跨步", "只看近处，和间隔正好是步长倍数的地方。"),
            ("strided", "Only what is near, and what is a multiple of the stride away."),
        ),
        MaskKind::Block => (("分块", "只看同一块里的词元。"), ("block", "Only tokens of the same block.")),
        MaskKind::Global => (
            ("全局 + 窗口", "开头的全局词元看得到所有、也被所有看到；其余的只看窗口。"),
            ("global + window", "The first tokens see all and are seen by all; the others see their window."),
        ),
        MaskKind::Documents => (
            ("文档打包", "几篇文档拼成一个序列，各看各的。这里一句话算一篇，以 。！？ 结尾。"),
            (
                "packed documents",
                "Several documents in one sequence, each seeing itself alone. Here a document is a sentence, ended by . ! or ?",
            ),
        ),
        MaskKind::Any => (
            ("任一允许", "有一种掩码允许就允许（或）。"),
            ("any permits", "Permitted is what one of the masks permits (or)."),
        ),
        MaskKind::Not => (
            ("取反", "合起来之后，允许和禁止对调。"),
            ("inverted", "When all is combined, permitted and forbidden are exchanged."),
        ),
    };
    pick(lang, zh, en)
}

/// What happens to forbidden cells.
#[must_use]
pub const fn fill(lang: Lang, kind: Fill) -> Said {
    let (zh, en) = match kind {
        Fill::Exclude => (("不参加", ""), ("exclude", "")),
        Fill::MinusInfinity => (
            ("−∞", "写成 −∞：exp 得 0。但整行都被禁止时，−∞ − (−∞) 是 NaN。"),
            ("−∞", "They become −∞, whose exp is 0. In a row that is forbidden as a whole, −∞ − (−∞) is NaN."),
        ),
        Fill::ReplaceBillion => (
            ("换成 −1e9", "整行都被禁止时，权重变成均匀的。在 f16 里 −1e9 就是 −∞。"),
            ("replace by −1e9", "A row that is forbidden as a whole becomes uniform. In f16, −1e9 is −∞."),
        ),
        Fill::AddBillion => (
            ("加上 −1e9", "f32 在 1e9 附近只分得清 64，分数被吞掉：整行被禁止时变成均匀的。"),
            (
                "add −1e9",
                "Near 1e9, f32 tells only steps of 64 apart and the score is lost: a row forbidden as a whole becomes uniform.",
            ),
        ),
        Fill::AddTenThousand => (
            ("加上 −1e4", "f16 也装得下。但整行都被禁止时，它照原来的分数分配，像没有掩码一样。"),
            (
                "add −1e4",
                "It fits into f16. But a row forbidden as a whole is shared out by its scores, as if there were no mask.",
            ),
        ),
        Fill::Zero => (
            ("换成 0", "错误：0 是个普通的分数，exp(0) = 1，权重照样漏过去。"),
            ("replace by 0", "A mistake: 0 is an ordinary score, exp(0) = 1, and weight leaks through."),
        ),
        Fill::MultiplyAfter => (
            ("softmax 之后乘 0", "错误：被禁止的已经分走了权重，乘 0 之后每行的和不到 1。"),
            (
                "× 0 after softmax",
                "A mistake: forbidden keys took their share before; times 0, rows no longer add up to 1.",
            ),
        ),
    };
    pick(lang, zh, en)
}

/// A mistake, how it looks in code, and what it does.
#[must_use]
pub const fn bug(lang: Lang, bug: Bug) -> Said {
    let (zh, en) = match bug {
        Bug::MaskTransposed => (
            ("掩码反向", "该写 tril 写成了 triu，或者转置了：每个词只看得见后面的。"),
            (
                "mask transposed",
                "triu where tril was meant, or a transpose too many: every word sees only what comes after it.",
            ),
        ),
        Bug::MaskStrict => (
            ("看不见自己", "tril(diagonal = −1)：第一行一个都不许看。"),
            ("self hidden", "tril(diagonal = −1): nobody sees itself, and the first row sees nothing."),
        ),
        Bug::MaskLoose => (
            ("多看一个", "tril(diagonal = 1)：每个词都偷看到后面一个词。"),
            ("one too many", "tril(diagonal = 1): every word sees one word of the future."),
        ),
        Bug::MaskInverted => (
            ("真假颠倒", "把“真 = 可以看”当成“真 = 禁止”：允许和禁止对调。"),
            (
                "wrong polarity",
                "True, meant as “may attend”, is read as “blocked”: permitted and forbidden are exchanged.",
            ),
        ),
        Bug::MaskOnQueries => (
            ("遮在查询上", "填充掩码该遮键，却遮了查询：别的词照样看 <PAD>。"),
            (
                "on the queries",
                "The padding mask lies on queries where it should lie on keys: other words still look at <PAD>.",
            ),
        ),
        Bug::ScaleAfterSoftmax => (
            ("缩放晚了", "1/√d_k 乘在 softmax 之后：分布还是太尖，每行的和也不到 1。"),
            ("scaled too late", "1/√d_k multiplies after softmax: still too sharp, and rows no longer add up to 1."),
        ),
        Bug::SoftmaxOverQueries => (
            ("softmax 轴错了", "softmax(dim = −2)：每列的和是 1，每行不是。"),
            ("wrong softmax axis", "softmax(dim = −2): columns add up to 1, rows do not."),
        ),
        Bug::SplitWithoutTranspose => (
            ("拆头没转置", "view(h, n, d) 而不先 transpose：头里混进了别的词。"),
            ("split without transpose", "view(h, n, d) with no transpose before it: heads mix words."),
        ),
        Bug::MergeWithoutTranspose => (
            ("并头没转置", "把 [h, n, d] 直接 view 成 [n, h·d]：权重都对，输出却张冠李戴。"),
            (
                "merged without transpose",
                "[h, n, d] is viewed as [n, h·d]: the weights are right, the outputs belong to other words.",
            ),
        ),
        Bug::NanRow => (
            ("一行 NaN", "最后一个查询里混进一个 NaN：它的整行都成了 NaN。"),
            ("a NaN row", "One NaN in the last query makes its whole row NaN."),
        ),
    };
    pick(lang, zh, en)
}

/// A convention of masks, and who has it.
#[must_use]
pub const fn convention(lang: Lang, kind: Convention) -> Said {
    let (zh, en) = match kind {
        Convention::MayAttend => (
            ("True = 可以看", "PyTorch 的 scaled_dot_product_attention、JAX、Keras 的 MultiHeadAttention。"),
            ("True = may attend", "PyTorch scaled_dot_product_attention, JAX, Keras MultiHeadAttention."),
        ),
        Convention::Blocked => (
            ("True = 禁止", "PyTorch 的 nn.MultiheadAttention 和 nn.Transformer：和上一种正好相反。"),
            (
                "True = blocked",
                "PyTorch nn.MultiheadAttention and nn.Transformer: just the opposite of the one before.",
            ),
        ),
        Convention::Keep => (
            ("1 = 保留", "Hugging Face 的 attention_mask、TensorFlow。"),
            ("1 = keep", "Hugging Face attention_mask, TensorFlow."),
        ),
        Convention::Additive => (
            ("加 0 或 −∞", "加到分数上：大多数库内部都是这样做的。"),
            ("add 0 or −∞", "Added to the scores: what most libraries do inside."),
        ),
    };
    pick(lang, zh, en)
}

/// Why a pasted text is no mask.
#[must_use]
pub fn mask_text_error(lang: Lang, error: &MaskTextError) -> String {
    match (lang, error) {
        (Lang::Zh, MaskTextError::Word(word)) => format!("“{word}”在这种写法里没有意义，什么都没有改。"),
        (Lang::En, MaskTextError::Word(word)) => {
            format!("“{word}” means nothing in this convention. Nothing was changed.")
        }
        (Lang::Zh, MaskTextError::Size { got, want }) => format!("需要 {want} 格，这里有 {got} 格，什么都没有改。"),
        (Lang::En, MaskTextError::Size { got, want }) => {
            format!("{want} cells are needed and there are {got}. Nothing was changed.")
        }
    }
}
