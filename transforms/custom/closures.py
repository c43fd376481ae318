"""Functions without closed-over values: closure_convert, and custom_gradient, which uses it for its rules."""

from functools import wraps

from ...core.arrays.avals import aval_of
from ...core.checks import check_function
from ...core.errors import at_user_line
from ...core.trace.buffers import identity
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import NAMESPACE, flatten, optree, same_structure, settle
from ..staging.closures import closes_over_tracer, with_closures
from ..staging.staging import stage
from .custom import custom_vjp


def closure_convert(fun: Callable[..., Any], *example_args: PyTree) -> tuple[Callable[..., Any], list[Any]]:
    """Turn the traced values that a function closes over into arguments.

    `custom_vjp` and `custom_jvp` do so by themselves; this is for code that handles such values explicitly.

    Args:
        fun: any function of pytrees of arrays. It is staged, so Python control flow on its arguments raises.
        example_args: arguments like those of later calls; only structure, shapes and dtypes are used.
    Returns:
        `(converted, values)`: `converted(*args, *values)` is `fun(*args)`; `values` is empty if nothing is traced.
    Raises:
        TreeError: `converted` is called with arguments of a different structure.

    >>> import covector
    >>> def double(w):
    ...     converted, values = covector.closure_convert(lambda x: w * x, 2.0)
    ...     return converted(3.0, *values)
    >>> covector.grad(double)(5.0)
    array(3.)
    """
    check_function(fun, "closure_convert")
    graph, leaves, rebuild = _staged(fun, example_args)
    values = list(graph.captured)
    graph.captured = []
    count, more = len(example_args), len(values)  # a closure over the values themselves would be found by custom rules

    def converted(*args):
        if len(args) != count + more:
            raise TypeError(f"the converted function takes {count} arguments and {more} values it closed over, "
                            f"but was given {len(args)}; hand on what closure_convert returned{at_user_line()}")
        flat = same_structure(args[:count], rebuild, len(leaves), "the converted function", "arguments")
        return graph.rebuild(graph.eval([*flat, *args[count:]]))

    return converted, values


def opened(fun, *example_args):
    """`(bind, values)`: the traced values that `fun` closes over, and the function that has others in their place,
    `bind(others)`: `fun` itself with other cells where all of them are found there, else its graph."""
    graph, leaves, rebuild = _staged(fun, example_args)
    values = list(graph.captured)
    graph.captured = []
    bind = _Opened(fun, {identity(v): k for k, v in enumerate(values)})
    found = set()
    shown = with_closures(fun, bind.holds, lambda v: found.add(identity(v)))
    if len(found) == len(values) and not closes_over_tracer((shown,)):
        return bind, values

    def through_graph(others):
        def bound(*args):
            flat = same_structure(args, rebuild, len(leaves), "the function", "arguments")
            return graph.rebuild(graph.eval([*flat, *others]))
        return bound

    return through_graph, values


class _Opened:
    """A function whose traced values, at `places` among those that take their place, are not looked for in it again."""

    __slots__ = ("fun", "places")

    def __init__(self, fun, places):
        self.fun = fun
        self.places = places

    def holds(self, value):
        """Tell whether a traced value is one of them."""
        return identity(value) in self.places

    def __call__(self, others):
        return with_closures(self.fun, self.holds, lambda v: others[self.places[identity(v)]])


def _staged(fun, example_args):
    leaves, rebuild = flatten(example_args)
    return stage(fun, [settle(x) for x in leaves], rebuild, "closure_convert")[0], leaves, rebuild


def custom_gradient(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Define a function together with its reverse rule.

    Args:
        fun: `fun(*args) -> (out, rule)`, where `rule(ct)` returns a tuple with one cotangent per argument (for one
            argument, the cotangent itself is accepted). It is staged: Python control flow on its cotangent raises.
    Returns:
        a function of the same arguments that returns `out`.
    Raises:
        TypeError: `fun` does not return a pair.

    >>> import covector
    >>> @covector.custom_gradient
    ... def f(x):
    ...     return x**2, lambda ct: 10.0 * ct * x
    >>> f(3.0), covector.grad(f)(3.0)
    (9.0, array(30.))
    """
    check_function(fun, "custom_gradient")

    def both(args):
        result = fun(*args)
        if not isinstance(result, (tuple, list)) or len(result) != 2 or not callable(result[1]):
            raise TypeError(f"custom_gradient needs a function that returns (out, rule), but got "
                            f"{type(result).__name__}; return the value and the function of its cotangent"
                            f"{at_user_line()}")
        return result

    @custom_vjp
    @wraps(fun)
    def valued(*args):
        return both(args)[0]

    def forward(*args):
        out, rule = both(args)
        leaves, rebuild = flatten(out)
        graph, _ = stage(rule, [aval_of(settle(y)) for y in leaves], lambda flat: (rebuild(flat),), "custom_gradient",
                         like=[settle(y) for y in leaves])
        values = list(graph.captured)
        graph.captured = []
        return out, _Pullback(graph, values)

    def backward(kept, ct):
        found = kept.graph.rebuild(kept.graph.eval([*flatten(ct)[0], *kept.values]))
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    valued.defvjp(forward, backward)
    return valued


class _Pullback:
    """A staged rule, and the values that it closed over, as a pytree of these."""

    def __init__(self, graph, values):
        self.graph = graph
        self.values = values


optree.once_loaded(lambda optree: optree.register_pytree_node(
    _Pullback, lambda p: (tuple(p.values), p.graph), lambda graph, values: _Pullback(graph, list(values)),
    namespace=NAMESPACE))
