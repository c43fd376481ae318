"""The lane of `linear` in native code: what `through` of linear_lane.py does, which it asks for nodes."""

from .histories import plain_array
from .language.words import (
    NULL,
    Bool,
    Borrowed,
    Int,
    Object,
    PyTuple_New,
    PyTuple_SetItem,
    array_two,
    attempt,
    filled_from,
    lane,
    note,
    own,
    product,
    shifted,
)
from .objects import INFERRING, OTHERS, RECORDING, elements, has_history, mode, ordered, tensor
from .things import double, single


def operand(t: Object, descr: Object, now: Int) -> Borrowed:
    """The array of a plain tensor of a dtype; else null."""
    x = plain_array(t, now)
    if x is NULL:
        return NULL
    return x if x.descr is descr else NULL


def meets(x: Object, w: Object) -> Bool:
    """Tell whether operands have a product that the lane gives: floats, and many matrices in order."""
    if x.descr is not double and x.descr is not single:
        return False
    rank = x.rank
    if w.rank != 2 or rank < 2 or x.dims[rank - 1] != w.dims[1]:
        return False
    return rank == 2 or (ordered(x) and elements(x) != 0)


@lane
def quick_linear(a, weight, bias):
    """`linear` of tensors; the bias may be None."""
    now = mode()
    if now == OTHERS:
        return None
    x = own(plain_array(a, now))
    if x is NULL:
        return None
    w = own(operand(weight, x.descr, now))
    if w is NULL or not meets(x, w):
        return None
    columns = w.dims[0]
    b = own(NULL)
    if bias is not None:
        b = operand(bias, x.descr, now)
        if b is NULL:
            return None
        if b.rank != 1 or b.dims[0] != columns:
            return None
    rank = x.rank
    rows = own(x)
    if rank != 2:
        rows = x.reshape((-1, x.dims[rank - 1]))
    turned = w.T
    v = attempt(rows.dot(turned)) if elements(x) < filled_from else attempt(product(rows, turned))
    if v is NULL:
        return None
    if bias is not None:
        added = array_two(v, b, v)
        if added is NULL:
            shifted(v, b)
    out = own(v)
    if rank != 2:
        shape = PyTuple_New(rank)
        for k in range(rank - 1):
            PyTuple_SetItem(shape, k, x.dims[k])
        PyTuple_SetItem(shape, rank - 1, columns)
        out = v.reshape(shape)
    its_node = None
    if now == RECORDING:
        if has_history(a) or has_history(weight) or (bias is not None and has_history(bias)):
            its_node = note(a, weight, bias, rows, turned, v)
    return tensor(out, its_node, now == INFERRING)
