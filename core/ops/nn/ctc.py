"""Connectionist temporal classification (CTC): the likelihood of a label sequence under per-frame classes.

A path is the labels of one example with a blank (its first state) around and between them. From frame to frame a walk
stays in its state, goes to the next, or skips a blank between two different labels. Graves et al. (2006), Connectionist
temporal classification, sections 4.1 and 4.2, in logarithms.
"""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ...trace.device import constant
from ..arithmetic import exp
from ..indexing.indexing import index, update
from ..log_sums import logaddexp
from ..samples import Sample
from ..selection import maximum, where
from ..shaping import broadcast_to, concatenate, stack, transpose

ndarray = np.ndarray
NEVER = -1e30  # the logarithm of what cannot happen: finite, so that differences of two are no NaN


def impossible(likelihood):
    """A mask of the examples whose frames cannot spell the labels."""
    return likelihood <= NEVER / 2


def _shape(x, path, frames, labels):
    if x.ndim != 3 or path.ndim != 2 or path.shape[0] != x.shape[1] or not path.shape[1] % 2 or any(
            tuple(v.shape) != (x.shape[1],) for v in (frames, labels)):
        raise ShapeError("ctc_likelihood needs logarithms (t, b, c), paths (b, 2 k + 1), and two lengths (b,), but got "
                         f"{x.shape}, {path.shape}, {frames.shape} and {labels.shape}; reshape them{at_user_line()}")
    return make_aval((x.shape[1],), float_dtype(x.dtype))


# The loops: one example after the other, states beside each other.


def _kernel(posterior):
    def define(k, x, path, frames, labels):
        steps, examples, classes = x.shape
        states = path.shape[1]
        k.require(path.shape[0].equals(examples), frames.shape[0].equals(examples), labels.shape[0].equals(examples))
        out = k.output(x.kind, (steps, examples, classes) if posterior else (examples,))
        lines = steps if posterior else k.scalar(2, "i64")
        alpha = k.scratch(x.kind, (lines, states + 2))  # two states in front that nothing reaches
        beta, score, skips = (k.scratch(x.kind, shape) for shape in ((2, states + 2), (states,), (states + 2,)))
        never = k.scalar(NEVER, x.kind)

        def total(a, b, c):
            top = k.maximum(k.maximum(a, b), c)
            return top + k.run("log", k.exp(a - top) + k.exp(b - top) + k.exp(c - top))

        def scored(t, e):
            for s in k.range(states):
                score[s] = k.maximum(x[t, e, path[e, s]], never)

        alpha.fill(NEVER)
        skips.fill(NEVER)
        if posterior:
            out.fill(0)
        for e in k.range(examples):
            for s in k.range(states):
                k.refuse((path[e, s] < 0) | (path[e, s] >= classes))
            k.refuse((frames[e] < 0) | (frames[e] > steps) | (labels[e] < 0) | (labels[e] * 2 >= states))
            for s in k.range(states, 2):
                may = path[e, s].differs(path[e, 0]) & path[e, s].differs(path[e, s - 2])
                skips[s] = k.where(may, k.scalar(0, x.kind), never)
            end, count = labels[e] * 2, frames[e]
            # The likelihood looks at the frame before only: two lines take turns.
            line = lambda t: t if posterior else t - k.run("floor_divide", t, 2) * 2  # noqa: E731
            for _ in k.when(count.equals(0)):
                if not posterior:
                    out[e] = k.where(end.equals(0), k.scalar(0, x.kind), never)
            for _ in k.when(count > 0):
                scored(k.scalar(0, "i64"), e)
                for s in k.range(states):
                    alpha[0, s + 2] = k.where(s < 2, score[s], never)
                for t in k.range(count, 1):
                    scored(t, e)
                    now, before = line(t), line(t - 1)
                    for s in k.range(states, vectors=True):
                        found = total(alpha[before, s + 2], alpha[before, s + 1], alpha[before, s] + skips[s])
                        alpha[now, s + 2] = k.maximum(found + score[s], never)
                last = line(count - 1)
                before = k.where(end > 0, alpha[last, end + 1], never)
                top = k.maximum(alpha[last, end + 2], before)
                whole = top + k.run("log", k.exp(alpha[last, end + 2] - top) + k.exp(before - top))
                whole = k.maximum(whole, never)
                if not posterior:
                    out[e] = whole
                else:
                    for _ in k.when(whole > NEVER / 2):
                        for s in k.range(states + 2):
                            beta[0, s] = k.where(s.equals(end) | s.equals(end - 1), k.scalar(0, x.kind), never)
                            beta[1, s] = never
                        for back in k.range(count):
                            t = count - 1 - back
                            for s in k.range(states, vectors=True):
                                # A probability, which rounding must not lift above 1.
                                score[s] = k.exp(k.minimum(alpha[t, s + 2] + beta[0, s] - whole, k.scalar(0, x.kind)))
                            for s in k.range(states):
                                out[t, e, path[e, s]] = out[t, e, path[e, s]] + score[s]
                            scored(t, e)
                            for s in k.range(states, vectors=True):
                                beta[1, s] = k.maximum(beta[0, s] + score[s], never)
                            for s in k.range(states - 2, vectors=True):
                                beta[0, s] = total(beta[1, s], beta[1, s + 1], beta[1, s + 2] + skips[s + 2])
                            # The last two states have none to skip to.
                            for s in k.range(states, k.maximum(states - 2, k.scalar(0, "i64"))):
                                beta[0, s] = total(beta[1, s], beta[1, s + 1], never)

    return define


def _given(x, path, frames, labels):
    if not x.size or x.dtype.kind != "f" or any(
            type(v) is not ndarray or v.dtype.kind not in "iu" for v in (path, frames, labels)):
        return None
    return x, *[v.astype(np.int64, copy=False) for v in (path, frames, labels)]


# The same with arrays of all examples.


def _total(xp, *parts):
    top = parts[0]
    for part in parts[1:]:
        top = xp.maximum(top, part)
    return top + xp.log(sum([xp.exp(part - top) for part in parts]))


def _alphas(xp, x, path, frames, labels):
    """`(scores, alphas, likelihood)`: of all frames and states, the logarithms of all walks up to there."""
    steps, examples = x.shape[:2]
    scores = xp.maximum(xp.take_along_axis(x, xp.broadcast_to(path, (steps, *path.shape)), 2), NEVER)
    skips = xp.full(path.shape, NEVER, x.dtype)  # 0 where a walk may come from two states before
    skips[:, 2:][(path[:, 2:] != path[:, :1]) & (path[:, 2:] != path[:, :-2])] = 0
    alphas = xp.full((max(steps, 1), examples, path.shape[1] + 2), NEVER, x.dtype)
    if steps:
        alphas[0, :, 2:4] = scores[0, :, :2]
    for t in range(1, steps):
        before = alphas[t - 1]
        found = _total(xp, before[:, 2:], before[:, 1:-1], before[:, :-2] + skips)
        alphas[t, :, 2:] = xp.maximum(found + scores[t], NEVER)
    rows = xp.arange(examples)
    # An example without frames reads the first one here; its likelihood is put right below.
    last = alphas[xp.maximum(frames - 1, 0), rows]
    before = xp.where(labels > 0, last[rows, 2 * labels + 1], NEVER)
    found = xp.maximum(_total(xp, last[rows, 2 * labels + 2], before), NEVER)
    return scores, alphas[..., 2:], xp.where(frames > 0, found, xp.where(labels > 0, NEVER, 0.0)).astype(x.dtype), skips


def _posterior(xp, x, path, frames, labels):
    x = xp.asarray(x, float_dtype(x.dtype))
    out = xp.zeros(x.shape, x.dtype)
    scores, alphas, whole, skips = _alphas(xp, x, path, frames, labels)
    steps, (examples, states) = x.shape[0], path.shape
    rows, place = xp.arange(examples)[:, None], xp.arange(states)
    ends = (place == 2 * labels[:, None]) | (place == 2 * labels[:, None] - 1)
    ends = xp.where(ends, 0.0, NEVER).astype(x.dtype)
    around = xp.full((examples, states + 2), NEVER, x.dtype)
    # Backwards a walk skips to the second state behind, where that one may be entered by a skip.
    skips = xp.concatenate((skips[:, 2:], xp.full((examples, 2), NEVER, x.dtype)), axis=1)[:, :states]
    beta, lost = ends, impossible(whole)[:, None]
    for t in range(steps - 1, -1, -1):
        if t < steps - 1:
            around[:, :states] = xp.maximum(beta + scores[t + 1], NEVER)
            found = _total(xp, around[:, :-2], around[:, 1:-1], around[:, 2:] + skips)
            # From its last frame on, an example's walks may only end.
            beta = xp.where((t < frames - 1)[:, None], found, ends)
        share = xp.exp(xp.minimum(alphas[t] + beta - whole[:, None], 0.0))
        xp.add.at(out[t], (rows, path), xp.where(lost | (t >= frames)[:, None], x.dtype.type(0), share))
    return out


def _tangent(dx, x, path, frames, labels):
    """The derivative of the posterior along `dx`, in operations: the recursions and their tangents side by side.

    It is a Hessian times `dx`, so it is its own transpose.
    """
    steps, examples, _ = x.shape
    states = path.shape[1]
    spots = np.arange(steps)[:, None, None], np.arange(examples)[:, None], path
    scores, d_scores = maximum(index(x, spots), NEVER), index(dx, spots)
    full = constant(np.full((examples, states), NEVER, x.dtype), x)
    zero = constant(np.zeros((examples, states), x.dtype), x)
    differs = (path != path[:, :1]) & (path != concatenate(path[:, :2], path, axis=1)[:, :states])
    place, column = constant(np.arange(states), path), lambda v: v.reshape((examples, 1))
    may = differs & (place >= 2)
    frames, labels = column(frames), column(labels)

    def moved(v, by, fill):
        """Each state with what lies `by` states before it, or behind."""
        parts = (fill[:, :by], v[:, :-by]) if by > 0 else (v[:, -by:], fill[:, :-by])
        return concatenate(*[p for p in parts if p.shape[1]], axis=1) if abs(by) < states else fill

    def stepped(parts, tangents):
        total = logaddexp(logaddexp(parts[0], parts[1]), parts[2])
        shares = [exp(part - total) * d for part, d in zip(parts, tangents)]
        return total, shares[0] + shares[1] + shares[2]

    begin = (place < 2) & (place <= 2 * labels)
    alphas = [(where(begin, scores[0], full), where(begin, d_scores[0], zero))]
    for t in range(1, steps):
        a, da = alphas[-1]
        parts = a, moved(a, 1, full), where(may, moved(a, 2, full), full)
        a, da = stepped(parts, (da, moved(da, 1, zero), moved(da, 2, zero)))
        alphas.append((maximum(a + scores[t], NEVER), da + d_scores[t]))
    ends = (place == 2 * labels) | (place == 2 * labels - 1)
    rows, before = np.arange(examples), [index(stack(*v, axis=0), (maximum(frames - 1, 0)[:, 0], np.arange(examples)))
                                         for v in zip(*alphas)]
    last = [index(v, (rows, 2 * labels[:, 0])) for v in before]
    other = [index(v, (rows, maximum(2 * labels - 1, 0)[:, 0])) for v in before]
    second = where(labels[:, 0] > 0, other[0], full[:, 0])
    whole = logaddexp(last[0], second)
    d_whole = exp(last[0] - whole) * last[1] + exp(second - whole) * other[1]
    lost = column(impossible(whole))
    none, beta, d_beta, shares = where(ends, zero, full), where(ends, zero, full), zero, []
    jumps = moved(may, -2, constant(np.zeros((examples, states), bool), path))
    for t in range(steps - 1, -1, -1):
        if t < steps - 1:
            b, db = maximum(beta + scores[t + 1], NEVER), d_beta + d_scores[t + 1]
            parts = b, moved(b, -1, full), where(jumps, moved(b, -2, full), full)
            beta, d_beta = stepped(parts, (db, moved(db, -1, zero), moved(db, -2, zero)))
            inner = t < frames - 1
            beta, d_beta = where(inner, beta, none), where(inner, d_beta, zero)
        share = exp(alphas[t][0] + beta - column(whole)) * (alphas[t][1] + d_beta - column(d_whole))
        shares.append(where(lost | (t >= frames), zero, share))
    return update(constant(np.zeros(x.shape, x.dtype), x), spots, stack(*shares[::-1], axis=0), add=True)


def _joined(x, path, frames, labels, batched, size):
    """All examples of a batch beside each other."""
    x, *others = [v if b else broadcast_to(v, (size, *v.shape)) for v, b in zip((x, path, frames, labels), batched)]
    _, steps, examples, classes = x.shape
    x = transpose(x, axes=(1, 0, 2, 3)).reshape((steps, size * examples, classes))
    return x, *[v.reshape((size * examples, *v.shape[2:])) for v in others]


def _batch(x, path, frames, labels, batched, size):
    return ctc_likelihood(*_joined(x, path, frames, labels, batched, size)).reshape((size, x.shape[-2]))


def _posterior_batch(x, path, frames, labels, batched, size):
    steps, examples, classes = x.shape[-3:]
    out = ctc_posterior(*_joined(x, path, frames, labels, batched, size))
    return transpose(out.reshape((steps, size, examples, classes)), axes=(1, 0, 2, 3))


def _samples(rng):
    out = []
    for steps, classes, labels, frames in ((4, 3, [[1, 2], [1, 1], [2]], [4, 4, 3]), (3, 2, [[], [1]], [3, 2]),
                                           (1, 3, [[2]], [1]), (5, 4, [[3, 1, 3]], [5]), (2, 3, [], [])):
        states = 2 * max(map(len, labels), default=0) + 1
        path = np.zeros((len(labels), states), int)
        for row, found in zip(path, labels):
            row[1 : 2 * len(found) : 2] = found
        x = rng.normal(size=(steps, len(labels), classes))
        rest = path, np.array(frames, int), np.array([len(found) for found in labels], int)
        out += [Sample(x, *rest, tol=1e-5), Sample(x.astype("f4"), *rest)]
    return out


_FACTS = {"nondiff": "path, frames, labels", "samples": _samples,
          "absent": {"complex": "the order it needs is that of real numbers", "()": "frames, examples and classes are "
                     "axes", "broadcast": "each example has its own path"}}
ctc_likelihood = primitive(
    "ctc_likelihood",  # x: (t, b, c) logarithms, path: (b, 2 k + 1), frames, labels: (b,) -> (b,) logarithms
    impl=lambda xp, x, path, frames, labels: _alphas(
        xp, xp.asarray(x, float_dtype(x.dtype)), path, frames, labels)[2],
    kernel=Loops(_kernel(False), _given),
    shape=_shape,
    jvp={"x": lambda dx, x, path, frames, labels: (dx * ctc_posterior(x, path, frames, labels)).sum(axis=(0, 2))},
    vjp={"x": lambda ct, x, path, frames, labels: ctc_posterior(x, path, frames, labels) * ct.reshape((-1, 1))},
    blocks={"x": (1,), "ans": (0,)},
    batch=_batch,
    **_FACTS,
)
ctc_posterior = primitive(
    "ctc_posterior",  # how likely each class of each frame is, given the labels: the derivative of ctc_likelihood
    # 0 where the frames cannot spell the labels
    impl=lambda xp, x, path, frames, labels: _posterior(xp, x, path, frames, labels),
    kernel=Loops(_kernel(True), _given),
    shape=lambda x: make_aval(x.shape, float_dtype(x.dtype)),
    jvp={"x": _tangent},
    vjp={"x": _tangent},
    blocks={"x": (1,), "ans": (1,)},
    batch=_posterior_batch,
    **_FACTS,
)
