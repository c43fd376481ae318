"""torch.nn.utils.clip_grad: gradients kept below a norm or a value."""

import warnings

from ..._impl.lists.norms import total_norm as norm_on_device
from ..._impl.lists.updates import clipped, scaled_down
from ..._impl.public_names import torch
from ..._impl.types.tensor_type import TensorBase


def _listed(tensors):
    return [tensors] if isinstance(tensors, TensorBase) else list(tensors)


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all elements of some tensors, as of one vector.

    Args:
        norm_type: the order; `inf` for the largest absolute value.
        error_if_nonfinite: raise where it is NaN or infinite.

    >>> import covector.compat.torch as torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([[4.0]])])
    tensor(5.)
    """
    tensors, norm_type = _listed(tensors), float(norm_type)
    if not tensors:
        return torch.tensor(0.0)
    total = norm_on_device(tensors, norm_type)
    if total is None:
        total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(t, norm_type) for t in tensors]),
                                         norm_type)
    if error_if_nonfinite and bool(torch.logical_or(total.isnan(), total.isinf())):
        factor = "the non-finite norm"
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
                           f"cannot be clipped. To disable this error and scale the gradients by {factor} anyway, set "
                           "`error_if_nonfinite=False`")
    return total


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale gradients in place so that `total_norm`, which was computed of them, becomes `max_norm` at most."""
    grads = [p.grad for p in _listed(parameters) if p.grad is not None]
    with torch.no_grad():
        if scaled_down(grads, float(max_norm), total_norm):
            return
        factor = torch.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
        for g in grads:
            g.mul_(factor.to(g.dtype) if g.dtype != factor.dtype else factor)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale the gradients of parameters in place so that their norm, as of one vector, is at most `max_norm`.

    Returns:
        the norm before.

    >>> import covector.compat.torch as torch
    >>> p = torch.nn.Parameter(torch.zeros(2))
    >>> p.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_([p], 1.0), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    parameters = _listed(parameters)
    with torch.no_grad():
        total = get_total_norm([p.grad for p in parameters if p.grad is not None], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """`clip_grad_norm_` under its old name."""
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
                  FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Clip the elements of gradients in place to `[-clip_value, clip_value]`."""
    bound = float(clip_value)
    grads = [p.grad for p in _listed(parameters) if p.grad is not None]
    with torch.no_grad():
        if not clipped(grads, -bound, bound):
            for g in grads:
                g.clamp_(min=-bound, max=bound)
