"""CuPy's special functions where they differ from SciPy's, and refusals in place of bare errors of dtypes."""

from functools import partial

import numpy as np

from ..core.errors import BackendError, at_user_line


class Special:
    """`cupyx.scipy.special`: a name that it lacks is lacking here."""

    def __init__(self, library):
        self._library = library

    def __getattr__(self, name):
        found = getattr(self._library, name)
        mended = _MENDED.get(name)
        return partial(_called, name, found if mended is None else partial(mended, found))


def _called(name, fun, *xs):
    try:
        return fun(*xs)
    except (TypeError, NotImplementedError) as error:
        dtypes = ", ".join(str(x.dtype) for x in xs)
        raise BackendError(f"{name} of CuPy does not take arrays of {dtypes} ({error}); convert them to NumPy first, "
                           f"for example with .get(){at_user_line()}") from error


def _yn(found, n, x):
    """Also of negative orders, DLMF 10.4.1, where CUDA's has NaN; in the precision of x, where CuPy's is double."""
    whole = n.astype(np.int64)
    order = abs(whole)
    sign = 1 - 2 * ((whole < 0) & (order % 2 == 1)).astype(x.dtype)
    return found(order.astype(np.int32), x.astype(np.float64)).astype(x.dtype) * sign


def _sph_harm_y(found, n, m, theta, phi):
    """0 for orders above the degree, as SciPy has it; CuPy's has NaN."""
    inside = abs(m) <= n
    return found(n * inside, m * inside, theta, phi) * inside


_MENDED = {"yn": _yn, "sph_harm_y": _sph_harm_y}
