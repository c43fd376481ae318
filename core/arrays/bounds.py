"""Tell whether places lie on an axis: one look at the elements, which on a device waits for all that was launched
before."""

import numpy as np

_MANY = 1 << 14
_SIGNED, _UNSIGNED = np.dtype(np.int64), np.dtype(np.uint64)


def all_within(places, low, high):
    """Tell whether `low <= place < high` for all of an array of integers.

    As an unsigned number a place below is beyond all sizes: one maximum stands for two reductions.

    >>> import numpy as np
    >>> from covector._engine import all_within
    >>> all_within(np.array([-3, 2]), -3, 3), all_within(np.array([-4, 2]), -3, 3)
    (True, False)
    """
    if not places.size:
        return True
    if places.dtype != _SIGNED or not hasattr(places, "view"):
        return bool(low <= places.min() and places.max() < high)
    places = (places - low if low else places).view(_UNSIGNED)
    if type(places) is np.ndarray and places.size < _MANY:
        return places.item(places.argmax()) < high - low  # 0.4 us; the reduction has 0.9 around its loop
    top = np.maximum.reduce(places, None) if type(places) is np.ndarray else places.max()
    return int(top) < high - low
