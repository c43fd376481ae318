"""autograd.misc.tracers: functions evaluated by the graph of their first call."""

from functools import partial

from .... import make_graph
from .._impl.missing import refusing
from .._impl.wrap_util import wraps


def const_graph(fun, *args, **kwargs):
    """A function of the rest of the arguments, which is traced once and evaluated by its graph from then on.

    Python control flow is that of the first call. `covector.jit` makes functions that check what they are called with.
    """
    known = []

    @wraps(fun)
    def graph_fun(*rest):
        if not known:
            known.append(make_graph(partial(fun, *args, **kwargs))(*rest))
        return known[0](*rest)

    return graph_fun


def const_graph_unary(fun):
    """`const_graph` of a function of one argument."""
    return const_graph(fun)


_GRAPHS = "covector.make_graph gives the graph of a function, which prints, and draws itself by to_dot()"
refusing("misc.tracers", {"full_graph": _GRAPHS, "FullGraphNode": _GRAPHS, "ConstGraphNode": _GRAPHS,
                                        "print_trace": _GRAPHS})
