"""torch.nn.init: values that parameters begin with."""

import functools
import math
import warnings

from ..dispatch.overriding import overridden
from ..modes.grad_mode import no_grad
from ..modes.modes import restoring
from ..public_names import torch

_ONE = frozenset("""linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d sigmoid""".split())


def calculate_gain(nonlinearity, param=None):
    """The gain that a nonlinearity asks of the weights before it.

    Args:
        nonlinearity: its name: "linear", "conv2d", …, "sigmoid", "tanh", "relu", "leaky_relu", "selu".
        param: the slope of "leaky_relu".
    Raises:
        ValueError: another name.

    >>> import covector.compat.torch as torch
    >>> torch.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in _ONE:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def by_name(fun):
    """A function that asks function modes, and the class of the tensor, as PyTorch does: with all arguments by name."""
    names, run = fun.__code__.co_varnames[:fun.__code__.co_argcount], restoring(fun)
    defaults = dict(zip(names[::-1], (fun.__defaults__ or ())[::-1]))

    @functools.wraps(fun)
    def filled(*args, **kwargs):
        override = overridden(args, kwargs)
        if override is None:
            return run(*args, **kwargs)
        given = {**dict(zip(names, args)), **kwargs}
        return override(filled, (), {name: given.get(name, defaults.get(name)) for name in names})

    return filled


@by_name
def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fill with draws between `a` and `b`."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


@by_name
def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fill with draws of a normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


_uniform, _normal = restoring(uniform_.__wrapped__), restoring(normal_.__wrapped__)


@restoring
def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Fill with draws of a normal distribution between `a` and `b`, by the inverse of its distribution function."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
                      "incorrect.", stacklevel=2)

    def below(x):
        return (1 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2

    low, high = below(a), below(b)
    with no_grad():
        tensor.uniform_(2 * low - 1, 2 * high - 1, generator=generator)
        tensor.erfinv_()
        tensor.mul_(std * math.sqrt(2.0))
        tensor.add_(mean)
        return tensor.clamp_(min=a, max=b)


@by_name
def constant_(tensor, val):
    """Fill with one value."""
    with no_grad():
        return tensor.fill_(val)


@restoring
def ones_(tensor):
    """Fill with ones."""
    with no_grad():
        return tensor.fill_(1.0)


@restoring
def zeros_(tensor):
    """Fill with zeros."""
    with no_grad():
        return tensor.zero_()


@restoring
def eye_(tensor):
    """Fill a matrix with the identity."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.copy_(torch.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))
    return tensor


@restoring
def dirac_(tensor, groups=1):
    """Fill the weights of a convolution so that it passes its inputs on, in every group.

    Raises:
        ValueError: not 3 to 5 axes, or channels that `groups` does not divide.
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    shape = tensor.size()
    if shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each = shape[0] // groups
    middle = tuple([n // 2 for n in shape[2:]])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for d in range(min(each, shape[1])):
                tensor[(group * each + d, d, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    """The fan-in and fan-out of a weight: inputs of each output, and outputs of each input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    inputs, outputs = tensor.size(1), tensor.size(0)
    field = math.prod(tensor.shape[2:]) if tensor.dim() > 2 else 1
    return inputs * field, outputs * field


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Fill with uniform draws of the standard deviation `gain * sqrt(2 / (fan_in + fan_out))`; Glorot, Bengio (2010).

    >>> import covector.compat.torch as torch
    >>> w = torch.nn.init.xavier_uniform_(torch.empty(30, 20))
    >>> bool(w.abs().max() < (6 / 50) ** 0.5)
    True
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return _uniform(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Fill with normal draws of the standard deviation `gain * sqrt(2 / (fan_in + fan_out))`."""
    return _normal(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


@by_name
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill with uniform draws of the standard deviation `gain / sqrt(fan)`; He et al. (2015).

    Args:
        a: the slope, for "leaky_relu".
        mode: "fan_in" keeps the variance of values, "fan_out" that of gradients.
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return _uniform(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill with normal draws of the standard deviation `gain / sqrt(fan)`."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return _normal(tensor, 0.0, std, generator)


@restoring
def orthogonal_(tensor, gain=1, generator=None):
    """Fill with a matrix (all axes but the first as one) whose rows or columns are orthonormal; Saxe et al. (2013)."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with no_grad():
        draws = torch.empty(max(rows, columns), min(rows, columns), dtype=tensor.dtype, device=tensor.device)
        draws.normal_(0, 1, generator=generator)
        if rows < columns:
            draws = draws.t().contiguous().t()
        q, r = torch.qr(draws)
        q = q * torch.diag(r, 0).sign()  # unique, and so evenly distributed
        tensor.view(rows, columns).copy_(q.t() if rows < columns else q)
        return tensor.mul_(gain)


@restoring
def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Fill a matrix with normal draws, and a part `sparsity` of each column with zeros; Martens (2010)."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[torch.randperm(rows)[:zeros], column] = 0
    return tensor


def old_name(fun):
    """The form of a function without its underscore, which warns."""
    name = fun.__name__[:-1]

    def deprecated(*args, **kwargs):
        warnings.warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{fun.__name__}`.", FutureWarning,
                      stacklevel=2)
        return fun(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = name
    deprecated.__doc__ = f"`{fun.__name__}` under its old name."
    return deprecated


uniform, normal, constant, eye, dirac = map(old_name, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal = map(old_name, (xavier_uniform_, xavier_normal_))
kaiming_uniform, kaiming_normal = map(old_name, (kaiming_uniform_, kaiming_normal_))
orthogonal, sparse = map(old_name, (orthogonal_, sparse_))

