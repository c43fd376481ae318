"""The docstrings of transforms, from what differs between them."""

from typing import Any

ANY = "an array, real or complex; integers are converted to float64."
REAL = "an array, real; integers are converted to float64."
HALF = "an array: half of a Hermitian spectrum."
COMPLEX, FLOATING = "an array of complex values.", "an array of real values."

_TEXT = """{does}

    Args:
        x: {takes}
        {lengths}; `x` is cut or filled up with zeros.
        {along}.
        norm: "backward", "ortho", "forward" or None: which direction is scaled.
        overwrite_x, workers: accepted for compatibility with SciPy; nothing is overwritten.
        {last}
    Returns:
        {gives}
    Raises:
        {raises}

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> {example}
    {shown}
    """


def named(fun: Any, name: str, **parts: str) -> Any:
    """`fun` as the public function of a name, with its docstring."""
    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = _TEXT.format(**parts)
    return fun
