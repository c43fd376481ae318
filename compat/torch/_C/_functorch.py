"""torch._C._functorch: what other people's modules ask about values of running transforms."""

from .._impl.state.levels import BatchTrace as _BatchTrace, GradTrace as _GradTrace
from .._impl.types.tensor_type import TensorBase as _TensorBase


def _level(t):
    """The running level that a tensor is a value of, or None."""
    trace = t.level_trace if isinstance(t, _TensorBase) else None
    return trace if isinstance(trace, _BatchTrace | _GradTrace) else None


def is_batchedtensor(t):
    """Tell whether a tensor is a value of a running `vmap`."""
    return isinstance(_level(t), _BatchTrace)


def is_gradtrackingtensor(t):
    """Tell whether a tensor is a value of a running `grad`, `vjp` or `jvp`."""
    return isinstance(_level(t), _GradTrace)


def is_functorch_wrapped_tensor(t):
    """Tell whether a tensor is a value of a running transform."""
    return _level(t) is not None


def is_functionaltensor(t):
    """False: `functionalize` runs the function as it is."""
    return False


def is_legacy_batchedtensor(t):
    """False: there is one `vmap`."""
    return False


def maybe_get_level(t):
    """The number of transform levels that a tensor has; -1 for none."""
    depth = 0
    while _level(t) is not None:
        depth, t = depth + 1, t.value
    return depth or -1


def maybe_get_bdim(t):
    """The mapped axis of a value of a `vmap` in the tensor that `get_unwrapped` gives; -1 for all else."""
    return 0 if is_batchedtensor(t) else -1


def get_unwrapped(t):
    """The tensor one level down: that of a `vmap` has the mapped axis in front."""
    if _level(t) is None:
        raise RuntimeError("No wrappers present!")
    return t.value
