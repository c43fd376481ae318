"""Helpers for authors of optimizers, from `torch.optim.optimizer`: types, groups, steps that may be recorded."""

import functools
from collections.abc import Iterable
from typing import Any, TypeAlias

from ..dispatch.call import ROWS
from ..modes.grad_mode import is_grad_enabled, no_grad, set_grad_enabled
from ..types.dtypes import float32, float64, get_default_dtype
from ..types.tensor_type import Tensor, TensorBase

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
StateDict: TypeAlias = dict[str, Any]
DeviceDict: TypeAlias = dict[Any, Tensor]
DeviceDtypeDict: TypeAlias = dict[Any, Tensor]


def use_grad_for_differentiable(func):
    """A method `step` that is recorded if the option `differentiable` of its optimizer says so."""

    @functools.wraps(func)
    def step(*args, **kwargs):
        before = is_grad_enabled()
        try:
            set_grad_enabled(args[0].defaults["differentiable"])
            return func(*args, **kwargs)
        finally:
            set_grad_enabled(before)

    return step


@no_grad()
def group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
    """Lists of tensors cut into groups of one device and dtype, which those of the first list decide.

    Args:
        tensorlistlist: lists as long as the first; those after it may have None, or be empty.
        with_indices: give the places that the tensors of a group had, too.
    Returns:
        `{(device, dtype): (lists, indices)}`, `indices` empty unless asked for.
    Raises:
        RuntimeError: the lists are of other lengths, or the first has no tensor somewhere.
    """
    first = tensorlistlist[0] if tensorlistlist else ()
    lengths = [len(tensors) for tensors in tensorlistlist]
    if not first or any(n and n != len(first) for n in lengths):
        raise RuntimeError(f"_group_tensors_by_device_and_dtype needs lists of one length, or empty ones behind the "
                           f"first, but got lengths {lengths}")
    groups = {}
    for i, x in enumerate(first):
        if x is None:
            raise RuntimeError("Tensors of the first list of nested Tensor lists are supposed to be defined but the "
                               f"{i}-th Tensor is not.")
        lists, indices = groups.setdefault((x.device, x.dtype), ([[] for _ in tensorlistlist], []))
        for one, tensors in zip(lists, tensorlistlist):
            if tensors:
                one.append(tensors[i])
        if with_indices:
            indices.append(i)
    return groups


def default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """Tell whether steps are fused, and whether they go by lists: the second never, unless asked for, on the CPU."""
    return not differentiable and use_fused and all(p is None or p.is_floating_point() for p in params), False


def get_value(x):
    """The number of a tensor of one element; others as they are."""
    return x.item() if isinstance(x, TensorBase) else x


def stack_if_compiling(x):
    """As it is: nothing is compiled."""
    return x


def to_scalar(x):
    """A tensor of one element without axes; others as they are."""
    return x.squeeze() if isinstance(x, TensorBase) and x.dim() else x


def view_as_real_(params, *state_and_grads):
    """Let the complex tensors of lists be real views of themselves, where that of the first list is complex."""
    for i, p in enumerate(params):
        if p.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[i] = ROWS["view_as_real"].fun(tensors[i])


def get_scalar_dtype(is_fused=None):
    """The dtype of counts of steps."""
    return float64 if not is_fused and get_default_dtype() is float64 else float32


def device_has_foreach_support(device):
    """Tell whether `torch._foreach_*` takes tensors of a device."""
    return device.type in ("cpu", "cuda")
