"""Ufuncs on small arrays, where small_ufuncs.pyx beside it is not compiled: nothing is shorter than NumPy's own."""


def small(ufunc, instead, quiet=False):
    """`instead`, which computes what `ufunc` does."""
    return instead


def loop_of(ufunc, types):
    """None: nothing knows where the loop of `ufunc` lies."""
