"""torch.func.rearrange: the axes of a tensor by a pattern of names, as einops reads it."""

import math
import re

from ..public_names import NAMES
from ..types.tensor_type import Tensor, TensorBase, shape_dtype

stack = NAMES["stack"]
TOKEN = re.compile(r"\.\.\.|[()]|\w+")
ONE = "1"  # what an axis of length 1 is called, which stands on one side alone
REST = "..."


def rearrange(tensor, pattern, **axes_lengths):
    """Return a tensor with its axes split, joined, permuted, added and dropped as a pattern says.

    Args:
        tensor: a tensor, or tensors of one shape, which are stacked first.
        pattern: names of the axes before and after `->`; parentheses hold the parts of one axis, `...` stands for any
            number of axes, `1` for an axis of length 1.
        axes_lengths: lengths of parts of an axis; one of each axis may be left out.
    Raises:
        ValueError: the pattern is malformed, or the tensor does not have the shape that it says.

    >>> import covector.compat.torch as torch
    >>> torch.func.rearrange(torch.arange(6), "(a b) -> b a", a=2)
    tensor([[0, 3],
            [1, 4],
            [2, 5]])
    """
    if not isinstance(tensor, TensorBase):
        tensor = stack(tensor)
    shape = tuple(shape_dtype(tensor)[0])
    before, after = parsed(pattern, frozenset(axes_lengths), len(shape))
    for length in axes_lengths.values():
        if not isinstance(length, int):
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    lengths = dict(axes_lengths)
    for group, n in zip(before, shape):
        find_lengths(group, n, lengths, pattern)
    names = [name for group in before for name in group]
    parts = Tensor.reshape(tensor, [lengths[name] for name in names])
    order = [names.index(name) for group in after for name in group]
    moved = Tensor.permute(parts, order) if order != sorted(order) else parts
    return Tensor.reshape(moved, [math.prod([lengths[name] for name in group]) for group in after])


def find_lengths(group, n, lengths, pattern):
    """Add the length of each part of an axis of length `n`; at most one is not known before."""
    unknown = [name for name in group if name not in lengths]
    known = math.prod([lengths[name] for name in group if name in lengths])
    if len(unknown) > 1:
        raise ValueError(f"rearrange cannot tell the lengths of {' and '.join(unknown)} of one axis of length {n} in "
                         f"'{pattern}'; give all but one of them as keywords")
    if unknown and known > 0 and n % known == 0:
        lengths[unknown[0]] = n // known
    elif unknown or known != n:
        raise ValueError(f"rearrange got an axis of length {n} for '{' '.join(group) or ONE}' in '{pattern}', whose "
                         f"given lengths multiply to {known}; give lengths whose product is {n}")


def parsed(pattern, given, ndim):
    """The axes of both sides, each a tuple of the names of its parts; `...` is spelled out as names of its axes."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    before, after = (axes_of(side) for side in sides)
    ours, theirs = ({name for group in side for name in group} for side in (before, after))
    if REST in theirs and REST not in ours:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if any(REST in group and isinstance(group, Joined) for group in before):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if lone := ours ^ theirs:
        raise ValueError("Identifiers only on one side of rearrange expression (should be on both): "
                         f"{{{', '.join(map(repr, sorted(lone)))}}}")
    if missing := given - ours:
        raise ValueError("Identifiers not found in rearrange expression: "
                         f"{{{', '.join(map(repr, sorted(missing)))}}}")
    named = len(before) - (REST in ours)
    if REST in ours and named > ndim:
        raise ValueError(f"Number of dimensions in pattern ({named}) must be less than or equal to the number of "
                         f"dimensions in the tensor ({ndim})")
    if REST not in ours and named != ndim:
        raise ValueError(f"Number of dimensions in pattern ({named}) must be equal to the number of dimensions in the "
                         f"tensor ({ndim})")
    rest = [f"{REST}{k}" for k in range(ndim - named)]
    return tuple(spelled(before, rest)), tuple(spelled(after, rest))


def spelled(side, rest):
    """A side with the names of the axes that `...` stands for: each an axis, or all parts of one."""
    for group in side:
        if REST in group and not isinstance(group, Joined):
            yield from [(name,) for name in rest]
        else:
            yield tuple([name for part in group for name in (rest if part == REST else [part])])


class Joined(tuple):
    """The parts of one axis, in parentheses."""

    __slots__ = ()


def axes_of(side):
    """The axes of one side of a pattern, each a tuple of names."""
    if side.replace(REST, "", 1).count("."):
        more = "; only one ellipsis for tensor " if side.count(REST) > 1 else ""
        raise ValueError(f"Expression may contain dots only inside ellipsis (...){more}")
    for c in TOKEN.sub("", side).replace(" ", ""):
        raise ValueError(f"Unknown character '{c}'")
    found, inside, seen = [], None, set()
    for token in TOKEN.findall(side):
        if token == "(":
            if inside is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            inside = []
        elif token == ")":
            if inside is None:
                raise ValueError("Brackets are not balanced")
            found.append(Joined(inside))
            inside = None
        elif token == ONE:
            if inside is None:
                found.append(())
        else:
            check_name(token, seen)
            seen.add(token)
            if inside is None:
                found.append((token,))
            else:
                inside.append(token)
    if inside is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    return found


def check_name(name, seen):
    """Refuse a name of an axis that is none, or that its side has already."""
    if name.isdecimal():
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if name != REST and not name.isidentifier():
        raise ValueError(f"Invalid axis identifier: {name}\nnot a valid python identifier")
    if name.startswith("_") or name.endswith("_"):
        raise ValueError(f"Invalid axis identifier: {name}\naxis name should should not start or end with underscore")
    if name in seen:
        raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
