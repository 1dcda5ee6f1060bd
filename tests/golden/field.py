#!/usr/bin/env python3
"""Golden values of every method, mask rule and mistake, in NumPy; checked against PyTorch where it has the function.

    python field.py field.json      # prints how many cases PyTorch confirmed; the same bytes every time

Needs numpy and torch. Inputs are multiples of 1/16, exact in f32 and f16. Stages are computed in f64; where a rounding
is the point (f16, -1e9 and -1e4 added in f32, exp overflowing in f32) that rounding is done.
"""
import itertools
import json
import sys
import numpy as np
import torch
import torch.nn.functional as F

H, N, NQ, DK, DV, DM = 2, 5, 4, 4, 3, 6
MASK64 = (1 << 64) - 1


def splitmix(seed):
    """Steele, Lea, Flood 2014."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        yield z ^ (z >> 31)


def units(seed):
    """Numbers of [0, 1) with 24 bits."""
    for bits in splitmix(seed):
        yield (bits >> 40) / 2.0**24


source = units(2024)


def dyadic(*shape):
    n = int(np.prod(shape))
    return np.array([int(next(source) * 64) - 32 for _ in range(n)]).reshape(shape) / 16.0


INPUT = {
    "q": dyadic(H, N, DK), "k": dyadic(H, N, DK), "v": dyadic(H, N, DV),
    "x": dyadic(N, DM), "x_q": dyadic(NQ, DM),
    "w_q": dyadic(DM, H * DK) / 2, "w_k": dyadic(DM, H * DK) / 2, "w_v": dyadic(DM, H * DV) / 2, "w_o": dyadic(H * DV, DM) / 2,
    "w_a": dyadic(H, DK, DK) / 2,
    "a_q": dyadic(H, DK, 3) / 2, "a_k": dyadic(H, DK, 3) / 2, "a_v": dyadic(H, 3),
    "b_q": dyadic(H * DK), "b_k": dyadic(H * DK), "b_v": dyadic(H * DV), "b_o": dyadic(DM),
}


# --- masks ---------------------------------------------------------------------------------------------------------

def grid(rule, nq, nk):
    """A rule as a boolean array, true = may attend."""
    i, j = np.arange(nq)[:, None], np.arange(nk)[None, :]
    kind, arg = (rule, None) if isinstance(rule, str) else rule
    full = np.ones((nq, nk), bool)
    if kind == "causal":
        return np.tril(full)
    if kind == "keys":
        return full & np.array(arg, bool)[None, :nk]
    if kind == "queries":
        return full & np.array(arg, bool)[:nq, None]
    if kind == "prefix":
        return np.tril(full) | (j < arg)
    if kind == "window":
        return np.tril(np.triu(full, -arg), arg)
    if kind == "strided":
        return (np.abs(i - j) < arg) | ((i - j) % arg == 0)
    if kind == "block":
        return (i // arg) == (j // arg)
    if kind == "global":
        g, w = arg
        m = np.tril(np.triu(full, -w), w)
        m[:g, :] = True
        m[:, :g] = True
        return m
    if kind == "documents":
        ids = np.array(arg)
        return ids[:nq][:, None] == ids[:nk][None, :]
    if kind == "all":
        return np.logical_and.reduce([grid(r, nq, nk) for r in arg])
    if kind == "any":
        return np.logical_or.reduce([grid(r, nq, nk) for r in arg])
    if kind == "not":
        return ~grid(arg, nq, nk)
    raise ValueError(kind)


def effective(mask, bugs, nq, nk):
    """What a computation with these mistakes takes for the mask. The transpose of a grid that is not square needs all of it."""
    n = max(nq, nk)
    may = np.ones((n, n), bool)
    if mask.get("causal"):
        may &= np.tril(np.ones((n, n), bool), -1 if "mask-strict" in bugs else 1 if "mask-loose" in bugs else 0)
    if "keys" in mask:
        keys = np.array(mask["keys"] + [1] * (n - len(mask["keys"])), bool)
        may &= keys[:, None] if "mask-on-queries" in bugs else keys[None, :]
    if "rule" in mask:
        may &= grid(mask["rule"], n, n)
    for i, j, on in mask.get("cells", []):
        may[i, j] = bool(on)
    if "mask-transposed" in bugs:
        may = may.T
    if "mask-inverted" in bugs:
        may = ~may
    return may[:nq, :nk]


# --- attention -----------------------------------------------------------------------------------------------------

def rope(x, base):
    n, d = x.shape[1:]
    y = x.copy()
    for m in range(d // 2):
        t = np.arange(n) * base ** (-2 * m / d)
        y[:, :, 2 * m] = x[:, :, 2 * m] * np.cos(t) - x[:, :, 2 * m + 1] * np.sin(t)
        y[:, :, 2 * m + 1] = x[:, :, 2 * m] * np.sin(t) + x[:, :, 2 * m + 1] * np.cos(t)
    return y


def single(x):
    return x.astype(np.float32).astype(np.float64)


def compute(case):
    method, mask = case.get("method", {}), case.get("mask", {})
    bugs, half = method.get("bugs", []), method.get("half", False)
    r = (lambda a: np.asarray(a, np.float64).astype(np.float16).astype(np.float64)) if half else (lambda a: a)
    I = {name: r(a) for name, a in INPUT.items()}
    if case["source"] == "given":
        q, k, v = I["q"], I["k"], I["v"]
    else:
        x_k = I["x"]
        x_q = I["x_q"] if case["source"] == "cross" else x_k

        def project(x, w, b):
            wide = r(x @ I[w] + (I[b] if method.get("biases") else 0))
            n, d = len(x), wide.shape[1] // H
            if "split-without-transpose" in bugs:
                return wide.reshape(H, n, d)
            return wide.reshape(n, H, d).transpose(1, 0, 2)
        q, k, v = project(x_q, "w_q", "b_q"), project(x_k, "w_k", "b_k"), project(x_k, "w_v", "b_v")
    q = q.copy()
    if "nan-row" in bugs:
        q[:, -1, 0] = np.nan
    if method.get("position") == "rotary":
        q, k = r(rope(q, method["base"])), r(rope(k, method["base"]))
    weighting, score = method.get("weighting", "softmax"), method.get("score", "dot")
    if weighting == "linear":
        def phi(x):
            return r(np.where(x > 0, x + 1, np.exp(x)))
        raw = phi(q) @ phi(k).transpose(0, 2, 1)
    elif score == "dot":
        raw = q @ k.transpose(0, 2, 1)
    elif score == "general":
        raw = r(q @ I["w_a"]) @ k.transpose(0, 2, 1)
    else:
        inner = r(r(q @ I["a_q"])[:, :, None, :] + r(k @ I["a_k"])[:, None, :, :])
        inner = r(np.tanh(inner)) if score == "additive" else inner
        raw = np.einsum("hijc,hc->hij", inner, I["a_v"])
    raw = r(raw)
    scale, late = case.get("scale", 0.5), "scale-after-softmax" in bugs
    scaled = raw if late else r(raw * scale)
    tempered = r(scaled / case.get("temperature", 1.0))
    h, nq, nk = raw.shape
    may = np.broadcast_to(effective(mask, bugs, nq, nk), raw.shape)
    s = tempered
    if method.get("position") == "alibi":
        slopes = np.array([2.0 ** (-8 * (a + 1) / h) for a in range(h)])
        bias = -slopes[:, None, None] * np.abs(np.arange(nq)[:, None] - np.arange(nk)[None, :])
        s = s * np.exp(bias) if weighting == "linear" else s + bias
    fill = method.get("fill", "exclude")
    hidden = {
        "exclude": np.full_like(s, -np.inf), "neg_inf": np.full_like(s, -np.inf), "replace_neg_1e9": np.full_like(s, -1e9),
        "add_neg_1e9": single(s - 1e9), "add_neg_1e4": single(s - 1e4), "zero": np.zeros_like(s), "multiply_after": s,
    }[fill]
    with np.errstate(all="ignore"):
        masked = r(np.where(may, s, hidden))
        inside = may if fill == "exclude" else np.ones_like(may)
        t = masked
        if weighting == "gumbel":
            u = np.array(list(itertools.islice(units(method["seed"]), h * nq * nk))).reshape(h, nq, nk) + 2.0**-25
            t = r((masked - np.log(-np.log(u))) / method["tau"])
        axis = 1 if "softmax-over-queries" in bugs else 2
        if weighting == "linear":
            e = np.where(inside, t, 0)
        elif weighting == "without-maximum":
            e = np.exp(np.where(inside, t, -np.inf))
            e = r(e if half else np.where(e >= 2.0**128, np.inf, e))
        else:
            top = np.where(inside, t, -np.inf).max(axis, keepdims=True)
            e = np.where(inside, r(np.exp(r(t - top))), 0)
        total = e.sum(axis, keepdims=True)
        none = ~inside.any(axis, keepdims=True)
        if weighting == "hard":
            best = np.where(inside, t, -np.inf).argmax(axis)
            w = np.zeros_like(t)
            np.put_along_axis(w, np.expand_dims(best, axis), 1.0, axis)
            # Among numbers that are none there is no largest: NumPy's own argmax would point at the first NaN.
            w = np.where(np.isnan(np.where(inside, t, 0)).any(axis, keepdims=True), np.nan, w)
        elif weighting == "sampled":
            u = np.array(list(itertools.islice(units(method["seed"]), h * nq))).reshape(h, nq, 1)
            best = (np.cumsum(e, 2) > u * total).argmax(2)
            w = np.zeros_like(t)
            np.put_along_axis(w, best[:, :, None], 1.0, 2)
        else:
            w = r(e / r(total))
        w = np.where(none | ~inside, 0, w)
        if late:
            w = r(w * scale)
        if fill == "multiply_after":
            w = w * may
        out = r(w @ v)
    concat = out.reshape(nq, -1) if "merge-without-transpose" in bugs else out.transpose(1, 0, 2).reshape(nq, -1)
    stages = {"raw": raw, "masked": masked, "weights": w, "head_output": out, "concat": concat}
    if case["source"] != "given":
        stages["output"] = r(concat @ I["w_o"] + (I["b_o"] if method.get("biases") else 0))
    return stages, (q, k, v, may)


# --- PyTorch -------------------------------------------------------------------------------------------------------

def confirm(case, stages, qkv):
    """Whether PyTorch has a function for this case, and says the same."""
    q, k, v, may = [torch.tensor(np.array(a)) for a in qkv]
    method, scale = case.get("method", {}), case.get("scale", 0.5)
    same = lambda got, want: torch.testing.assert_close(got, torch.tensor(want), atol=1e-9, rtol=1e-9, equal_nan=True)
    plain = set(method) <= {"score", "biases", "position", "base"} and case.get("temperature", 1.0) == 1.0
    name = case["name"]
    if plain and method.get("score", "dot") == "dot":
        bias = None
        if method.get("position") == "alibi":
            slope = torch.tensor([2.0 ** (-8 * (a + 1) / H) for a in range(H)], dtype=torch.float64)
            place = torch.arange(q.shape[1])[:, None] - torch.arange(k.shape[1])[None, :]
            bias = torch.where(may, -slope[:, None, None] * place.abs(), -torch.inf)
        same(F.scaled_dot_product_attention(q, k, v, attn_mask=may if bias is None else bias, scale=scale), stages["head_output"])
        if method.get("biases") or case["source"] == "cross":
            mha(case, stages, may)
        if method.get("position") == "rotary" and case["source"] == "given":  # turning a pair is multiplying a complex number by e^(i p θ)
            z = torch.view_as_complex(torch.tensor(INPUT["q"]).reshape(H, N, DK // 2, 2).contiguous())
            theta = float(method["base"]) ** (-torch.arange(0, DK, 2, dtype=torch.float64) / DK)
            turn = torch.polar(torch.ones(N, DK // 2, dtype=torch.float64), torch.outer(torch.arange(N, dtype=torch.float64), theta))
            same(torch.view_as_real(z * turn).reshape(H, N, DK), q.numpy())
        return True
    if name == "general":
        want = torch.einsum("hic,hcd,hjd->hij", q, torch.tensor(INPUT["w_a"]), k)
        bilinear = torch.stack([F.bilinear(q[a][:, None].expand(-1, N, -1).reshape(-1, DK), k[a].repeat(N, 1), torch.tensor(INPUT["w_a"])[a][None]).reshape(N, N) for a in range(H)])
        same(want, stages["raw"])
        same(bilinear, stages["raw"])
        return True
    if name in ("softmax-over-queries", "neg_inf, an empty row"):
        filled = torch.tensor(stages["masked"])
        same(torch.softmax(filled, 1 if name == "softmax-over-queries" else 2), stages["weights"])
        return True
    if name.startswith("gumbel"):
        u = torch.tensor(list(itertools.islice(units(method["seed"]), H * N * N)), dtype=torch.float64).reshape(H, N, N) + 2.0**-25
        same(torch.softmax((torch.tensor(stages["masked"]) - torch.log(-torch.log(u))) / method["tau"], 2), stages["weights"])
        return True
    if name == "hard":
        same(F.one_hot(torch.tensor(stages["masked"]).argmax(2), N).double(), stages["weights"])
        return True
    if name == "linear":
        fq, fk = F.elu(q) + 1, F.elu(k) + 1
        kv, z = torch.einsum("hjc,hjd->hcd", fk, v), fk.sum(1)
        same(torch.einsum("hic,hcd->hid", fq, kv) / torch.einsum("hic,hc->hi", fq, z)[:, :, None], stages["head_output"])
        return True
    return False


def mha(case, stages, may):
    """nn.MultiheadAttention with our weights: its values are as wide as its keys, so those of width 3 get a zero more."""
    if case["scale"] != 0.5 or case["method"].get("position"):
        return
    module = torch.nn.MultiheadAttention(H * DK, H, bias=True, batch_first=True, dtype=torch.float64)
    wide = lambda w: torch.tensor(np.pad(w, ((0, H * DK - DM), (0, 0))).T)
    pad_v = lambda a: np.pad(a.reshape(*a.shape[:-1], H, DV), [(0, 0)] * (a.ndim - 1) + [(0, 0), (0, DK - DV)]).reshape(*a.shape[:-1], H * DK)
    biases = case.get("method", {}).get("biases")
    zero = lambda a: a if biases else a * 0
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([wide(INPUT["w_q"]), wide(INPUT["w_k"]), wide(pad_v(INPUT["w_v"]))]))
        module.in_proj_bias.copy_(torch.tensor(np.concatenate([zero(INPUT["b_q"]), zero(INPUT["b_k"]), zero(pad_v(INPUT["b_v"]))])))
        w_o = pad_v(INPUT["w_o"].T)
        module.out_proj.weight.copy_(torch.tensor(np.pad(w_o, ((0, H * DK - DM), (0, 0)))))
        module.out_proj.bias.copy_(torch.tensor(np.pad(zero(INPUT["b_o"]), (0, H * DK - DM))))
        x_k = torch.tensor(np.pad(INPUT["x"], ((0, 0), (0, H * DK - DM))))
        x_q = torch.tensor(np.pad(INPUT["x_q"], ((0, 0), (0, H * DK - DM)))) if case["source"] == "cross" else x_k
        out, weights = module(x_q[None], x_k[None], x_k[None], attn_mask=~may[0], average_attn_weights=False)
    torch.testing.assert_close(weights[0], torch.tensor(stages["weights"]), atol=1e-9, rtol=1e-9)
    torch.testing.assert_close(out[0][:, :DM], torch.tensor(stages["output"]), atol=1e-9, rtol=1e-9)


# --- cases ---------------------------------------------------------------------------------------------------------

def cases():
    causal = {"causal": True}
    padded = {"causal": True, "keys": [1, 1, 1, 1, 0]}
    hole = {"causal": True, "rule": ["queries", [1, 1, 0, 1, 1]]}

    def case(name, source="given", mask=None, scale=0.5, **method):
        temperature = method.pop("temperature", 1.0)
        return {"name": name, "source": source, "scale": scale, "temperature": temperature, "mask": mask or {}, "method": method}
    yield case("embedded", "embedded", causal)
    yield case("no scale", scale=1.0)
    yield case("scaled, warm", temperature=2.0, mask=causal, position="alibi")
    yield case("general", score="general")
    yield case("additive", score="additive", scale=1.0)
    yield case("additive without tanh", score="additive-linear", scale=1.0)
    yield case("additive, causal", "embedded", padded, 1.0, score="additive")
    yield case("rotary", position="rotary", base=10000.0)
    yield case("rotary, base 4, cross", "cross", position="rotary", base=4.0)
    yield case("alibi", position="alibi", mask=causal)
    yield case("biases", "embedded", padded, biases=True)
    yield case("cross", "cross", {"keys": [1, 0, 1, 1, 1]})
    yield case("cross, biases", "cross", biases=True)
    yield case("without the maximum", weighting="without-maximum", mask=causal)
    yield case("without the maximum, overflow", weighting="without-maximum", scale=40.0)
    yield case("hard", weighting="hard")
    yield case("hard, an empty row", weighting="hard", mask=hole)
    for seed in (1, 2):
        yield case(f"sampled {seed}", weighting="sampled", seed=seed, mask=causal)
    for tau in (5.0, 1.0, 0.3, 0.0625):
        yield case(f"gumbel {tau}", weighting="gumbel", tau=tau, seed=9)
    yield case("gumbel, masked", weighting="gumbel", tau=0.5, seed=3, mask=padded)
    yield case("linear", weighting="linear")
    yield case("linear, causal, alibi", weighting="linear", mask=causal, position="alibi")
    for fill in ("exclude", "neg_inf", "replace_neg_1e9", "add_neg_1e9", "add_neg_1e4", "zero", "multiply_after"):
        yield case(f"{fill}, an empty row", "embedded", hole, fill=fill)
        yield case(f"{fill}, f16", mask=hole, fill=fill, half=True)
    for name in ("mask-transposed", "mask-strict", "mask-loose", "mask-inverted", "mask-on-queries"):
        yield case(name, "embedded", padded, bugs=[name])
        yield case(f"{name}, cross", "cross", padded, bugs=[name])
    yield case("mask-strict, minus infinity", mask=causal, fill="neg_inf", bugs=["mask-strict"])
    yield case("mask-inverted, zero", mask=padded, fill="zero", bugs=["mask-inverted"])
    yield case("scale-after-softmax", "embedded", causal, bugs=["scale-after-softmax"])
    yield case("softmax-over-queries", bugs=["softmax-over-queries"])
    yield case("softmax-over-queries, causal", "embedded", causal, bugs=["softmax-over-queries"])
    yield case("split-without-transpose", "embedded", causal, bugs=["split-without-transpose"])
    yield case("split-without-transpose, cross", "cross", bugs=["split-without-transpose"])
    yield case("merge-without-transpose", "embedded", bugs=["merge-without-transpose"])
    yield case("both transposes", "cross", bugs=["split-without-transpose", "merge-without-transpose"])
    yield case("nan-row", "embedded", padded, bugs=["nan-row"])
    yield case("nan-row, hard", weighting="hard", bugs=["nan-row"])
    yield case("f16", "embedded", padded, half=True, biases=True)
    yield case("f16, without the maximum", weighting="without-maximum", scale=8.0, half=True)
    yield case("f16, rotary, warm", half=True, position="rotary", base=100.0, temperature=3.0)
    yield case("f16, additive", half=True, score="additive")
    yield case("f16, linear", half=True, weighting="linear")
    yield case("f16, general, pencil", mask={"causal": True, "cells": [[0, 3, 1], [2, 1, 0]]}, half=True, score="general")


RULES = [
    "causal", ["keys", [1, 0, 1, 1, 0, 1, 1]], ["queries", [1, 1, 0, 1, 1, 0, 1]], ["prefix", 3], ["window", 2], ["strided", 3],
    ["block", 3], ["global", [2, 1]], ["documents", [0, 0, 1, 1, 1, 2, 2]], ["all", ["causal", ["window", 2]]],
    ["any", [["block", 2], ["keys", [1, 0, 0, 0, 0, 0, 0]]]], ["not", ["all", ["causal", ["documents", [7, 7, 7, 8, 8, 8, 9]]]]],
]


def numbers(a):
    def number(x):
        return "nan" if np.isnan(x) else ("inf" if x > 0 else "-inf") if np.isinf(x) else float(f"{x:.9g}")
    return [number(x) for x in np.asarray(a, float).ravel()]


def main(path):
    done, confirmed = [], 0
    for case in cases():
        stages, qkv = compute(case)
        confirmed += confirm(case, stages, qkv)
        done.append(case | {"stages": {name: numbers(a) for name, a in stages.items()}})
    rules = [{"rule": rule, "grid": "".join("01"[int(b)] for b in grid(rule, 7, 7).ravel())} for rule in RULES]
    position = np.arange(12)[:, None] / 10000.0 ** (np.arange(0, 8, 2) / 8)
    sinusoid = np.stack([np.sin(position), np.cos(position)], 2).reshape(12, 8)
    made_with = {"numpy": np.__version__, "torch": torch.__version__.split("+")[0]}
    inputs = {name: {"shape": a.shape, "data": numbers(a)} for name, a in INPUT.items()}
    whole = {"made_with": made_with, "inputs": inputs, "sinusoidal_12_8": numbers(sinusoid), "rules": rules, "cases": done}
    text = json.dumps(whole, separators=(",", ":"), allow_nan=False).replace('{"name"', '\n{"name"')
    open(path, "w", encoding="utf8").write(text + "\n")
    print(f"{len(done)} cases, {confirmed} confirmed by PyTorch, {len(text) // 1000} kB")


main(sys.argv[1])
