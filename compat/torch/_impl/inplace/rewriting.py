"""Operations in place by what the operation gives: where nothing but plain tensors is about, the memory is written.

Native code says where that is so (native/rewriting.py). What is recorded is computed on a copy of the old contents, and
the node of what it gave becomes that of the tensor; the general path (inplace.py) does the same by core's tape.
"""

from ..... import _engine
from ..native import functions as native
from .write import KEEPERS

opened = rewritten = None  # those of native/rewriting.py, where there is native code
for _name in ("opened", "rewritten"):
    _engine.small_item(globals(), _name, lambda small, name=_name: native.rewriting_function(small, name, KEEPERS))


def rewritten_as(fun, t, args, kwargs, recorded):
    """Tell whether `t` is now what `fun(t, *args, **kwargs)` gives; False for what this does not take.

    `recorded` says whether it may get a history by that.
    """
    if opened is None or kwargs and "out" in kwargs:
        return False
    source = opened(t, args, kwargs)
    if source is None or source is not t and not recorded:
        return False
    try:
        found = fun(source, *args, **kwargs)
    except (RuntimeError, TypeError, ValueError, LookupError, ArithmeticError):  # the general path says what is wrong
        return False
    return rewritten(t, source, found) is not None


def unrecorded_array(t, *operands):
    """The array of a plain tensor that may be written to as it is, where nothing of it and of operands, which lie
    elsewhere, is recorded; else None.

    Whoever writes to it notes that, which is for all but arrays of inference mode.
    """
    return t.value if opened is not None and opened(t, operands, {}) is t else None
