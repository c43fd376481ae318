"""einsum of any number of operands: cleaned term by term, then contracted two by two."""

import string
from functools import lru_cache
from typing import Any

import numpy as np

from ..core.arrays.dtypes import real_dtype, result_dtype
from ..core.errors import ShapeError, at_user_line
from ..core.lazy import LazyModule
from ..core.numpy_api import methods, views
from ..core.numpy_api.reducing import reduce
from ..core.ops import reductions, selection, shaping
from ..core.ops.indexing import indexing
from ..core.ops.linalg import products
from .surface import Array, array_of, as_asked, implements, refuse_options

opt_einsum: Any = LazyModule("opt_einsum")
parser: Any = LazyModule("opt_einsum.parser")
_PATHS = 512
_SPELLING = frozenset(string.ascii_letters + ".,-> ")


@implements(np.einsum)
def einsum(*operands: Any, out: Any = None, dtype: Any = None, order: str = "K", casting: str = "safe",
           optimize: Any = True) -> Array:
    refuse_options("einsum", out)
    if not isinstance(operands[0], str):
        if len(operands) < 2:
            raise ValueError("einsum takes subscripts and operands, but got one operand alone; write "
                             f"einsum('ij->ji', x){at_user_line()}")
        subscripts, arrays = _lettered(operands)
    else:
        subscripts, *arrays = operands
    arrays = [array_of(x) for x in arrays]
    if dtype is not None:
        arrays = [as_asked("einsum", x, dtype, casting) for x in arrays]
    elif len({x.dtype for x in arrays}) > 1:  # else sums of one operand would be rounded to its own dtype
        wide = result_dtype(*arrays)
        arrays = [_in_precision(x, wide) for x in arrays]
    inputs, output = _parsed(subscripts, tuple([tuple(x.shape) for x in arrays]))
    terms = list(inputs)
    if len(arrays) > 2:
        for picked in _path(inputs, output, tuple([tuple(x.shape) for x in arrays])):
            chosen = [(terms[k], arrays[k]) for k in picked]
            for k in sorted(picked, reverse=True):
                del terms[k], arrays[k]
            keep = set(output).union(*terms)
            needed = "".join(dict.fromkeys(c for term, _ in chosen for c in term if c in keep))
            if not terms:
                needed = output
            arrays.append(_contract(chosen, needed))
            terms.append(needed)
    return _contract(list(zip(terms, arrays)), output)


def _in_precision(x: Array, wide: Any) -> Array:
    """`x` in the precision of the dtype of the output; what is real stays so."""
    wanted = wide if x.dtype.kind == "c" else real_dtype(wide)
    return x if x.dtype == wanted else selection.astype(x, wanted)


@implements(np.einsum_path)
def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: Any = False) -> Any:
    shadows = [np.broadcast_to(np.zeros((), x.dtype), x.shape) if hasattr(x, "aval") else x for x in operands]
    return np.einsum_path(*shadows, optimize=optimize, einsum_call=einsum_call)


def _lettered(operands: tuple) -> tuple[str, list]:
    """The string form of `einsum(x, [0, 1], y, [1, 2], [0, 2])`."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    arrays = list(operands[: 2 * (len(operands) // 2) : 2])

    def spell(sub: Any) -> str:
        return "".join("..." if k is Ellipsis else letters[k] for k in sub)

    subscripts = ",".join(spell(s) for s in operands[1::2])
    if len(operands) % 2:
        subscripts += "->" + spell(operands[-1])
    return subscripts, arrays


@lru_cache(maxsize=_PATHS)
def _parsed(subscripts: str, shapes: tuple) -> tuple[tuple[str, ...], str]:
    """`(input terms, output term)` with ellipses spelled out and the implicit output filled in."""
    strange = sorted(set(subscripts) - _SPELLING)
    if strange:
        raise ValueError(f"einsum takes subscripts of letters, commas, '...' and '->', but got {strange[0]!r} in "
                         f"{subscripts!r}; name each axis by a letter{at_user_line()}")
    inputs, output, _ = parser.parse_einsum_input([subscripts, *shapes], shapes=True)
    terms = tuple(inputs.split(","))
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes):
        if len(term) != len(shape):
            raise ShapeError(f"einsum term {term!r} names {len(term)} axes, but its operand has shape {shape}"
                             f"; name each of its axes, or write '...'{at_user_line()}")
        for c, n in zip(term, shape):
            if sizes.setdefault(c, n) != n and 1 not in (n, sizes[c]):
                raise ShapeError(f"einsum index {c!r} has length {sizes[c]} in one operand and {n} in another"
                                 f"; give equal lengths one letter{at_user_line()}")
            sizes[c] = max(n, sizes[c]) if n != 1 else sizes[c]
    if "->" in subscripts and "..." not in subscripts.split("->")[1]:
        named = set(subscripts)
        lost = [c for c in sizes if c not in named]
        if lost:
            raise ValueError(f"einsum has '...' for {len(lost)} axes in its operands and none in its output "
                             f"{subscripts!r}; write them after the arrow, or name them{at_user_line()}")
    return terms, output


@lru_cache(maxsize=_PATHS)
def _path(inputs: tuple[str, ...], output: str, shapes: tuple) -> tuple:
    return tuple(opt_einsum.contract_path(f"{','.join(inputs)}->{output}", *shapes, shapes=True, optimize="auto")[0])


def _contract(terms: list, output: str) -> Array:
    """One or two operands to `output`."""
    terms = [_without_repeats(term, x, len(terms) == 1) for term, x in terms]
    if len(terms) == 1:
        term, x = _summed(terms[0][0], terms[0][1], set(output))
        return x if term == output else shaping.transpose(x, tuple(term.index(c) for c in output))
    (left, x), (right, y) = terms
    left, x, right, y = _stretched(left, x, right, y)
    left, x = _summed(left, x, set(output) | set(right))
    right, y = _summed(right, y, set(output) | set(left))
    letters = dict(zip(dict.fromkeys(left + right), "abcdefghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ"))
    spell = "".join
    return products.einsum(x, y, subscripts=f"{spell(letters[c] for c in left)},{spell(letters[c] for c in right)}->"
                                          f"{spell(letters[c] for c in output)}")


def _without_repeats(term: str, x: Array, alone: bool) -> tuple[str, Array]:
    """The diagonal over an index that occurs twice in one term."""
    for c in dict.fromkeys(term):
        while term.count(c) > 1:
            i = term.index(c)
            j = term.index(c, i + 1)
            n = max(x.shape[i], x.shape[j])
            rows = np.arange(n)
            rest = tuple(k for k in range(len(term)) if k not in (i, j))
            if alone and x.shape[i] == n == x.shape[j]:  # a view, which may be written to, as NumPy's
                x = views.main_diagonal(x, i, j)
                term = "".join(term[k] for k in rest) + c
                continue
            x = shaping.transpose(x, (*rest, i, j))
            x = indexing.index(x, (Ellipsis, rows % x.shape[-2] if n else rows, rows % x.shape[-1] if n else rows))
            term = "".join(term[k] for k in rest) + c
    return term, x


def _summed(term: str, x: Array, keep: set) -> tuple[str, Array]:
    """Sum the indices that occur nowhere else."""
    axes = tuple(k for k, c in enumerate(term) if c not in keep)
    if not axes:
        return term, x
    ans = reduce(reductions.reduce_sum, x, axes, False, x.dtype)
    return "".join(c for c in term if c in keep), ans if ans.dtype == x.dtype else selection.astype(ans, x.dtype)


def _stretched(left: str, x: Array, right: str, y: Array) -> tuple[str, Array, str, Array]:
    """Indices of length 1 in one operand and n in the other (broadcast by an ellipsis) lose the axis of length 1."""
    for c in set(left) & set(right):
        n, k = x.shape[left.index(c)], y.shape[right.index(c)]
        if n != k:
            if n == 1:
                x, left = methods.squeeze(x, left.index(c)), left.replace(c, "")
            else:
                y, right = methods.squeeze(y, right.index(c)), right.replace(c, "")
    return left, x, right, y
