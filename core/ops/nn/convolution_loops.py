"""Convolutions of images of up to three axes, and their derivatives, as loops with their sums in registers.

An image with its padding is a row of elements. Counted along that row, the taps of a kernel are at the same distances
from every window, so that a vector of neighbouring elements begins as many windows. A run goes from the first window
to the last one; the windows in it that reach over the end of a line are left out of what is returned. With a stride of
s the image is taken apart into s images, of every s-th line or element each; the derivative with respect to the image
is put together from as many. Where lines are short, so that many windows would be left out, there is a shifted image
for each column of taps, whose lines are as long as those of windows, and a run has no others. The planes of an image
of three axes lie one behind the other, its lines are those of all planes, and each plane of windows has runs of its
own.
"""

from functools import lru_cache, partial
from itertools import pairwise, product
from math import prod

import numpy as np

from ...arrays.sums import PLAIN
from ...primitive.kernels import Loops
from ..float_loops import cast_array
from .windows import window_counts

ndarray = np.ndarray
_HALF, _SINGLE = np.dtype(np.float16), np.dtype(np.float32)
_LEAST = 1 << 18  # products, below which a compilation is not worth its time
WORTH = 1 << 21  # products that are worth a call out of native code, whose convolutions are BLAS's
_MOST, _FEW = 1 << 20, 64  # elements of the weights, above which BLAS is as fast, and windows, below which it is
_KEPT, _MANY = 1 << 18, 256  # the same where a vector is kept for each of the weights
_PART = 1 << 10  # elements of a run that stay in the cache while all taps take them
_TOGETHER = 1 << 14  # elements of examples that are taken in one go
_WASTE = 2  # elements of a run for each window
_SHORT = 1.1  # the same, from which images are shifted
_PLANS = 256


def _shapes(k):
    """`(rows, columns)` of tiles, the highest first."""
    return ((4, 4), (1, 8)) if k.registers == 32 else ((4, 3), (1, 6))


def _blocks(k, count, shapes):
    """`for f, rows, columns in …`: blocks of features, as many as a tile has rows."""
    start = 0
    for rows, columns in shapes:
        bits = rows.bit_length() - 1
        stop = k.scalar(count, "i64") >> bits << bits
        for f in k.range(stop, start, rows):
            yield f, rows, columns
        start = stop


class _Image:
    """Channels of some examples one after the other, taken apart by the stride, and then example after example, each
    with zeros around it."""

    def __init__(self, k, x, pieces, shifts, channels, size, stride, rest, together=1):
        self.k, self.x, self.channels, self.wide = k, x, channels, size[1]
        self.pieces = pieces  # lines that lie side by side: the part, its line, that of the image, how many, their step
        self.shifts = shifts  # the element of the image where the lines of each part begin
        self.along, self.side_by_side = stride[1], (stride[0] * stride[1]).equals(1) & size[1].equals(x.shape[3])
        self.plane = size[0] * size[1]
        self.part = self.plane * together
        self.area = self.part * stride[0] * shifts.shape[0]
        self.row = k.scratch(x.kind, (channels * self.area + rest,))  # what is read beyond the end is 0

    def fill(self, i, first, place=0):
        """Take an example, from a channel on."""
        k, x, wide, along, shifts = self.k, self.x, self.wide, self.along, self.shifts
        flat = x.shaped(x.shape[0], x.shape[1], x.shape[2] * x.shape[3])
        for c in k.range(self.channels):
            for piece in k.range(self.pieces.shape[0]):
                part, line, source, count, step = [self.pieces[piece, j] for j in range(5)]
                for v in k.range(shifts.shape[0]):
                    shift = shifts[v]
                    start = k.maximum(k.run("floor_divide", along - 1 - shift, along), 0)
                    stop = k.minimum(k.run("floor_divide", x.shape[3] + along - 1 - shift, along), wide)
                    at = c * self.area + (part * shifts.shape[0] + v) * self.part + self.plane * place + line * wide
                    for _ in k.when(self.side_by_side):
                        for q in k.range((count - 1) * wide + stop, start, vectors=True):
                            self.row[at + q] = flat[i, first + c, source * wide + q + shift]
                        for r in k.range(count):
                            for begin, end in ((0, start), (stop, wide)):  # elements of the lines before and behind
                                for q in k.range(end, begin):
                                    self.row[at + r * wide + q] = 0
                    for _ in k.when(self.side_by_side.equals(False)):
                        for r in k.range(count):
                            for q in k.range(stop, start, vectors=True):
                                self.row[at + r * wide + q] = x[i, first + c, source + r * step, q * along + shift]


def _packed(k, w, order, phases, groups, features, channels, shapes, turned):
    """The weights in the order in which tiles take them."""
    flat = w.shaped(w.shape[0], w.shape[1], w.shape[2] * w.shape[3])
    found = k.scratch(w.kind, (groups * features * channels * order.shape[0],))

    def pack():
        for part in k.range(phases.shape[0]):
            first, count = phases[part, 5], phases[part, 6]
            for g in k.range(groups * phases[part, 7]):
                for f, height, _ in _blocks(k, features, shapes):
                    for c in k.range(channels):
                        for t in k.range(count):
                            at = groups * features * channels * first + (g * features + f) * channels * count
                            at = at + (c * count + t) * height
                            tap = order[first + t]
                            for s in k.range(height):
                                found[at + s] = flat[g * channels + c, f + s, tap] if turned else flat[
                                    g * features + f + s, c, tap]

    return found, pack


def _convolved(k, x, w, places, order, phases, pieces, shifts, groups, features, channels, high, wide, down, along,
               longest, rows, columns, tall, broad, turned):
    n, kind = x.shape[0], x.kind
    shapes, width = _shapes(k), k.width(kind)
    rest = width * max(c for _, c in shapes)
    y = k.output(kind, (n, groups * features, rows, columns))
    packed, pack = _packed(k, w, order, phases, groups, features, channels, shapes, turned)
    image = _Image(k, x, pieces, shifts, channels, (high, wide), (down, along), rest + wide)
    lines = k.scratch(kind, (max(r for r, _ in shapes), longest + rest))
    lost = k.cell(0, kind)  # NaN where something is not finite, which NumPy may warn of
    image.row.fill(0)
    pack()
    for i in k.range(n):
        for g in k.range(groups):
            image.fill(i, g * channels)
            for part in k.range(phases.shape[0]):
                start, much, many, above, before, first, count = [phases[part, j] for j in range(7)]
                run = (much - 1) * wide + many
                for f, height, vectors in _blocks(k, features, shapes):
                    weights = groups * features * channels * first + (g * features + f) * channels * count
                    for p in k.range(run, step=width * vectors):
                        for least, most in pairwise((0, *[vectors >> b for b in (2, 1, 0) if vectors >> b])):
                            left = run - p
                            fits = left > least * width
                            for _ in k.when(fits if most == vectors else fits & (left <= most * width)):
                                tile = k.tile(kind, height, most)
                                tile.begin()
                                for c in k.range(channels):
                                    here, there = c * image.area + start + p, weights + c * count * height
                                    for t in k.range(count):
                                        at, spot = there + t * height, here + places[first + t]
                                        tile.add([tile.number(packed[at + s]) for s in range(height)],
                                                 [tile.vector(image.row, spot + v * width) for v in range(most)])
                                for s in range(height):
                                    for v in range(most):
                                        tile.store(s, v, lines, s, p + v * width)
                    for s in k.range(height):
                        for r in k.range(much):
                            for q in k.range(many, vectors=True):
                                value = lines[s, r * wide + q]
                                y[i, g * features + f + s, r * tall + above, q * broad + before] = value
                                lost.add(value - value)
    k.refuse(lost.get().differs(0))


def _weighted(k, y, x, places, pieces, shifts, starts, together, groups, features, channels, high, wide, down, along,
              lines, columns):
    n, kind, taps = y.shape[0], y.kind, places.shape[0]
    width, pairs = k.width(kind), 4 if k.registers == 32 else 2
    bits = width.bit_length() - 1
    shapes = tuple((r, pairs) for r, _ in _shapes(k))
    image = _Image(k, x, pieces, shifts, channels, (high, wide), (down, along), width + wide, together)
    depth, planes = channels * taps, starts.shape[0]
    y = y.shaped(n, y.shape[1], planes * lines, columns)
    vectors = (lines - 1) * wide + columns + width - 1 >> bits  # of a plane of windows
    run = together * planes * vectors << bits
    room = depth + pairs - 1 >> (pairs >> 1) << (pairs >> 1)
    w = k.output(kind, (groups * features, depth))
    spread = k.scratch(kind, (features, run))
    spots, begins = k.scratch("i64", (room,)), k.scratch("i64", (run >> bits,))
    several = k.where(n > together, k.scalar(1, "i64"), 0)  # else the sums of a block are done before the next begins
    most = max(rows for rows, _ in shapes)
    sums = k.scratch(kind, (k.where(n > together, groups * features, most), room, width))
    lost = k.cell(0, kind)
    for made in (image.row, spread, spots):
        made.fill(0)
    for _ in k.when(n.equals(0)):
        w.fill(0)
    for c in k.range(channels):
        for t in k.range(taps):
            spots[c * taps + t] = c * image.area + places[t]
    for e in k.range(together):
        for z in k.range(planes):
            for v in k.range(vectors):
                begins[(e * planes + z) * vectors + v] = e * image.plane + starts[z] + v * width
    for i in k.range(n, step=together):
        few = k.minimum(together, n - i)
        for _ in k.when(few < together):
            spread.fill(0)
        for g in k.range(groups):
            for e in k.range(few):
                image.fill(i + e, g * channels, e)
                for f in k.range(features):
                    for z in k.range(planes):
                        for r in k.range(lines):
                            at = ((e * planes + z) * vectors << bits) + r * wide
                            for q in k.range(columns, vectors=True):
                                spread[f, at + q] = y[i + e, g * features + f, z * lines + r, q]
            for f, height, _ in _blocks(k, features, shapes):
                tile = k.tile(kind, height, pairs)
                cells = [(s, v) for s in range(height) for v in range(pairs)]
                block = several * (g * features + f)
                for _ in k.when(i.equals(0)):
                    tile.begin()
                    for d in k.range(room, step=pairs):
                        for s, v in cells:
                            tile.store(s, v, sums, block + s, d + v, 0)
                for start in k.range(run, step=_PART):
                    for d in k.range(room, step=pairs):
                        here = [spots[d + v] for v in range(pairs)]
                        for s, v in cells:
                            tile.load(s, v, sums, block + s, d + v, 0)
                        for p in k.range(k.minimum(start + _PART, run), start, step=width):
                            begin = begins[p >> bits]
                            tile.add([tile.vector(spread, f + s, p) for s in range(height)],
                                     [tile.vector(image.row, spot + begin) for spot in here])
                        for s, v in cells:
                            tile.store(s, v, sums, block + s, d + v, 0)
                for _ in k.when(i + together >= n):
                    for d in k.range(room, step=pairs):
                        for s, v in cells:
                            for _ in k.when(d + v < depth):
                                tile.load(s, v, sums, block + s, d + v, 0)
                                value = tile.total(s, v)
                                w[g * features + f + s, d + v] = value
                                lost.add(value - value)
    k.refuse(lost.get().differs(0))


# what they are given

def _image(a):
    """Images as (n, channels, lines of all planes, columns)."""
    return a if a.ndim == 4 else a.reshape((*a.shape[:2], prod(a.shape[2:-1]), a.shape[-1]))


def _three(lengths, fill=1):
    return (fill,) * (3 - len(lengths)) + tuple(lengths)


def _pieces(extent, corner, size, stride):
    """Lines of the parts of an image that lie side by side in it, among the zeros around it: of each such piece the
    part, its first line, that line of the image, how many lines, and how far apart they are in the image.

    Args:
        extent, corner, stride: of its planes and lines; `corner` is how many zeros are before.
        size: how many planes and lines a part has.
    """
    found = []
    for (a, b), m in product(product(*map(range, stride[:2])), range(size[0])):
        plane = m * stride[0] + a - corner[0]
        lines = [n for n in range(size[1]) if 0 <= n * stride[1] + b - corner[1] < extent[1]]
        if lines and 0 <= plane < extent[0]:
            source = plane * extent[1] + lines[0] * stride[1] + b - corner[1]
            found.append((a * stride[1] + b, m * size[1] + lines[0], source, len(lines), stride[1]))
    return np.array(found).reshape(-1, 5)


@lru_cache(_PLANS)
def _plan(size, kernel, stride, padding, dilation, n=1):
    """The plan for reading images; None where most of a run would be wasted.

    Args:
        n: examples, of which so many are taken together.
    Returns:
        tables: places of the taps; which of the weights these are; of each part of the result its first place, its
            rows and columns, where it begins there, its first tap, how many, and whether these are new: here one part
            a plane, with all taps; the pieces of the image; where the lines of each part of it begin.
        image: (lines, columns, parts of lines, step from one element of a line to the next).
        run: elements.
        result: its rows and columns, and the steps from one element of a part to the next; where all windows of a
            plane lie side by side, they are one row.
        together: examples.
        starts: where the planes of windows begin.
    """
    size, kernel, stride, dilation = [_three(v) for v in (size, kernel, stride, dilation)]
    padding = _three(padding, (0, 0))
    padded = [count + a + b for count, (a, b) in zip(size, padding)]
    deep, high, wide = [-(-count // s) for count, s in zip(padded, stride)]
    planes, rows, columns = [(m - d * (k - 1) - 1) // s + 1 for m, k, s, d in zip(padded, kernel, stride, dilation)]
    run = (rows - 1) * wide + columns
    if any(p < 0 for pair in padding for p in pair) or run > _WASTE * rows * columns:
        return None
    q, s, t = stride
    taps = [range(0, d * k, d) for k, d in zip(kernel, dilation)]
    within = {c: (c % t, c // t) for c in taps[2]}  # the part of the image that a column of taps reads, and from where
    shifts = range(t)
    if run > _SHORT * rows * columns:
        shifts, wide, within = taps[2], columns, {c: (i, 0) for i, c in enumerate(taps[2])}
    plane = deep * high * wide
    if wide == columns:
        rows, columns = 1, rows * columns
    together = max(min(n, _TOGETHER // plane), 1)
    places = np.array([(((a % q) * s + b % s) * len(shifts) + within[c][0]) * plane * together
                       + (a // q * high + b // s) * wide + within[c][1] for a, b, c in product(*taps)])
    starts = np.arange(planes) * high * wide
    parts = np.array([(start, rows, columns, z * rows, 0, 0, len(places), z == 0) for z, start in enumerate(starts)])
    (front, _), (top, _), (left, _) = padding
    tables = (places, np.arange(len(places)), parts, _pieces(size, (front, top), (deep, high), stride),
              np.array(shifts) - left)
    return (tables, (deep * high, wide, q * s, t), (rows - 1) * wide + columns, (planes * rows, columns, 1, 1),
            together, starts)


@lru_cache(_PLANS)
def _parts(size, extent, kernel, stride, padding, dilation):
    """The same for the derivative with respect to the image, of which every s-th element makes a part."""
    size, extent, kernel, stride, dilation = [_three(v) for v in (size, extent, kernel, stride, dilation)]
    padding = _three(padding, (0, 0))
    ways = []  # of each axis, of each part: (first element, how many, where it begins, [(tap, how far back)])
    for n, k, s, (a, _), d in zip(extent, kernel, stride, padding, dilation):
        starts = [-(-(a - u) // s) for u in range(s)]
        ways.append([(start, -(-(a + n - u) // s) - start, start * s + u - a,
                      [(t, (t * d - u) // s) for t in range(k) if (t * d - u) % s == 0])
                     for u, start in enumerate(starts)])
    back = [max([m for *_, taps in way for _, m in taps], default=0) for way in ways]
    deep, high, wide = [m + max(n, *[start + count for start, count, *_ in way])
                        for m, n, way in zip(back, size, ways)]
    whole = [n + a + b - d * (k - 1) - 1 for n, (a, b), k, d in zip(extent, padding, kernel, dilation)]
    runs = [(way[1] - 1) * wide + last[1] for way, last in product(ways[1], ways[2]) if way[1] > 0 and last[1] > 0]
    waste = sum(runs) * sum(max(way[1], 0) for way in ways[0]) / max(prod(extent), 1)
    if size != tuple([n // s + 1 for n, s in zip(whole, stride)]) or waste > _WASTE or any(
            p < 0 for pair in padding for p in pair):
        return None
    shifts = [-back[2]]
    if waste > _SHORT:
        shifts = sorted({column - n for column, _, _, along in ways[2] for _, n in along})
        wide = max(count for _, count, *_ in ways[2])
    one = waste > _SHORT and stride == (1, 1, 1)  # all windows of a plane lie side by side
    places, order, parts = [], [], []
    for (plane, planes, behind, deeper), (row, rows, above, down), (column, columns, before, along) in product(*ways):
        if rows > 0 and columns > 0:
            first = len(places)
            for (t, l), (u, m), (v, n) in product(deeper, down, along):
                part, start = (shifts.index(column - n), 0) if waste > _SHORT else (0, column + back[2] - n)
                places.append((part * deep * high + (back[0] - l) * high + back[1] - m) * wide + start)
                order.append((t * kernel[1] + u) * kernel[2] + v)
            starts = [(plane + z) * high * wide + row * wide for z in range(planes)]
            for z, start in enumerate(starts):
                kept = (rows, columns, (behind + z * stride[0]) * extent[1] + above, before)
                parts.append((start, *((1, rows * columns, z, 0) if one else kept), first, len(places) - first, z == 0))
    tables = (np.array(places), np.array(order), np.array(parts), _pieces(size, back, (deep, high), (1, 1)),
              np.array(shifts))
    return (tables, (deep * high, wide, 1, 1), max([(rows - 1) * wide + columns for _, rows, columns, *_ in parts]),
            (extent[0], extent[1] * extent[2], 1, 1) if one else (extent[0] * extent[1], extent[2], *stride[1:]))


def _fit(x, y, taps, windows, weights, least, few, most):
    """Tell whether there is enough to do, but not for BLAS, and of which kind."""
    return taps > 1 and windows >= few and weights <= most and windows * weights >= least and (
        (x.dtype in PLAIN or x.dtype == _HALF) and x.dtype == y.dtype and x.ndim in (3, 4, 5))


def planned_conv(x, w, stride, padding, dilation, groups, least):
    """The plan of the loops for arrays or avals, or None where the loops do not apply."""
    kernel, windows = tuple(w.shape[2:]), x.shape[0] * prod(x.shape[2:]) // prod(stride)
    if x.shape[1] != w.shape[1] * groups or w.shape[0] % groups or not _fit(
            x, w, prod(kernel), windows, w.size, least, _FEW, _MOST):
        return None
    found = _plan(tuple(x.shape[2:]), kernel, stride, padding, dilation)
    if found is None:
        return None
    tables, image, run, result, *_ = found
    return *tables, groups, w.shape[0] // groups, w.shape[1], *image, run, *result


def planned_input(y, w, extent, stride, padding, dilation, groups, least):
    kernel, windows = tuple(w.shape[2:]), y.shape[0] * prod(y.shape[2:])
    if y.shape[1] != w.shape[0] or w.shape[0] % groups or not _fit(
            y, w, prod(kernel) * prod(stride), windows, w.size, least, _FEW, _MOST):
        return None
    found = _parts(tuple(y.shape[2:]), tuple(extent), kernel, stride, padding, dilation)
    if found is None:
        return None
    tables, image, longest, result = found
    return *tables, groups, w.shape[1], w.shape[0] // groups, *image, longest, *result


def planned_weight(y, x, kernel, stride, padding, dilation, groups, least):
    channels, windows = x.shape[1] // groups, y.shape[0] * prod(y.shape[2:])
    if y.shape[1] % groups or x.shape[1] % groups or y.shape[0] != x.shape[0] or not _fit(
            y, x, prod(kernel), windows, y.shape[1] * channels * prod(kernel), least, _MANY, _KEPT):
        return None
    found = _plan(tuple(x.shape[2:]), tuple(kernel), stride, padding, dilation, y.shape[0])
    size = [n + a + b for n, (a, b) in zip(x.shape[2:], padding)]
    if found is None or tuple(y.shape[2:]) != tuple(window_counts(size, kernel, stride, dilation)):
        return None
    (places, _, _, pieces, shifts), image, _, (rows, columns, *_), together, starts = found
    return (places, pieces, shifts, starts, together, groups, y.shape[1] // groups, channels, *image,
            rows // len(starts), columns)


def _given(plan):
    """The operands of the loops: the arrays, of two axes, halves in float32, and their plan."""
    def given(x, y, *params):
        plain = type(x) is type(y) is ndarray and x.size * y.size >= _LEAST  # products are at most so many
        found = plan(x, y, *params, _LEAST) if plain else None
        if found is None:
            return None
        if x.dtype == _HALF:
            x, y = cast_array(np, x, _SINGLE), cast_array(np, y, _SINGLE)
        return (_image(x), _image(y), *found)

    return given


def _unfolded(out, x, extent):
    """The outputs for images of lines, with the axes of the operands and in their dtype."""
    out = out.reshape((*out.shape[:2], *extent))
    return out if x.dtype != _HALF else cast_array(np, out, _HALF)


def _windows(out, x, w, stride, padding, dilation, groups):
    size = [n + a + b for n, (a, b) in zip(x.shape[2:], padding)]
    return _unfolded(out, x, window_counts(size, w.shape[2:], stride, dilation))


def _of_weights(w, y, x, kernel, *_):
    w = w.reshape((y.shape[1], -1, *kernel))
    return w if x.dtype != _HALF else cast_array(np, w, _HALF)


CONV = Loops(partial(_convolved, turned=False), _given(planned_conv), _windows)
CONV_INPUT = Loops(partial(_convolved, turned=True), _given(planned_input),
                   lambda out, y, w, extent, *_: _unfolded(out, y, extent))
CONV_WEIGHT = Loops(_weighted, _given(planned_weight), _of_weights)
