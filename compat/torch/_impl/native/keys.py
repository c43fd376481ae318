"""Keys of calls in native code: words, strings, and what a program depends on of a tensor.

The first word of a key is the place of its next one.
"""

from .histories import usable
from .language.words import (
    NULL,
    Bool,
    Cells,
    Int,
    Object,
    PyErr_Clear,
    PyLong_AsLongLongAndOverflow,
    PyTuple_GetItem,
    PyUnicode_AsUTF8AndSize,
    Words,
    address,
    copy,
    inline,
    words,
)
from .objects import RECORDING, has_history, numpy_array, same_shape
from .things import FAST, INFERRED, Dtype, Tensor, double, single
from .views import BARE_INFERENCE, bare

# How an argument begins.
TENSOR, NONE, TRUE, FALSE, INT, FLOAT, STRING, TUPLE, LIST, DTYPE, NAME, ARRAY, KNOWN = range(1, 14)
ROOM, SPARE = 384, 86  # words of a key, and of one argument with its name at most
RECORDED, PUSHED = 1024, 2048  # marks of a tensor
AXES, LONG = 16, 256  # of a tensor; characters of a string, at most
BOOL_KIND, INT_KIND, UINT_KIND = ord("b"), ord("i"), ord("u")  # letters of dtypes


@inline
def add(key: Words, word: Int) -> None:
    """Add a word."""
    used = key[0]
    key[used] = word
    key[0] = used + 1


def add_words(key: Words, given: Words, count: Int) -> None:
    """Add so many words."""
    for k in range(count):
        add(key, given[k])


def add_string(key: Words, x: Object) -> Bool:
    """Add a string, if it is not long."""
    room = words(1)
    data = PyUnicode_AsUTF8AndSize(x, room)
    if data is NULL:
        PyErr_Clear()
        return False
    length = room[0]
    if length > LONG:
        return False
    add(key, length)
    used = key[0]
    more = (length + 7) >> 3
    if more != 0:
        key[used + more - 1] = 0
    copy(key[used:], data, length)
    key[0] = used + more
    return True


def add_int(key: Words, x: Object) -> Bool:
    """Add an int, if it is one of 64 bits."""
    over = words(1)
    over[0] = 0
    add(key, PyLong_AsLongLongAndOverflow(x, over))
    return over[0] == 0


def add_value(key: Words, x: Object) -> Bool:
    """Add a number, a truth, a string, a dtype or None."""
    kind = type(x)
    if kind is int:
        add(key, INT)
        return add_int(key, x)
    if x is None or x is True or x is False:
        add(key, NONE if x is None else TRUE if x is True else FALSE)
        return True
    if kind is float:
        add(key, FLOAT)
        add(key, x.float_bits)
        return True
    if kind is str:
        add(key, STRING)
        return add_string(key, x)
    if kind is Dtype:
        add(key, DTYPE)
        add(key, address(x))
        return True
    return False


def describe(key: Words, x: Object, marks: Int) -> None:
    """Add what a key has of the array of any tensor, with marks of the tensor."""
    rank = x.rank
    add(key, TENSOR | marks | (rank << 16))
    add(key, x.descr.letters)
    add_words(key, x.dims, rank)
    add_words(key, x.strides, rank)


@inline
def floats(x: Object) -> Bool:
    """Tell whether an array is of a dtype of ours."""
    return x.descr is double or x.descr is single


def whole(t: Object, now: Int) -> Bool:
    """Tell whether a tensor is one of integers or truths, without history."""
    x = numpy_array(t)
    if x is NULL:
        return False
    letter = x.descr.letters & 255
    if letter != INT_KIND and letter != BOOL_KIND and letter != UINT_KIND:
        return False
    kind = bare(t)
    return kind != 0 and (kind != BARE_INFERENCE or now != RECORDING)


def add_tensor(key: Words, t: Object, now: Int, blind: Bool) -> Bool:
    """Tell whether a tensor may be an operand of a program: it is added to the key. Integers may where it is blind."""
    if not usable(t, now) and not (blind and whole(t, now)):
        return False
    x = numpy_array(t)
    if x is NULL:
        return False
    if x.rank > AXES or not (blind or floats(x)):
        return False
    describe(key, x, RECORDED if now == RECORDING and has_history(t) else 0)
    return True


def of_plain_base(meta: Object) -> Bool:
    """Tell whether a record is of no view, or of one whose base has no history."""
    base = meta.base
    return base is None or (base.node is None and base.wants_grad is False)


def fits(dx: Object, x: Object) -> Bool:
    """Tell whether a tangent is a plain tensor without history, like an array."""
    if type(dx) is not Tensor:
        return False
    if dx.dispatch_key is not FAST or dx.node is not None or dx.wants_grad is not False:
        return False
    d = numpy_array(dx)
    if d is NULL:
        return False
    return d.descr is x.descr and same_shape(x, d)


def add_dual(key: Words, t: Object, epoch: Object, tangents: Cells, counts: Words) -> Bool:
    """`add_tensor` for a tensor of a dual level, whose tangent goes to the tangents; no operand has a history as well.

    What make_dual gives is a view with a tangent of its own; views that have that of their base are left to Python.
    """
    x = numpy_array(t)
    if x is NULL:
        return False
    if t.level_trace is not None or has_history(t) or x.rank > AXES or not floats(x):
        return False
    meta = t.autograd_meta
    if meta is None:
        describe(key, x, 0)
        return True
    if meta is INFERRED or meta.inference is not False or not of_plain_base(meta):
        return False
    pair = meta.tangent
    if pair is None:
        if meta.base is not None:
            return False
        describe(key, x, 0)
        return True
    dx = PyTuple_GetItem(pair, 1)
    if PyTuple_GetItem(pair, 0) is not epoch or not fits(dx, x):
        return False
    n = counts[1]
    tangents[n] = dx.value
    counts[1] = n + 1
    describe(key, x, PUSHED)
    add_words(key, dx.value.strides, x.rank)
    return True
