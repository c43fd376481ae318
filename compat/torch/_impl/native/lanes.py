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
    Maybe,
    Object,
    PyDict_GetItemWithError,
    PyErr_Clear,
    array_one,
    array_two,
    attempt,
    context,
    inline,
    lane,
    own,
)
from .levels import level_array, level_edge, of_level, operand_edge, running
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
from .things import DOUBLES, MODES, SINGLES, double, single

SHORT = 64  # elements of a row that is copied rather than left to NumPy
SAME = 3  # rules of operands of one shape; behind them stand those of operands that are broadcast


@inline
def is_number(b: Object) -> Bool:
    """Tell whether an operand is a number of Python."""
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
        m = context(MODES)
        trace = running(m)
        if trace is not NULL:
            return one_at_level(given, trace)
        a = below(given, m)
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


def one_at_level(t: Object, trace: Object) -> Object:
    """`quick_one` of a value of a level."""
    if not of_level(t, trace):
        return None
    x = own(t.value.value)
    v = array_one(x, NULL)
    if v is NULL:
        return None
    out = lifted(tensor(v, None, False), trace)
    p = level_edge(t)
    if p is not None:
        out.node = node(rule_at(0), p, saved(saves_at(0), x, x, v))
    return out


def two_at_level(given: Object, other: Object, trace: Object) -> Object:
    """`quick_two` where an operand is a value of a level."""
    x = own(level_array(given, trace))
    if x is NULL:
        return None
    narrow = is_number(other)
    y = own(number_of(other, x) if narrow else level_array(other, trace))
    if y is NULL:
        return None
    if given.level_trace is not trace and (narrow or other.level_trace is not trace):
        return None
    v = result_of(x, y)
    if v is NULL:
        return None
    p = operand_edge(given, trace)
    q = None if narrow else operand_edge(other, trace)
    out = lifted(tensor(v, None, False), trace)
    if p is not None or q is not None:
        place = binary_rule(x, y, v, p, q, narrow)
        parents = q if p is None else p if q is None else (p, q)
        out.node = node(rule_at(place), parents, saved(saves_at(place), x, y, v))
    return out


def result_of(x: Object, y: Object) -> Maybe:
    """What an operation gives of two arrays; null where they are to be left to NumPy."""
    a = dense(x)
    b = dense(y)
    if a is NULL or b is NULL:
        return NULL
    return array_two(a, b, NULL)


def dense(x: Object) -> Maybe:
    """An array whose elements lie in the order of the axes: itself, or a copy of a short row; else null."""
    if ordered(x):
        return own(x)
    if x.rank != 1 or x.dims[0] > SHORT:
        return NULL
    return attempt(x.copy())


@lane
def quick_two(given, other):
    """An operation of a tensor, and a tensor or a number."""
    now = mode()
    a = given
    b = other
    trace = NULL
    if now == OTHERS:
        m = context(MODES)
        trace = running(m)
        if trace is not NULL:
            return two_at_level(given, other, trace)
        a = below(given, m)
        if a is NULL:
            return None
        if not is_number(other):
            b = below(other, m)
            if b is NULL:
                return None
            if a.value.rank != b.value.rank:
                return None
        trace = given.level_trace
        now = NO_GRAD
    if not plain(a, now):
        return None
    x = own(numpy_array(a))
    if x is NULL:
        return None
    narrow = is_number(b)
    if narrow:
        y = own(number_of(b, x))
    else:
        if not plain(b, now):
            return None
        y = own(numpy_array(b))
    if y is NULL:
        return None
    v = result_of(x, y)
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
