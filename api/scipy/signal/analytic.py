"""The analytic signal: hilbert."""

from typing import Any

import numpy as np

from ...core.errors import DtypeError, at_user_line
from ...core.types import Array
from ...numpy import asarray, fft, moveaxis


def hilbert(x: Array, N: int | None = None, axis: int = -1) -> Any:  # noqa: N803 - SciPy's name
    """Compute the analytic signal, whose imaginary part is the Hilbert transform.

    Args:
        x: real.
        N: the length of the transform; by default that of the axis.
        axis: along which.
    Returns:
        complex, of the shape of `x` with `N` places along the axis.
    Raises:
        DtypeError: `x` is complex.

    >>> import numpy as np, covector
    >>> from covector.scipy import signal
    >>> x = np.cos(2 * np.pi * np.arange(8) / 8)
    >>> covector.grad(lambda x: (abs(signal.hilbert(x)) ** 2).sum())(x).round(6)[:3]
    array([4.      , 2.828427, 0.      ])
    """
    x = asarray(x)
    if x.dtype.kind == "c":
        raise DtypeError(f"hilbert needs a real signal, but got {x.dtype}; give its real and imaginary part one by one"
                         f"{at_user_line()}")
    if N is not None and N <= 0:
        raise ValueError(f"hilbert needs a positive length N, but got {N}; omit it for that of the signal"
                         f"{at_user_line()}")
    n = x.shape[axis] if N is None else N
    steps = np.zeros(n, x.dtype if x.dtype.kind == "f" else float)
    steps[0] = 1.0
    steps[1 : (n + 1) // 2] = 2.0
    if n % 2 == 0:
        steps[n // 2] = 1.0
    return moveaxis(fft.ifft(moveaxis(fft.fft(x, n, axis), axis, -1) * steps), -1, axis)
