"""torch.nn._reduction: how losses are reduced, as PyTorch's kernels number it; loss modules of programs ask for it."""

from warnings import warn as _warn

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction):
    """The number of a reduction: 0 of "none", 1 of "mean", 2 of "sum"."""
    if reduction == "elementwise_mean":
        _warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
        reduction = "mean"
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBERS[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that two booleans stood for; None is True."""
    whole = reduce is None or reduce
    found = "none" if not whole else "mean" if size_average is None or size_average else "sum"
    if emit_warning:
        _warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.", stacklevel=2)
    return found


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """The number of `legacy_get_string`."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
