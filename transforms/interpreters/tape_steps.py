"""`tape`: the backward pass of a gradient step by step, for teaching."""

from heapq import heappop, heappush

import numpy as np

from ...core.checks import check_function
from ...core.errors import RuleError, ShapeError, at_user_line
from ...core.lazy import LazyModule
from ...core.trace.tracer import Rev
from ...core.types import Any, Callable
from ..arguments.arguments import box_arguments
from ..arguments.escape_checks import abandon
from ..graph.printing import input_labels
from ..reverse.reverse import RevTrace

HTML = LazyModule("html")
_COLUMNS = ("node", "its cotangent", "what its rule saved", "what it passes on")


class Step:
    """A step of the backward pass: the node, its `cotangent`, what its rule saved, and `passed`, where it leads.

    `node` is the name of the operation with its number in the order in which the function ran, or the input that is
    reached; `passed` a list of `(node, cotangent)`.
    """

    __slots__ = ("node", "cotangent", "saved", "passed")

    def __init__(self, node, cotangent, saved, passed):
        self.node, self.cotangent, self.saved, self.passed = node, cotangent, saved, passed


class Tape:
    """The result of `tape`: `value`, the output of the function, and `steps`, from the output back to the inputs."""

    def __init__(self, value, steps):
        self.value = value
        self.steps = steps

    def _rows(self):
        for k, step in enumerate(self.steps, 1):
            saved = ", ".join(f"{name} = {_shown(x)}" for name, x in step.saved.items())
            passed = "; ".join(f"{_shown(ct)} to {node}" for node, ct in step.passed)
            yield str(k), step.node, _shown(step.cotangent), saved, passed or "the gradient"

    def __repr__(self):
        rows = [("step", *_COLUMNS), *self._rows()]
        wide = [max(len(row[k]) for row in rows) for k in range(5)]
        return "\n".join("  ".join(f"{text:<{w}}" for text, w in zip(row, wide)).rstrip() for row in rows)

    def _repr_html_(self):
        head = "".join(f"<th>{t}</th>" for t in ("", *_COLUMNS))
        body = "".join("<tr>" + "".join(f"<td>{HTML.escape(t)}</td>" for t in row) + "</tr>" for row in self._rows())
        return f'<div style="overflow-x:auto"><table><tr>{head}</tr>{body}</table></div>'


def tape(fun: Callable[..., Any]) -> Callable[..., Tape]:
    """Return a function that shows the backward pass of `grad(fun)`, node by node.

    Args:
        fun: a function of pytrees of arrays that returns a real scalar; it is differentiated with respect to all of
            its arguments. Its operations have one output each.
    Returns:
        a function of the same arguments that returns a `Tape`, whose `steps` notebooks show as a table.
    Raises:
        ShapeError: the output is not a scalar that depends on an argument.
        RuleError: an operation with several outputs, such as `svd`.

    Meant for small examples: each cotangent is kept, and the fast paths of `grad` are not taken.

    >>> import covector
    >>> covector.debug.tape(lambda x, y: x * y + x)(2.0, 3.0)
    step  node        its cotangent  what its rule saved  what it passes on
    1     add 2       1                                   1 to multiply 1; 1 to x
    2     multiply 1  1              x = 2, y = 3         3 to x; 2 to y
    3     x           4                                   the gradient
    4     y           2                                   the gradient
    """
    check_function(fun, "tape")

    def shown(*args: Any) -> Tape:
        trace = RevTrace()
        labels = input_labels(fun, args, {})
        boxed, leaves, _ = box_arguments(trace, args, tuple(range(len(args))), "tape")
        try:
            out = fun(*boxed)
        except BaseException as error:
            abandon(trace, error)
            raise
        trace.done = True
        if not isinstance(out, Rev) or out.owner is not trace or out.aval.shape:
            found = out.aval if isinstance(out, Rev) else type(out).__name__
            raise ShapeError(f"tape needs a scalar-valued function of its arguments, but got {found}; reduce the "
                             f"output, for example with .sum(){at_user_line()}")
        if labels is None or len(labels) != len(leaves):
            labels = [f"input {k}" for k in range(len(leaves))]
        return Tape(out.value, _steps(out.node, labels, trace.masked))

    return shown


def _steps(root, labels, masked):
    names = _names(root, labels)
    waiting, cts, steps = [root.seq], {root.seq: (root, np.ones(()))}, []
    while waiting:
        node, ct = cts.pop(heappop(waiting))
        if node.rule is None:
            steps.append(Step(names[node], ct, {}, []))
            continue
        found = node.rule.strong(ct, node.saved) if masked else node.rule.back(ct, node.saved)
        parents = node.parents if type(node.parents) is tuple else (node.parents,)
        passed = []
        for parent, term in zip(parents, found if type(node.parents) is tuple else (found,)):
            if term is None:
                continue
            term = np.asarray(term.dense() if hasattr(term, "dense") else term)
            passed.append((names[parent], term))
            if parent.seq in cts:
                cts[parent.seq] = (parent, cts[parent.seq][1] + term)
            else:
                cts[parent.seq] = (parent, term)
                heappush(waiting, parent.seq)
        saved = node.saved if type(node.saved) is tuple else (node.saved,)
        values = {name: x for name, x in zip(node.rule.names, saved) if isinstance(x, np.ndarray | np.generic | float)}
        steps.append(Step(names[node], ct, values, passed))
    return steps


def _names(root, labels):
    """The names of nodes: of operations with their numbers in the order in which they ran, and of inputs."""
    found, stack = {}, [root]
    while stack:
        node = stack.pop()
        if node in found:
            continue
        found[node] = None
        if node.rule is not None:
            if node.rule.prim is None or node.rule.prim.outputs is not None:  # it picks one output of several
                raise RuleError("tape shows operations with one output, but the function has one with several, such as "
                                f"svd or eigh; show the part without it{at_user_line()}")
            stack += node.parents if type(node.parents) is tuple else (node.parents,)
    ran = sorted([node for node in found if node.rule is not None], key=lambda node: -node.seq)
    found.update({node: f"{node.rule.prim.name} {k}" for k, node in enumerate(ran, 1)})
    found.update({node: labels[node.saved] for node in found if node.rule is None})
    return found


def _shown(x):
    """A value in a few letters."""
    x = np.asarray(x)
    if x.size > 6:
        return f"{x.dtype.name}{list(x.shape)}"
    return np.array2string(x, precision=3, separator=", ", floatmode="maxprec").replace("\n", "").rstrip(".")
