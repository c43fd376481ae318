"""Lower convolutions: of images to im2col for each example and a matrix product, of rows to sums of products."""

from math import prod

from ..loops.define import Stack
from ..loops.statements import KINDS, Const, compact_strides
from .indexing import added, looped, row_of
from .products import multiplied

_LINE = 2048  # elements of a row that stays in the first cache; of longer ones NumPy's products of vectors are faster

# The shapes are those of core/ops/nn/convolution.py: x (n, channels, *size), w (features, channels / groups, *kernel),
# y (n, features, *out).


def windows(writer, eq):
    """All windows over the last axes, as a view: (*lead, *kernel, *out)."""
    (v,), (kernel, stride, dilation) = eq.inputs, eq.params
    writer.values[eq.outputs[0]] = _windows(writer.place(v), kernel, stride, dilation, eq.outputs[0].aval.shape)


def overlap_add(writer, eq):
    """Windows added up where they came from."""
    (v,), (_, kernel, stride, dilation), out = eq.inputs, eq.params, eq.outputs[0]
    y = writer.place(v)
    place = writer.values[out] = writer.result(out)
    writer.fill(place, Const(0.0, place.kind))
    taps = len(kernel)
    _add_windows(writer, _windows(place, kernel, stride, dilation, y.shape), y, taps, len(y.shape) - 2 * taps)


def conv(writer, eq):
    """`y` of `x` and `w`."""
    (v, u), (stride, padding, dilation, groups), out = eq.inputs, eq.params, eq.outputs[0]
    x, w = writer.place(v), _in_groups(writer, u, groups)
    place = writer.values[out] = writer.result(out)
    n, kernel, size = v.aval.shape[0], u.aval.shape[2:], out.aval.shape[2:]
    y = place.reshaped((n, groups, w.shape[1], prod(size)))  # each group is a product of its own
    padded = _zeros(writer, x, padding)

    def one(k):
        cols = _columns(writer, x.row(k), padded, padding, kernel, stride, dilation, size)
        multiplied(writer, w, cols.reshaped((groups, w.shape[2], prod(size))), y.row(k))

    looped(writer, n, one)


def conv_input(writer, eq):
    """`x` of `y` and `w`."""
    (v, u), (_, stride, padding, dilation, groups), out = eq.inputs, eq.params, eq.outputs[0]
    w = _in_groups(writer, u, groups)
    n, kernel, size = v.aval.shape[0], u.aval.shape[2:], v.aval.shape[2:]
    y = _compact(writer, writer.place(v)).reshaped((n, groups, w.shape[1], prod(size)))
    place = writer.values[out] = writer.result(out)
    channels, kind = out.aval.shape[1], place.kind
    cols = writer.new((groups, w.shape[2], prod(size)), kind)  # of one example at a time, so that it stays in the cache
    apart = cols.reshaped((channels, *kernel, *size))
    whole = any(p for pair in padding for p in pair)
    # Windows reach into the padding.
    sums = writer.new((channels, *_around(out.aval.shape[2:], padding)), kind) if whole else None

    def one(k):
        multiplied(writer, w.seen(lambda a: a.transpose((0, 2, 1))), y.row(k), cols)
        total = place.row(k) if sums is None else sums
        writer.fill(total, Const(0.0, kind))
        _add_windows(writer, _windows(total, kernel, stride, dilation, apart.shape), apart, len(kernel), 1)
        if sums is not None:
            writer.copy(_inside(sums, out.aval.shape[2:], padding), place.row(k))

    looped(writer, n, one)


def conv_weight(writer, eq):
    """`w` of `y` and `x`."""
    (u, v), (kernel, stride, padding, dilation, groups), out = eq.inputs, eq.params, eq.outputs[0]
    n, size, kind = v.aval.shape[0], u.aval.shape[2:], KINDS[out.aval.dtype]
    rows = out.aval.shape[1] * prod(kernel)
    x = writer.place(v)
    y = _compact(writer, writer.place(u)).reshaped((n, groups, out.aval.shape[0] // groups, prod(size)))
    place = writer.values[out] = writer.result(out)
    total = place.reshaped((groups, out.aval.shape[0] // groups, rows))  # added up where it is wanted
    part = writer.new(total.shape, kind)  # a library's product overwrites; the sum over examples is added by a nest
    padded = _zeros(writer, x, padding)
    writer.fill(total, Const(0.0, kind))

    def one(k):
        cols = _columns(writer, x.row(k), padded, padding, kernel, stride, dilation, size)
        cols = cols.reshaped((groups, rows, prod(size)))
        multiplied(writer, y.row(k), cols.seen(lambda a: a.transpose((0, 2, 1))), part)
        added(writer, total, part)

    looped(writer, n, one)


def _windows(x, kernel, stride, dilation, shape):
    """The place of all windows over the last axes."""
    n = len(kernel)
    inner = x.strides[len(x.strides) - n :]
    return x.laid(shape, (*x.strides[: len(x.strides) - n], *[a * d for a, d in zip(inner, dilation)],
                          *[a * s for a, s in zip(inner, stride)]))


def _around(size, padding):
    return tuple([a + k + b for k, (a, b) in zip(size, padding)])


def _inside(x, size, padding):
    """The place of what lies inside of the padding over the last axes."""
    ahead = len(x.shape) - len(size)
    return x.laid((*x.shape[:ahead], *size), x.strides, sum(a * s for (a, _), s in zip(padding, x.strides[ahead:])))


def _zeros(writer, x, padding):
    """Memory for one example with zeros around it; None without padding."""
    if not any(p for pair in padding for p in pair):
        return None
    place = writer.new((x.shape[1], *_around(x.shape[2:], padding)), x.kind)
    writer.fill(place, Const(0.0, x.kind))
    return place


def _columns(writer, x, padded, padding, kernel, stride, dilation, size):
    """The windows of one example, (channels, *kernel, *out), in order."""
    if padded is not None:
        writer.copy(x, _inside(padded, x.shape[1:], padding))
        x = padded
    cols = writer.new((x.shape[0], *kernel, *size), x.kind)
    # Side by side: as a matrix, the windows are BLAS's.
    writer.copy(_windows(x, kernel, stride, dilation, cols.shape), cols)
    return cols


def _in_groups(writer, u, groups):
    """Weights as (groups, features, channels * taps)."""
    shape = u.aval.shape
    return _compact(writer, writer.place(u)).reshaped((groups, shape[0] // groups, prod(shape[1:])))


def _compact(writer, x):
    return x if x.strides == compact_strides(x.shape) else writer.copied(x)


def _add_windows(writer, into, y, taps, lead):
    """Add windows (*lead, *kernel, *out) at their places, one tap of the kernel after the other: they overlap."""
    if taps:
        looped(writer, y.shape[lead], lambda k: _add_windows(
            writer, row_of(into, lead, k), row_of(y, lead, k), taps - 1, lead))
    else:
        added(writer, into, y)


def is_short(eq, is_body):
    """Tell whether rows of one kind of float are short."""
    avals = [v.aval for v in (*eq.inputs, *eq.outputs)]
    return all(a.dtype == avals[-1].dtype and not a.weak and 0 < a.shape[-1] <= _LINE for a in avals) and (
        avals[-1].dtype.kind == "f")


def convolve(writer, eq):
    """All sums of products of two rows, by shifts of the longer one."""
    (v, u), (out,) = eq.inputs, eq.outputs
    if v.aval.shape[-1] < u.aval.shape[-1]:
        v, u = u, v
    (n, m), work = (v.aval.shape[-1], u.aval.shape[-1]), Stack(writer, out, 1)
    x, y, total = work.copy(v, (n,)), work.copy(u, (m,)), work.new((n + m - 1,))
    total.fill(0.0)
    for t in work.each():
        _shifted(work.body, n, m, lambda i, j, t=t: (total, (t, i + j), x[t, i] * y[t, j]))
    writer.work += writer.repeat * work.count * n * m
    work.give(out, total)


def slide(writer, eq):
    """The sums of products of a row with each part of another."""
    (v, u), (out,) = eq.inputs, eq.outputs
    (n, m), work = (out.aval.shape[-1], u.aval.shape[-1]), Stack(writer, out, 1)
    x, y, total = work.copy(v, (n + m - 1,)), work.copy(u, (m,)), work.new((n,))
    total.fill(0.0)
    for t in work.each():
        if n >= m:
            _shifted(work.body, n, m, lambda i, j, t=t: (total, (t, i), x[t, i + j] * y[t, j]))
        else:
            for i in work.body.range(n):
                found = work.body.cell(0.0, work.kind)
                for j in work.body.range(m):
                    found.add(x[t, i + j] * y[t, j])
                total[t, i] = found.get()
    writer.work += writer.repeat * work.count * n * m
    work.give(out, total)


def _shifted(body, n, m, term):
    """Add `term(i, j)`, `(array, places, value)`, up over all j, in inner loops over i."""
    for j in body.range(m):
        for i in body.range(n):
            array, places, value = term(i, j)
            array[places] = array[places] + value
