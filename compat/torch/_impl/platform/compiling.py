"""Stand-ins for torch.compile and torch.jit, under which nothing is compiled."""

import warnings

from ..modes.warnings import first

MODES = "default, lite, reduce-overhead, max-autotune-no-cudagraphs, max-autotune"


def tell_once(name, stacklevel):
    """Warn that `torch.compile` or `Module.compile` makes nothing faster."""
    if first("compile"):
        warnings.warn(f"{name} makes nothing faster here: it gives the same numbers, by the same operations. Functions "
                      "of arrays can be compiled by covector.jit.", UserWarning, stacklevel=stacklevel)


def check_options(*, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None, disable=False,
                  recompile_limit=None, isolate_recompiles=False, shapes_spec=None):
    """PyTorch's refusals of the options of `torch.compile`; returns `disable`."""
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and backend in (None, "inductor") and mode not in MODES.split(", "):
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {MODES}")
    return disable


def as_it_is(obj=None, *args, **kwargs):
    """Return a function, method or class as it is; without one, a decorator that does."""
    return obj if obj is not None else lambda f: f


def trace(func, example_inputs=None, **options):
    """Return a function or module as it is: what it records is what it computes."""
    return func


def no():
    """False: nothing is being compiled."""
    return False
