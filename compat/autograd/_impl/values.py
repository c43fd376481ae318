"""Conversion of values into covector's transforms and back, in autograd's conventions."""

import numpy as np

from .... import numpy as cnp, tree
from ....extend import Tracer, aval_of
from .spaces import dense
from .tracer import Box

_ARRAYS = (np.ndarray, Tracer, float, complex, np.inexact)


def prepared(x, name):
    """An argument that derivatives are taken with respect to; arrays of integers become floats."""
    if type(x) is np.ndarray and x.dtype.kind == "f" or type(x) is float or isinstance(x, Tracer):
        return x
    taken = Box.type_mappings.get(type(x))
    if taken is not None:
        x = taken(x, None, None)
    if isinstance(x, np.ndarray):
        if x.dtype.kind == "O":
            x = cnp.asarray(x.tolist()) if x.ndim else x
        return x.astype(float) if x.dtype.kind in "biu" else x
    if isinstance(x, float | complex | np.inexact):
        return x
    leaves, structure = tree.flatten(x)
    if len(leaves) == 1 and leaves[0] is x:
        if hasattr(type(x), "__array__") and not isinstance(x, np.generic):
            return prepared(np.asarray(x), name)
        raise TypeError(f"Can't find vector space for value {x!r} of type {type(x)}: {name} differentiates with "
                        "respect to floats, arrays, and tuples, lists and dicts of them; use float(x)")
    return tree.unflatten(structure, [prepared(v, name) for v in leaves])


def scalar(x):
    """A NumPy scalar in place of an array without axes; others as they are."""
    return x[()] if type(x) is np.ndarray and not x.ndim else x


def released(x):
    """A result: scalars in place of arrays without axes, as NumPy's own functions return them."""
    kind = type(x)
    if kind is np.ndarray:
        return scalar(x)
    if isinstance(x, _ARRAYS):
        return x
    if kind is tuple or kind is list:
        return kind([released(v) for v in x])
    if kind is dict:
        return {key: released(v) for key, v in x.items()}
    return tree.map(released, x) if isinstance(x, tuple | dict) else x


def like(g, out):
    """A cotangent or tangent `g` for the value `out`: in its dtype and shape, where it broadcasts to that."""
    if isinstance(out, tuple | list | dict):
        leaves, structure = tree.flatten(out)
        given = tree.leaves(g)
        if len(given) != len(leaves):
            raise ValueError(f"a cotangent has {len(given)} arrays for a value with {len(leaves)}; give it the "
                             "structure of the value")
        return tree.unflatten(structure, [like(part, v) for part, v in zip(given, leaves)])
    aval = aval_of(out)
    g = dense(g)
    if not isinstance(g, _ARRAYS):
        g = cnp.asarray(g)
    found = aval_of(g)
    if found.dtype != aval.dtype and aval.dtype.kind in "fc":
        if found.dtype.kind == "c" and aval.dtype.kind == "f":
            g = cnp.real(g)
        g = cnp.asarray(g).astype(aval.dtype)
    if found.shape != aval.shape:
        g = cnp.asarray(g)
        if g.size == aval.size:
            return cnp.reshape(g, aval.shape)
        try:
            g = cnp.broadcast_to(g, aval.shape)
        except ValueError:
            raise ValueError(f"a cotangent or tangent of shape {found.shape} was given for a value of shape "
                             f"{aval.shape}; give one of the shape of the value") from None
    return g


def depends(out, x):
    """Tell whether some of an output is traced at the level of the boxed argument `x`."""
    owners = {v.owner for v in tree.leaves(x) if isinstance(v, Tracer)}
    return any(isinstance(v, Tracer) and (v.owner in owners or v.owner is None or _inside(v, owners))
               for v in tree.leaves(out))


def _inside(v, owners):
    """Tell whether a value of an inner trace holds one of `owners`."""
    while isinstance(v, Tracer):
        if v.owner in owners:
            return True
        v = v.value
    return False
