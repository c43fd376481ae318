"""Donated arrays, whose memory a compiled function took over: reading them again raises."""

import weakref
from functools import partial

import numpy as np

from ....core.errors import MutationError, at_user_line

ndarray = np.ndarray
DONATED = {}  # id of an array that was given away -> a weak reference to it


def check_donated(leaves, name):
    """Raise for an argument that was donated before."""
    for x in leaves:
        known = DONATED.get(id(x))
        if known is not None and known() is x:
            raise MutationError(f"an array of shape {x.shape} was passed to jit of {name}, but was donated to a "
                                f"compiled function before, which wrote to it; use what that function returned, or "
                                f"leave out donate_argnums{at_user_line()}")


def _forget(key, reference):
    DONATED.pop(key, None)


def give_away(leaves, places, name):
    """The leaves, those at `places` noted as donated; one that cannot be written to is copied instead."""
    leaves = list(leaves)
    for k in places:
        x = leaves[k]
        if type(x) is not ndarray:
            continue
        if not x.flags.writeable:
            leaves[k] = x.copy()
            continue
        for other, y in enumerate(leaves):
            if other != k and type(y) is ndarray and np.may_share_memory(x, y):
                raise ValueError(f"argument leaf {k} of jit of {name} was donated, but leaf {other} shares its memory; "
                                 f"copy one of them, or leave out donate_argnums{at_user_line()}")
        # An address may be used again: the entry goes with the array.
        DONATED[id(x)] = weakref.ref(x, partial(_forget, id(x)))
    return leaves
