"""The lane of copies of plain tensors: what `contiguous` and `reshape` give, node and all, in one step."""

from ..... import extend
from ..graph.node_names import NamedRule
from ..modes.modes import MODES
from ..state.edges import accumulator
from ..views.views import RESHAPE
from . import makers
from .basic_index import ready

aval_of = extend.aval_of
_CLONED = NamedRule(extend.REGISTRY["duplicate"].rule((0,), True), "CloneBackward0")
_RESHAPED = NamedRule(RESHAPE.rule((0,), True), "UnsafeViewBackward0")
if (_CLONED.names, _RESHAPED.names) != ((), ("x_aval",)):
    raise AssertionError(f"the rules of copies save other things than this lane writes: {_CLONED.names}, "
                         f"{_RESHAPED.names}")


def cloned(t):
    """A copy of a tensor in the order of its axes; None for what the lane leaves."""
    return _copied(t, t.value.copy(), _CLONED, None) if ready(t) else None


def reshaped_copy(t, shape):
    """A copy of a ready tensor in another shape."""
    array = t.value.copy()
    array.resize(shape, refcheck=False)
    return _copied(t, array, _RESHAPED, t.value)


def _copied(t, array, rule, given):
    m = MODES.get()
    if m is not None and m.still:
        return makers.inferred(array) if m.inference else makers.made(array, None)
    p = t.node
    if p is None and t.wants_grad:
        p = accumulator(t)
    return makers.made(array, p and makers.noted(rule, p, None if given is None else aval_of(given)))
