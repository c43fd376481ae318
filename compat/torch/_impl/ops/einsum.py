"""`torch.einsum`: sums of products by a formula, in the dtypes and the order of memory that PyTorch's kernels give."""

import functools

import numpy as np

from ....._engine import words_of
from ..dispatch.autocasting import of_product
from ..dispatch.call import ROWS, method, operation, to
from ..dispatch.host_ops import peek
from ..dispatch.layouts import laid_out, ordered, replaced
from ..types import dtypes
from ..types.dtypes import bool_, int64, type_word
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import TensorBase, shape_dtype
from .array_functions import cnp
from .shaping import permute

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Mismatch(ValueError, RuntimeError):
    """A formula of three operands or more that does not fit them: PyTorch's type depends on whether opt_einsum is
    there."""


@operation("einsum", register=False, node=None, out=False)
def product(equation, *operands):
    """The sum of products of core values."""
    parts = parsed(equation, tuple([v.ndim for v in operands]))
    left, arrow, right = equation.partition("->")
    if parts is not None and arrow and "..." in left and "..." not in right:
        equation = spelt(*parts)  # torch sums over the axes of an ellipsis that the output has not
    if len({v.dtype for v in operands}) > 1:
        common = dtypes.promoted([dtypes.OF_NUMPY[v.dtype] for v in operands], [], []).numpy  # whatever their ranks
        operands = [to(v, common) for v in operands]
    try:
        if all(type(v) is np.ndarray and v.dtype == np.float16 for v in operands):  # NumPy adds them up one by one
            found = cnp.einsum(equation, *[v.astype(np.float32) for v in operands]).astype(np.float16)
        else:
            found = cnp.einsum(equation, *operands)
    except ValueError as error:
        words = misfit(equation, [v.shape for v in operands]) or words_of(error)
        raise (Mismatch if len(operands) > 2 else RuntimeError)(f"einsum(): {words}") from None
    return found if parts is None or len(operands) != 2 else laid(found, operands, equation, *parts)


@method("einsum", attached=False)
def einsum(*args):
    """Compute sums of products given by an Einstein summation formula."""
    if len(args) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand "
                         "and its subscripts list")
    if isinstance(args[0], TensorBase):
        args = of_lists(args)
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = operands[0]
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    if len(operands) > 2 and equation.count(",") + 1 != len(operands):
        raise Mismatch(f"einsum(): {equation!r} names {equation.count(',') + 1} operands, but got {len(operands)}")
    for i, t in enumerate(operands):
        if not isinstance(t, TensorBase) and not hasattr(type(t), "__torch_function__"):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(t).__name__}")
    if len(operands) > 1:
        operands = of_product(operands)
    if all(type(t) in PLAIN_KINDS for t in operands):
        parts = parsed(equation, tuple([t.ndim for t in operands]))
        if parts is not None:
            check(operands, *parts)
            operands = [counted(t, given, parts) if t.dtype is bool_ else t for t, given in zip(operands, parts[0])]
            if len(operands) == 1:
                return of_one(operands[0], *parts[0], parts[1])
    return product(equation, *operands)


def counted(t, given, parts):
    """Truth values as integers where a label is theirs alone and not asked for: its sum is taken first."""
    others = [k for found in parts[0] if found is not given for k in found]
    return t if all(k in others or k in parts[1] for k in given) else t.to(int64)


def of_lists(args):
    """The formula of operands that alternate with lists of numbers, and the operands."""
    def word(subscripts):
        if any(n is not Ellipsis and not 0 <= n < 52 for n in subscripts):
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return "".join(["..." if n is Ellipsis else LETTERS[n] for n in subscripts])

    equation = ",".join([word(subscripts) for subscripts in args[1::2]])
    if len(args) % 2:
        return equation + "->" + word(args[-1]), *args[:-1:2]
    return equation, *args[::2]


@functools.lru_cache(maxsize=256)
def parsed(equation, ranks):
    """`(labels of the axes of each operand, labels of the output)`; the axes of an ellipsis are numbered from the last.

    None where the formula does not fit: the computation says why.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    words = left.split(",")
    if len(words) != len(ranks):
        return None
    inputs = [labels(word, rank) for word, rank in zip(words, ranks)]
    if None in inputs:
        return None
    flat = [k for found in inputs for k in found]
    rest = sorted({k for k in flat if isinstance(k, int)})
    if arrow:
        out = labels(right, len(right.replace("...", "")) + len(rest) * ("..." in right))
    else:
        out = rest + sorted([k for k in set(flat) if isinstance(k, str) and flat.count(k) == 1])
    return None if out is None or len(set(out)) < len(out) or set(out) - set(flat) else (inputs, out)


def misfit(equation, shapes):
    """Why a formula does not fit operands of these shapes, in PyTorch's words; None for other reasons."""
    words = equation.replace(" ", "").partition("->")[0].split(",")
    if len(words) != len(shapes):
        which = "fewer" if len(words) > len(shapes) else "more"
        return f"{which} operands were provided than specified in the equation"
    for i, (word, shape) in enumerate(zip(words, shapes)):
        count, dots = len(word.replace("...", "")), "..." in word
        if count > len(shape) or count < len(shape) and not dots:
            fault = "is more than the number of dimensions" if dots else "does not match the number of dimensions"
            more = "" if dots else " and no ellipsis was given"
            return f"the number of subscripts in the equation ({count}) {fault} ({len(shape)}) for operand {i}{more}"
    seen = {}
    for i, (word, shape) in enumerate(zip(words, shapes)):
        for k, n in zip(labels(word, len(shape)) or (), shape):
            if n != 1 and seen.setdefault(k, n) != n and isinstance(k, str):
                return (f"subscript {k} has size {n} for operand {i} which does not broadcast with previously seen "
                        f"size {seen[k]}")
    return None


def spelt(inputs, out):
    """A formula with letters for the axes of an ellipsis."""
    free = iter([k for k in LETTERS if all(k not in given for given in inputs)])
    names = {k: k if isinstance(k, str) else next(free) for k in dict.fromkeys([k for given in inputs for k in given])}
    return ",".join(["".join([names[k] for k in given]) for given in inputs]) + "->" + "".join([names[k] for k in out])


def labels(word, rank):
    """The labels of axes; None where there are not as many."""
    head, dots, tail = word.partition("...")
    more = rank - len(head) - len(tail)
    if more < 0 or more and not dots or not all(k in LETTERS for k in head + tail):
        return None
    return [*head, *range(-more, 0), *tail]


def check(operands, inputs, out):
    """torch's refusals of diagonals that are none, and of two dtypes or booleans in a product of matrices: products of
    numbers promote."""
    kinds = {shape_dtype(t)[1] for t in operands}
    if len(kinds) == 1 and kinds.pop().kind != "b" and all(len(set(given)) == len(given) for given in inputs):
        return
    places = {}  # label -> the dtypes of the operands that it runs through
    for i, (t, given) in enumerate(zip(operands, inputs)):
        shape, dtype = shape_dtype(t)
        sizes = {}
        for k, n in zip(given, shape):
            if sizes.setdefault(k, n) != n:
                error = Mismatch if len(operands) > 2 else RuntimeError
                raise error(f"einsum(): subscript {k} is repeated for operand {i} but the sizes don't match, "
                                   f"{n} != {sizes[k]}")
        for k, n in sizes.items():
            if n != 1 and k not in out:
                places.setdefault(k, []).append(dtype)
    for found in places.values():
        if len(found) > 1 and found[0].kind == "b":
            raise NotImplementedError("\"bmm\" not implemented for 'Bool'")
        if len(set(found)) > 1 and len(operands) == 2:
            raise RuntimeError(f"expected scalar type {type_word(found[0])} but found {type_word(found[1])}")


def of_one(x, given, out):
    """Axes with one label as their diagonal, a sum over those that are not asked for, the others turned: a view where
    nothing is summed."""
    given = list(given)
    for k in dict.fromkeys(given):
        while given.count(k) > 1:
            first = given.index(k)
            second = given.index(k, first + 1)
            x = ROWS["diagonal"].fun(x, 0, first, second)
            given = [g for i, g in enumerate(given) if i not in (first, second)] + [k]
    rest = [k for k in given if k not in out]
    x = permute(x, [given.index(k) for k in (*out, *rest)])
    return ROWS["sum"].fun(x, tuple(range(len(out), len(out) + len(rest)))) if rest else x


@functools.lru_cache(maxsize=256)
def product_order(equation, first, second):
    """The axes of a product of matrices of two shapes, outermost first; None where nothing is summed."""
    inputs, out = parsed(equation, (len(first), len(second)))
    a, b = (dict(zip(given, shape)) for given, shape in zip(inputs, (first, second)))
    if not any(a[k] != 1 != b.get(k, 1) and k not in out for k in a):
        return None
    both, left, right = [], [], []
    for i, k in enumerate(out):
        (both if a.get(k, 1) != 1 != b.get(k, 1) or a.get(k, 1) == 1 == b.get(k, 1) else
         left if a.get(k, 1) != 1 else right).append(i)
    swapped = left and right and right[-1] < left[0]
    return both + (right + left if swapped else left + right)


def laid(found, operands, equation, inputs, out):
    """The output of two operands as PyTorch's kernels lay it out.

    That of a product of matrices: labels of both operands outermost, then those of the first alone, then those of the
    second, these two exchanged where all of the second come first in the output. Else that of an elementwise product of
    the operands with their axes in the order of the output.
    """
    array = peek(found)
    if type(array) is not np.ndarray or array.ndim < 2:
        return found
    arrays = [peek(v) for v in operands]
    order = product_order(equation, *[tuple(v.shape) for v in operands])
    if order is not None:
        return replaced(found, array, ordered(array, order))
    if not all(type(v) is np.ndarray for v in arrays):
        return found
    return replaced(found, array, laid_out(array, *[turned(v, given, out) for v, given in zip(arrays, inputs)]))


def turned(array, given, out):
    """An operand with its axes in the order of the output, of length 1 where it has none; sums lie in that order."""
    shape = [array.shape[given.index(k)] if k in given else 1 for k in out]
    if any(k not in out for k in given):
        return np.empty(shape, bool)
    steps = [sum(s for g, s in zip(given, array.strides) if g == k) for k in out]
    return np.lib.stride_tricks.as_strided(array, shape, steps)
