"""The commonest lanes in native code: operations of plain tensors on few numbers, recorded or not.

They do what `unary` and `binary` of lanes.py of fastpath do on tensors whose elements lie in the order of their axes,
and give None for all else. Arrays are held while Python runs: of views, leaves and avals it is asked.
"""

from .histories import plain
from .language.words import (
    NULL,
    Bool,
    Borrowed,
    Int,
    Object,
    PyDict_GetItemWithError,
    PyErr_Clear,
    array_one,
    array_two,
    inline,
    lane,
    own,
)
from .maps import below, lifted
from .objects import (
    INFERRING,
    NO_GRAD,
    OTHERS,
    RECORDING,
    edge,
    mode,
    node,
    numpy_array,
    ordered,
    rule_at,
    same_shape,
    saved,
    saves_at,
    tensor,
)
from .things import DOUBLES, SINGLES, double, single

SAME = 3  # rules of operands of one shape; behind them stand those of operands that are broadcast


@inline
def is_number(b: Object) -> Bool:
    """Whether an operand is a number of Python."""
    return type(b) is float or type(b) is int


def number_of(b: Object, x: Object) -> Borrowed:
    """The array of a number beside an array of floats; null where none is kept."""
    kept = DOUBLES
    if x.descr is not double:
        if x.descr is not single:
            return NULL
        kept = SINGLES
    found = PyDict_GetItemWithError(kept, b)
    if found is NULL:
        PyErr_Clear()
    return found


@lane
def quick_one(given):
    """An operation of one tensor."""
    now = mode()
    a = given
    trace = NULL
    if now == OTHERS:
        a = below(given)
        if a is NULL:
            return None
        trace = given.level_trace
        now = NO_GRAD  # below it has no history
    if not plain(a, now):
        return None
    x = own(a.value)
    v = array_one(x, NULL)
    if v is NULL:
        return None
    its_node = None
    if now == RECORDING:
        p = edge(a)
        if p is not None:
            its_node = node(rule_at(0), p, saved(saves_at(0), x, x, v))
    return lifted(tensor(v, its_node, now == INFERRING), trace)


def binary_rule(x: Object, y: Object, v: Object, p: Object, q: Object, narrow: Bool) -> Int:
    """Which rule holds of the left, the right and both, where these are broadcast to different shapes or not."""
    among = 1 if p is None else 0 if q is None else 2
    if narrow or same_shape(x, y):
        return among
    return 3 * among + SAME + (1 if same_shape(x, v) else 0 if same_shape(y, v) else 2)


@lane
def quick_two(given, other):
    """An operation of a tensor, and a tensor or a number."""
    now = mode()
    a = given
    b = other
    trace = NULL
    if now == OTHERS:
        a = below(given)
        if a is NULL:
            return None
        if not is_number(other):
            b = below(other)
            if b is NULL:
                return None
            if a.value.rank != b.value.rank:
                return None
        trace = given.level_trace
        now = NO_GRAD
    if not plain(a, now):
        return None
    x = own(numpy_array(a))
    if x is NULL or not ordered(x):
        return None
    narrow = is_number(b)
    if narrow:
        y = own(number_of(b, x))
        if y is NULL:
            return None
    else:
        if not plain(b, now):
            return None
        y = own(numpy_array(b))
        if y is NULL or not ordered(y):
            return None
    v = array_two(x, y, NULL)
    if v is NULL:
        return None
    its_node = None
    if now == RECORDING:
        q = None if narrow else edge(b)
        p = edge(a)
        if p is not None or q is not None:
            place = binary_rule(x, y, v, p, q, narrow)
            parents = q if p is None else p if q is None else (p, q)
            its_node = node(rule_at(place), parents, saved(saves_at(place), x, y, v))
    return lifted(tensor(v, its_node, now == INFERRING), trace)
