"""A layer of an LSTM over a whole sequence as one primitive: a loop of a dozen NumPy calls a step, and one back."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...arrays.sums import small
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ..arithmetic import tanh
from ..elementary import sigmoid
from ..samples import Sample
from ..shaping import broadcast_to, concatenate, stack

# A layer of an LSTM over a whole sequence as loops, for states whose products are too small for BLAS.

_MOST = 1 << 14  # elements of the weights: products with more are BLAS's


def _sizes(k, gates, h, w):
    """Look at shapes: `(steps, examples, elements of a state)`."""
    steps, n, wide = gates.shape
    m = h.shape[1]
    k.require(h.shape[0].equals(n), wide.equals(m * 4), w.shape[0].equals(wide), w.shape[1].equals(m))
    return steps, n, m


def _sigmoid(k, x):
    return k.run("tanh", x * 0.5) * 0.5 + 0.5


def _forward_loop(k, gates, h, c, w):
    steps, n, m = _sizes(k, gates, h, w)
    k.require(c.shape[0].equals(n), c.shape[1].equals(m))
    wide = m * 4
    outs, cells = (k.output(gates.kind, (steps, n, m)) for _ in range(2))
    acts = k.output(gates.kind, (steps, n, wide))
    turned, sums = k.scratch(gates.kind, (m, wide)), k.scratch(gates.kind, (n, wide))
    state, cell = k.scratch(gates.kind, (n, m)), k.scratch(gates.kind, (n, m))
    lost = k.cell(0, gates.kind)  # NaN where something is not finite, which NumPy may warn of
    for j in k.range(wide):
        for i in k.range(m):
            turned[i, j] = w[j, i]
    for b in k.range(n):
        for i in k.range(m, vectors=True):
            state[b, i] = h[b, i]
            cell[b, i] = c[b, i]
    for t in k.range(steps):
        for b in k.range(n):
            for j in k.range(wide, vectors=True):
                sums[b, j] = gates[t, b, j]
        for i in k.range(m):
            for b in k.range(n):
                x = state[b, i]
                for j in k.range(wide, vectors=True):
                    sums[b, j] = sums[b, j] + x * turned[i, j]
        for b in k.range(n):
            for i in k.range(m, vectors=True):
                enter, keep = _sigmoid(k, sums[b, i]), _sigmoid(k, sums[b, i + m])
                new, show = k.run("tanh", sums[b, i + m * 2]), _sigmoid(k, sums[b, i + m * 3])
                inside = keep * cell[b, i] + enter * new
                out = show * k.run("tanh", inside)
                acts[t, b, i] = enter
                acts[t, b, i + m] = keep
                acts[t, b, i + m * 2] = new
                acts[t, b, i + m * 3] = show
                cells[t, b, i] = inside
                outs[t, b, i] = out
                cell[b, i] = inside
                state[b, i] = out
                lost.add(inside - inside)
                lost.add(out - out)
    k.refuse(lost.get().differs(0))


def _backward_loop(k, douts, c, w, cells, acts):
    steps, n, m = _sizes(k, acts, c, w)
    k.require(*[x.equals(y) for a in (douts, cells) for x, y in zip(a.shape, (steps, n, m))])
    wide = m * 4
    dgates = k.output(acts.kind, (steps, n, wide))
    dh, dc = (k.output(acts.kind, (n, m)) for _ in range(2))
    before = k.scratch(acts.kind, (n, m))
    lost = k.cell(0, acts.kind)
    dh.fill(0)
    dc.fill(0)
    for back in k.range(steps):
        t = steps - 1 - back
        first = t.equals(0)
        earlier = k.maximum(t - 1, 0)
        for b in k.range(n):
            for i in k.range(m, vectors=True):
                before[b, i] = k.where(first, c[b, i], cells[earlier, b, i])
        for b in k.range(n):
            for i in k.range(m, vectors=True):
                enter, keep = acts[t, b, i], acts[t, b, i + m]
                new, show = acts[t, b, i + m * 2], acts[t, b, i + m * 3]
                top = k.run("tanh", cells[t, b, i])
                out = dh[b, i] + douts[t, b, i]
                inside = dc[b, i] + out * show * (1 - top * top)
                dgates[t, b, i] = inside * new * enter * (1 - enter)
                dgates[t, b, i + m] = inside * before[b, i] * keep * (1 - keep)
                dgates[t, b, i + m * 2] = inside * enter * (1 - new * new)
                dgates[t, b, i + m * 3] = out * top * show * (1 - show)
                dc[b, i] = inside * keep
                lost.add(inside - inside)
        for b in k.range(n):
            for i in k.range(m, vectors=True):
                dh[b, i] = k.scalar(0, acts.kind)
        for j in k.range(wide):
            for b in k.range(n):
                x = dgates[t, b, j]
                for i in k.range(m, vectors=True):
                    dh[b, i] = dh[b, i] + x * w[j, i]
    k.refuse(lost.get().differs(0))


def _small(x, w):
    return bool(x.size) and w.size <= _MOST


FORWARD = Loops(_forward_loop, lambda gates, h, c, w: (gates, h, c, w) if _small(gates, w) else None,
                lambda out, *_: tuple(out))
BACKWARD = Loops(_backward_loop,
                 lambda douts, c, w, cells, acts: (douts, c, w, cells, acts) if _small(acts, w) else None)


ndarray = np.ndarray
_PLAIN = (np.dtype(np.float32), np.dtype(np.float64))
_forward, _backward = FORWARD.runner("lstm_sequence"), BACKWARD.runner("lstm_sequence, back")
_add, _multiply, _tanh = [small(op, quiet=True) for op in (np.add, np.multiply, np.tanh)]


def _shape(gates, h, c, w):
    """The avals of the outputs."""
    good = gates.ndim == 3 and gates.shape[0] and h.ndim == 2 and gates.shape[2] == 4 * h.shape[1]
    if not good or h.shape != c.shape or h.shape[0] != gates.shape[1] or w.shape != (gates.shape[2], h.shape[1]):
        raise ShapeError("lstm_sequence needs gates of shape (t, n, 4 k) with t of at least 1, states h and c of shape "
                         f"(n, k), and weights of shape (4 k, k), but got {gates.shape}, {h.shape}, {c.shape} and "
                         f"{w.shape}; reshape them{at_user_line()}")
    dtype, steps = result_dtype(gates, h, c, w), gates.shape[0]
    return (make_aval((steps, *h.shape), dtype),) * 2 + (make_aval(gates.shape, dtype),)


def _plain(*arrays):
    """Tell whether all are NumPy's, of one common dtype."""
    dtype = arrays[0].dtype
    return dtype in _PLAIN and all(type(a) is ndarray and a.dtype is dtype for a in arrays)


def _run(gates, h, c, w):
    """The loop on plain arrays of one dtype; all gates by one tanh, as sigmoid(x) = (1 + tanh(x / 2)) / 2."""
    steps, n, k = gates.shape[0], *h.shape
    outs, cells = (np.empty((steps, n, k), gates.dtype) for _ in range(2))
    scale, shift = (np.empty((n, 4, k), gates.dtype) for _ in range(2))
    scale[:], shift[:] = 0.5, 0.5
    scale[:, 2], shift[:, 2] = 1.0, 0.0
    scale, shift = scale.reshape(n, 4 * k), shift.reshape(n, 4 * k)
    acts = np.multiply(gates, scale, out=np.empty(gates.shape, gates.dtype))
    weights = np.array(w.T, order="C")
    # The halves of x for the three sigmoids are in the weights, so that no step multiplies by them.
    weights[:, : 2 * k] *= 0.5
    weights[:, 3 * k :] *= 0.5
    part, added = np.empty((n, 4 * k), gates.dtype), np.empty((n, k), gates.dtype)
    for z, i, f, g, o, cell, out in zip(acts, *_gates_of(acts), cells, outs):
        np.dot(h, weights, part)
        _add(z, part, z)
        _tanh(z, z)
        _multiply(z, scale, z)
        _add(z, shift, z)
        _multiply(f, c, cell)
        _multiply(i, g, added)
        _add(cell, added, cell)
        _tanh(cell, out)
        _multiply(out, o, out)
        h, c = out, cell
    return outs, cells, acts


def _gates_of(z):
    k = z.shape[-1] // 4
    return z[..., :k], z[..., k : 2 * k], z[..., 2 * k : 3 * k], z[..., 3 * k :]


def _composed(gates, h, c, w):
    """The same in operations; the first axis of `gates` is time, and all may have axes in front of their last two."""
    outs, cells, acts = [], [], []
    weights = w.swapaxes(-1, -2)
    for t in range(gates.shape[0]):
        z = gates[t] + h @ weights
        i, f, g, o = _gates_of(z)
        i, f, g, o = sigmoid(i), sigmoid(f), tanh(g), sigmoid(o)
        c = f * c + i * g
        h = o * tanh(c)
        outs.append(h)
        cells.append(c)
        acts.append(concatenate(i, f, g, o, axis=z.ndim - 1))
    return outs, cells, acts


def _impl(gates, h, c, w):
    if _plain(gates, h, c, w):
        return _forward(gates, h, c, w) or _run(gates, h, c, w)
    return tuple([stack(*parts, axis=0) for parts in _composed(gates, h, c, w)])


def _jvp(tangents, gates, h, c, w, ans):
    dgates, dh, dc, dw = tangents
    outs, cells, acts = ans
    pushed = [], [], []
    for t in range(gates.shape[0]):
        i, f, g, o = _gates_of(acts[t])
        before = outs[t - 1] if t else h
        terms = [d for d in (None if dgates is None else dgates[t], None if dh is None else dh @ w.T,
                             None if dw is None else before @ dw.T) if d is not None]
        if terms:
            di, df, dg, do = _gates_of(sum(terms[1:], terms[0]))
            di, df, dg, do = di * (i * (1 - i)), df * (f * (1 - f)), dg * (1 - g * g), do * (o * (1 - o))
        else:
            di = df = dg = do = h * 0
        dc = df * (cells[t - 1] if t else c) + di * g + dg * i + (0 if dc is None else f * dc)
        top = tanh(cells[t])
        dh = do * top + o * (1 - top * top) * dc
        for found, part in zip(pushed, (dh, dc, concatenate(di, df, dg, do, axis=1))):
            found.append(part)
    return tuple([stack(*parts, axis=0) for parts in pushed])


def _vjp(ct, h, c, w, ans):
    """Back through time, Werbos (1990), doi:10.1109/5.58337, from the activations that the loop left."""
    outs, cells, acts = ans
    k = h.shape[1]
    if _plain(h, c, w, *ans, *[d for d in ct if d is not None]):
        # The kernel is for a cotangent of the outputs alone, as a loss of them gives.
        found = _backward(ct[0], c, w, cells, acts) if ct[1] is ct[2] is None is not ct[0] else None
        dgates, dh, dc = found or _back(*ct, c, w, cells, acts)
        dw = dgates[0].T.dot(h)
        if len(outs) > 1:  # the rest in one product
            dw += dgates[1:].reshape(-1, 4 * k).T.dot(outs[:-1].reshape(-1, k))
        return dgates, dh, dc, dw
    dgates, dh, dc = _back_composed(*ct, c, w, cells, acts)
    previous_h = concatenate(h[None], outs[:-1], axis=0)
    rows = outs.shape[0] * outs.shape[1]
    return dgates, dh, dc, dgates.reshape((rows, 4 * k)).T @ previous_h.reshape((rows, k))


def _back(douts, dcells, dacts, c, w, cells, acts):
    """The loop back on plain arrays: cotangents of the gates, and of the state at the beginning."""
    steps, n, k = cells.shape
    one = acts.dtype.type(1)
    # σ' = σ (1 - σ); the third gate is a tanh, whose slope 1 - g² is written over it below.
    slopes = np.subtract(one, acts)
    slopes *= acts
    i, f, g, o = _gates_of(acts)
    si, sf, sg, so = _gates_of(slopes)
    np.subtract(one, np.multiply(g, g, out=sg), out=sg)
    inner = None if dacts is None else dacts * slopes
    top = np.tanh(cells)
    # All that needs no cotangent is computed for all steps at once, before the loop.
    si *= g
    sf[0] *= c
    sf[1:] *= cells[:-1]
    sg *= i
    so *= top
    through = np.multiply(top, top, out=top)  # of the output by the cell
    np.subtract(one, through, out=through)
    through *= o
    dgates = np.empty(slopes.shape, slopes.dtype)
    shape = steps, n, 4, k
    by_gate, parts = slopes.reshape(shape), dgates.reshape(shape)
    dh, dc, added = np.zeros((n, k), slopes.dtype), np.zeros((n, k), slopes.dtype), np.empty((n, k), slopes.dtype)
    dcs = dc[:, None]
    none = (None,) * steps
    steps_back = [none if a is None else a[::-1] for a in (
        douts, dcells, inner, through, f, by_gate[:, :, :3], by_gate[:, :, 3], parts[:, :, :3], parts[:, :, 3], dgates)]
    for dout, dcell, extra, along, forget, by_c, by_h, part_c, part_h, row in zip(*steps_back):
        if dout is not None:
            _add(dh, dout, dh)
        _multiply(dh, along, added)
        _add(dc, added, dc)
        if dcell is not None:
            _add(dc, dcell, dc)
        _multiply(by_c, dcs, part_c)
        _multiply(by_h, dh, part_h)
        if extra is not None:
            _add(row, extra, row)
        np.dot(row, w, dh)
        _multiply(dc, forget, dc)
    return dgates, dh, dc


def _back_composed(douts, dcells, dacts, c, w, cells, acts):
    """`_back` in operations."""
    previous_c = concatenate(c[None], cells[:-1], axis=0)
    i, f, g, o = _gates_of(acts)
    top = tanh(cells)
    through = o * (1 - top * top)
    slopes = concatenate(g * (i * (1 - i)), previous_c * (f * (1 - f)), i * (1 - g * g), top * (o * (1 - o)), axis=2)
    inner = None
    if dacts is not None:
        inner = dacts * concatenate(i * (1 - i), f * (1 - f), 1 - g * g, o * (1 - o), axis=2)
    dh = dc = through[0] * 0
    found = []
    for t in range(through.shape[0] - 1, -1, -1):
        dh = dh if douts is None else dh + douts[t]
        dc = dc + dh * through[t]
        dc = dc if dcells is None else dc + dcells[t]
        four = concatenate(dc, dc, dc, dh, axis=1) * slopes[t]
        four = four if inner is None else four + inner[t]
        found.append(four)
        dh = four @ w
        dc = dc * f[t]
    return stack(*found[::-1], axis=0), dh, dc


def _batch(gates, h, c, w, batched, size):
    _steps, n, k = gates.shape[-3], *h.shape[-2:]
    gates = gates.swapaxes(0, 1) if batched[0] else gates
    shapes = (size, n, k), (size, n, k), (size, n, 4 * k)
    return tuple([stack(*[broadcast_to(p, shape=s) for p in parts], axis=1)
                  for parts, s in zip(_composed(gates, h, c, w), shapes)])


def _samples(rng):
    def draw(steps, n, k, dtype=np.float64):
        shapes = (steps, n, 4 * k), (n, k), (n, k), (4 * k, k)
        return Sample(*[(0.7 * rng.normal(size=s)).astype(dtype) for s in shapes])

    return [draw(3, 2, 2), draw(1, 2, 1), draw(2, 0, 2), draw(2, 1, 3, np.float32)]


lstm_sequence = primitive(
    "lstm_sequence",  # gates (t, n, 4k): input, forget, cell, output; h, c (n, k); w (4k, k) -> outputs, cells, gates
    impl=lambda xp, gates, h, c, w: _impl(gates, h, c, w),
    outputs=3,
    accepts_none=True,
    shape=_shape,
    jvp={"gates, h, c, w": _jvp},
    vjp={"gates, h, c, w": _vjp},
    blocks={"gates": (1,), "h": (0,), "c": (0,), "ans": (1,)},
    batch=_batch,
    absent={"complex": "its gates are between 0 and 1", "()": "it needs axes", "broadcast": "one shape for each",
            "(0,)": "it needs a step"},
    samples=_samples,
)
