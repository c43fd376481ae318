"""Arrays of symbols that stand for elements, as values, columns or texts do: operations that move or fold them.

NumPy runs the operation itself, on the symbols or on their numbers: the meaning of indices and shapes is stated once.
"""

from math import prod

import numpy as np


def arranged(items, shape=()):
    """Symbols as an array of objects; the one item of an array without axes."""
    found = np.empty(shape, object)
    found.reshape(-1)[:] = items
    return found


def is_uniform(symbols):
    """Tell whether an array of symbols holds one for all elements."""
    return not any(symbols.strides) or symbols.size == 1


def moved(eq, given, zero=None):
    """The symbols of the result of an operation that only moves elements, and fills with `zero`."""
    if eq.prim.rearranges:  # a view, so that one symbol for all elements stays one
        found = eq.prim.impl(np, *given, *eq.params)
        return found if type(found) is np.ndarray else arranged([found])
    return _run(eq.prim, given, eq.params, [zero])[0]


def updated(eq, given, add):
    """The symbols of an array that is written to; `add(old, new)` gives those that take the place of old ones."""
    index, adds, donate = eq.params
    found, places = _run(eq.prim, given, (index, False, donate), [])
    written = places >= given[0].size
    if adds:
        found[written] = add(given[0][written], found[written])
    return found


def _run(prim, given, params, before):
    """The result of an operation on arrays of symbols, and on their numbers in a list of all, behind some others."""
    symbols, numbers = list(before), []
    for x in given:
        numbers.append(np.arange(len(symbols), len(symbols) + x.size).reshape(x.shape))
        symbols += x.reshape(-1).tolist()
    places = np.asarray(prim.rebind((*numbers, *params)))
    return arranged([symbols[k] for k in places.reshape(-1).tolist()], places.shape), places


def rows_of(x, axes):
    """The symbols that a reduction over axes folds together, a row for each of its results."""
    rest = [k for k in range(x.ndim) if k not in axes]
    count = prod([x.shape[k] for k in rest])
    return x.transpose((*rest, *axes)).reshape((count, x.size // max(1, count)))


def in_pairs(items, join):
    """Items folded into one by `join(x, y)`: pairs, pairs of these, and so on."""
    while len(items) > 1:
        pairs = [join(x, y) for x, y in zip(items[::2], items[1::2])]
        items = pairs + items[2 * len(pairs) :]
    return items[0]
