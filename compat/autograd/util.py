"""autograd.util: tuples with elements replaced, and a topological order."""

import operator
import sys


def subvals(x, ivs):
    """A tuple of `x` with the elements of `(index, value)` pairs replaced."""
    out = list(x)
    for i, v in ivs:
        out[i] = v
    return tuple(out)


def subval(x, i, v):
    """A tuple of `x` with one element replaced."""
    return subvals(x, [(i, v)])


def func(f):
    """`f` itself."""
    return f


def toposort(end_node, parents=operator.attrgetter("parents")):
    """The nodes that lead to `end_node`, each before its parents."""
    counts = {}
    stack = [end_node]
    while stack:
        node = stack.pop()
        counts[node] = counts.get(node, 0) + 1
        if counts[node] == 1:
            stack.extend(parents(node))
    ready = [end_node]
    while ready:
        node = ready.pop()
        yield node
        for parent in parents(node):
            counts[parent] -= 1
            if not counts[parent]:
                ready.append(parent)


def __getattr__(name):
    """`quick_grad_check`, which lies in test_util and needs all that this module is below of."""
    if name == "quick_grad_check":
        return sys.modules[f"{__package__}.test_util"].quick_grad_check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
