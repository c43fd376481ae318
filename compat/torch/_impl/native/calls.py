"""Calls in native code: the key of a call's program, and the program's run where there is one.

The key is what `call_cache.lookup` asks of a call, as bytes: modes, default dtype, and of each argument its kind and
what it says, of tensors shape, strides, dtype and whether they are recorded.
"""

from .keys import LIST, NAME, ROOM, SPARE, TUPLE, add, add_dual, add_string, add_tensor, add_value
from .language.words import (
    NULL,
    Bool,
    Cells,
    Int,
    Object,
    PyBytes_FromStringAndSize,
    PyDict_GetItemWithError,
    PyDict_Next,
    PyList_AsTuple,
    PyObject_Vectorcall,
    PyTuple_GetItem,
    PyTuple_Size,
    Words,
    address,
    cells,
    context,
    lane,
    own,
    words,
)
from .objects import OTHERS, RECORDING, hooked_mode, is_tensor, mode
from .things import DECLINED, DUAL, Default

MOST = 24  # tensors of a call
OPERANDS = 2 * MOST + 1
AT_DUAL_LEVEL, WITH_HOOKS = 4, 5  # modes, beside those of objects.py


def add_single(key: Words, x: Object, now: Int, blind: Bool, tensors: Cells, counts: Words, epoch: Object,
               tangents: Cells) -> Bool:
    """Tell whether an argument that is no sequence may be one of a program: it is added to the key, a tensor to the
    tensors too."""
    if key[0] > ROOM - SPARE:
        return False
    if is_tensor(x):
        n = counts[0]
        if n >= MOST:
            return False
        tensors[n] = x
        counts[0] = n + 1
        if epoch is not NULL:
            return add_dual(key, x, epoch, tangents, counts)
        return add_tensor(key, x, now, blind)
    return add_value(key, x)


def add_argument(key: Words, x: Object, now: Int, blind: Bool, tensors: Cells, counts: Words, epoch: Object,
                 tangents: Cells, listed: Object) -> Bool:
    """The same of any argument, but of no sequence in another one; `listed` holds the items of one list."""
    kind = type(x)
    if kind is not tuple and kind is not list:
        return add_single(key, x, now, blind, tensors, counts, epoch, tangents)
    if key[0] > ROOM - SPARE:
        return False
    items = x if kind is tuple else listed
    add(key, TUPLE if kind is tuple else LIST)
    count = PyTuple_Size(items)
    add(key, count)
    for k in range(count):
        if not add_single(key, PyTuple_GetItem(items, k), now, blind, tensors, counts, epoch, tangents):
            return False
    return True


@lane
def quick_call(programs, arguments, keywords, blind):
    """What a program gives; bytes where there is none yet."""
    plain = mode()
    now = hooked_mode(plain)
    if now == OTHERS:
        return None
    level = context(DUAL)
    if level is not None and plain != RECORDING:
        return None
    is_blind = blind is True
    epoch = NULL if level is None else level
    key = words(ROOM)
    key[0] = 1
    add(key, AT_DUAL_LEVEL if level is not None else WITH_HOOKS if now != plain else now)
    add(key, address(Default.float))
    operands = cells(OPERANDS)
    tensors = operands[1:]
    tangents = cells(MOST)
    counts = words(2)  # of tensors, and of tangents
    counts[0] = 0
    counts[1] = 0
    listed = NULL
    for k in range(PyTuple_Size(arguments)):
        x = PyTuple_GetItem(arguments, k)
        if type(x) is list:
            if listed is not NULL:
                return None
            listed = PyList_AsTuple(x)  # other threads may change the list
        if not add_argument(key, x, now, is_blind, tensors, counts, epoch, tangents, listed):
            return None
    position = words(1)
    position[0] = 0
    name = cells(1)
    value = cells(1)
    while PyDict_Next(keywords, position, name, value):
        add(key, NAME)
        if not add_string(key, name[0]):
            return None
        if type(value[0]) is list:
            if listed is not NULL:
                return None
            listed = PyList_AsTuple(value[0])
        if not add_argument(key, value[0], now, is_blind, tensors, counts, epoch, tangents, listed):
            return None
    n = counts[0]
    pushed = counts[1]
    if n == 0 or (level is not None and pushed == 0):
        return None
    made = PyBytes_FromStringAndSize(key[1:], 8 * (key[0] - 1))
    program = own(PyDict_GetItemWithError(programs, made))
    if program is NULL:
        return made
    if level is None:
        found = PyObject_Vectorcall(program, tensors, n, NULL)
        return None if found is DECLINED else found
    operands[0] = level
    for k in range(pushed):
        tensors[n + k] = tangents[k]
    found = PyObject_Vectorcall(program, operands, 1 + n + pushed, NULL)
    return None if found is DECLINED else found
