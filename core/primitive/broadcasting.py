"""Broadcasting of elementwise operations: their common shape and batching rules."""

import numpy as np

from ..arrays.avals import make_aval
from ..errors import DtypeError, ShapeError, at_user_line
from ..types import Any


def broadcast_shape(name, shapes):
    """The broadcast of `shapes`, or a ShapeError that names the operation."""
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    longest = max(shapes, key=len, default=())
    try:
        return np.broadcast_shapes(*shapes) if any(s and s != longest for s in shapes) else longest  # 3 us the former
    except ValueError:
        raise ShapeError(f"{name} cannot broadcast shapes {' and '.join(map(str, shapes))}; axes must be equal or 1, "
                         f"counted from the last; reshape one operand, for example with x[:, None]{at_user_line()}"
                         ) from None


def elementwise_shape(prim, keeps=False):
    """Broadcast shapes; the dtype is what the implementation gives on arrays of one element of those dtypes.

    Args:
        keeps: whether it is known to keep the dtype of a float: to ask for it could load SciPy, which takes 0.2 s.
    """
    known: dict[Any, Any] = {}
    if keeps and not prim.params:
        known.update({((dtype, False),): dtype for dtype in map(np.dtype, (np.float64, np.float32))})

    def shape(operands, params, batched=None, size=None):
        out = broadcast_shape(prim.name, [a.shape for a in operands])
        key = (*[(a.dtype, a.weak) for a in operands], *params)
        dtype = known.get(key)
        if dtype is None:
            alone = all(a.weak and a.dtype.kind in "fc" for a in operands)  # then a number of its own width comes out
            probes = [_WEAK_ONE[a.dtype.kind] if a.weak and not alone else np.ones(1, a.dtype) for a in operands]
            # Parameters are part of the key, and there may be any number of them.
            if len(known) > 256:
                known.clear()
            try:
                with np.errstate(all="ignore"):
                    dtype = known[key] = np.asarray(prim.impl(np, *probes, *params)).dtype
            except DtypeError:
                raise
            except TypeError as error:
                kinds = " and ".join(dict.fromkeys(str(a.dtype) for a in operands))
                raise DtypeError(f"{prim.name} is not defined on values of dtype {kinds}; cast them before with "
                                 f".astype(...){at_user_line()}") from error
        return make_aval(out, dtype)

    return shape


_WEAK_ONE = {"b": True, "i": 1, "f": 1.0, "c": 1 + 0j}


def elementwise_batch(prim):
    """Align ranks so that batch axes meet; unbatched operands broadcast as they are."""

    def batch(operands, params, batched, size):
        # Batch axes stand in front, but broadcasting aligns from the back: examples of fewer axes get axes of length
        # 1 between.
        ranks = [getattr(x, "ndim", 0) - b for x, b in zip(operands, batched)]
        rank = max(ranks)
        aligned = [
            x.reshape((x.shape[0],) + (1,) * (rank - r) + tuple(x.shape[1:])) if b and r < rank else x
            for x, r, b in zip(operands, ranks, batched)
        ]
        return prim.fun(*aligned, *params)

    return batch
