"""torch.compile and torch.jit: functions and modules as they are, since nothing here is compiled by those names."""

import functools
import warnings

from ..modes.warnings import first


def compile(model=None, **options):  # noqa: A001 (torch's name)
    """Return a function or module as it is.

    Operations of covector.compat.torch run one by one; functions of arrays can be compiled by `covector.jit`.

    Args:
        model: a function or a module; without it a decorator is returned.
        options: PyTorch's (`fullgraph`, `dynamic`, `backend`, `mode`, `options`, `disable`); they change nothing.

    >>> import warnings
    >>> import covector.compat.torch as torch
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # a note, given once: nothing becomes faster
    ...     sin = torch.compile(torch.sin)
    >>> sin is torch.sin
    True
    """
    if model is None:
        return functools.partial(compile, **options)
    if first("compile"):
        warnings.warn("torch.compile returns the function or module as it is here: it gives the same numbers, no "
                      "faster. Functions of arrays can be compiled by covector.jit.", UserWarning, stacklevel=2)
    return model


def as_it_is(obj=None, *args, **kwargs):
    """Return a function, method or class as it is; without one, a decorator that does."""
    return obj if obj is not None else lambda f: f


def trace(func, example_inputs=None, **options):
    """Return a function or module as it is: what it records is what it computes."""
    return func


def no():
    """False: nothing is being compiled."""
    return False
