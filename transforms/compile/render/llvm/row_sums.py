"""Sums over rows as LLVM text: where all that a row is added to fits in registers, it stays there from row to row."""

import numpy as np

from .simd import Name

_LEAST = 2  # rows that are added up so
_WRITTEN_OUT = 4  # rows, up to which there is no loop
_STEPS = 128  # of such a row, at most


def summed_axis(rows):
    """The axis over which all folds of a nest go that are not of the elements of a row; None if registers are too few.

    Args:
        rows: the `_Nest` that prints it.
    """
    nest, shape = rows.nest, rows.nest.shape
    sums = [p for (*_, p), within in zip(nest.folds, rows.folded) if not within]
    if not sums or len(shape) < 2 or any(p.strides[-1] != 1 for p in sums):
        return None
    count = len(pieces(rows, shape[-1]))
    for axis in range(len(shape) - 2, -1, -1):
        steps = count * len(nest.steps) * (shape[axis] if shape[axis] <= _WRITTEN_OUT else 1)
        if count * len(sums) > rows.printer.vector // 4 or steps > _STEPS:
            return None
        if shape[axis] >= _LEAST and not any(p.strides[axis] for p in sums):
            return axis
        if not all(p.strides[axis] for p in sums):
            return None
        count *= shape[axis]
    return None


def pieces(rows, n):
    """A row in vectors, and narrower ones: `[(width, start), …]`."""
    found, done = [], 0
    while done < n:
        width = min(1 << ((n - done).bit_length() - 1), rows.width)
        found.append((width, done))
        done += width
    return found


def print_row_sums(rows, axis, indices):
    """Write the loop over rows along an axis, and what lies behind that axis side by side."""
    nest, printer = rows.nest, rows.printer
    parts = []  # (where it lies on the axes behind, width, start)
    for inner in np.ndindex(nest.shape[axis + 1 : -1]):
        behind = {axis + 1 + k: str(i) for k, i in enumerate(inner)}
        parts += [(behind, width, start) for width, start in pieces(rows, nest.shape[-1])]
    totals, targets = {}, {}  # (number of a fold, number of a part) -> its value, and its address
    for k, (*_, p) in enumerate(nest.folds):
        for j, (behind, width, start) in enumerate([] if rows.folded[k] else parts):
            targets[k, j] = printer.moved(rows.pointer(p, {**indices, **behind}), p.kind, str(start), 1)
            totals[k, j] = printer.load(targets[k, j], p.kind, width)
    count = nest.shape[axis]
    if count <= _WRITTEN_OUT:
        for i in range(count):
            totals = _turn(rows, {**indices, axis: str(i)}, parts, totals)
    else:
        totals = _loop(rows, axis, indices, parts, totals)
    for (k, j), x in totals.items():
        printer.store(x, targets[k, j], nest.folds[k][2].kind, "0", 1, parts[j][1])


def _loop(rows, axis, indices, parts, totals):
    """The turns of all rows."""
    text = rows.text
    head, end = rows.printer.labels("n")
    i, following, before = text.new(), text.new(), text.label
    carried = {key: (Name(text.new(), x.type), text.new()) for key, x in totals.items()}
    text.emit(f"br label %{head}")
    text.begin(head)
    text.lines.append(f"  {i} = phi i64 [0, %{before}], [{following}, %{head}]")
    for key, (now, then) in carried.items():
        text.lines.append(f"  {now} = phi {now.type} [{totals[key]}, %{before}], [{then}, %{head}]")
    found = _turn(rows, {**indices, axis: i}, parts, {key: now for key, (now, _) in carried.items()})
    for key, x in found.items():
        text.lines.append(f"  {carried[key][1]} = bitcast {x.type} {x} to {x.type}")
    text.lines.append(f"  {following} = add nuw nsw i64 {i}, 1")
    last = text.op(f"icmp ult i64 {following}, {rows.nest.shape[axis]}", "i1")
    text.emit(f"br i1 {last}, label %{head}, label %{end}")
    text.begin(end)
    return {key: Name(then, now.type) for key, (now, then) in carried.items()}


def _turn(rows, indices, parts, totals):
    """The totals with one row added; folds of the elements of a row go to memory."""
    found, folded = {}, rows.folded
    partial = {}
    for j, (behind, width, start) in enumerate(parts):
        if not start:
            rows.begin({**indices, **behind})
            partial = {k: [] for k, within in enumerate(folded) if within}
        rows.folded = [True] * len(folded)
        values = rows.body(width, str(start))
        rows.folded = folded
        for k, (name, value, p) in enumerate(rows.nest.folds):
            if not folded[k]:
                b = rows.text.builder(p.kind, width)
                found[k, j] = b.run(name, [totals[k, j], b.cast(values[k], value.kind, p.kind)])
                continue
            partial[k].append((width, values[k]))
            if start + width == rows.nest.shape[-1]:
                rows.fold_into(name, value.kind, p, rows.totals[k], partial[k])
    return found
