"""A layer of an LSTM over a whole sequence as loops, for states whose products are too small for BLAS."""

from ...primitive.loop_kernels import Loops

_MOST = 1 << 14  # elements of the weights: products with more are BLAS's


def _sizes(k, gates, h, w):
    """Look at shapes: `(steps, examples, elements of a state)`."""
    steps, n, wide = gates.shape
    m = h.shape[1]
    k.require(h.shape[0].equals(n), wide.equals(m * 4), w.shape[0].equals(wide), w.shape[1].equals(m))
    return steps, n, m


def _sigmoid(k, x):
    return k.run("tanh", x * 0.5) * 0.5 + 0.5


def _forward(k, gates, h, c, w):
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


def _backward(k, douts, c, w, cells, acts):
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


FORWARD = Loops(_forward, lambda gates, h, c, w: (gates, h, c, w) if _small(gates, w) else None,
                lambda out, *_: tuple(out))
BACKWARD = Loops(_backward, lambda douts, c, w, cells, acts: (douts, c, w, cells, acts) if _small(acts, w) else None)
