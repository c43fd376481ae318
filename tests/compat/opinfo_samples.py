"""PyTorch's own table of operations, `op_db` of its test suite: those that compat has, and samples for both."""

import functools
import random
import types
import warnings

import numpy as np
import torch
from torch.testing._internal import common_methods_invocations as table

import covector.compat.torch as compat

EMPTY = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_",
         "resize_as_"}  # whose answers hold what memory held
BUFFERS = {"bfloat16": (torch.int16, compat.bfloat16.numpy)} if compat.bfloat16 else {}


class Unlike(Exception):
    """A sample that compat has no tensors for: another layout, another device, another dtype."""


@functools.cache
def operations(prefixes=()):
    """The entries of the table whose operation compat has, by their full names."""
    found = {}
    for op in table.op_db:
        if (not prefixes or op.name.startswith(tuple(prefixes))) and ours(op) is not None:
            found.setdefault(op.formatted_name, op)
    return found


def ours(op):
    """The operation of an entry on compat, None where there is none of its name."""
    return translated(op.op, op.name)


def translated(fun, name):
    """What is to compat as `fun` is to PyTorch."""
    if is_rewritten(fun):
        if not any(has(home, name + end) for home in (compat, compat.Tensor) for end in ("", "_")):
            return None
        given = fun.__globals__ | {"torch": compat, "wrapper_set_seed": lambda f, *args, **kwargs: f(*args, **kwargs)}
        return types.FunctionType(fun.__code__, given, fun.__name__, fun.__defaults__, fun.__closure__)
    for home in (compat, compat.Tensor):
        if has(home, name):
            return functools.reduce(getattr, name.split("."), home)
    return None


def is_rewritten(fun):
    """Whether a function of PyTorch's tests calls what it tests in words of its own."""
    return isinstance(fun, types.FunctionType) and fun.__module__.startswith("torch.testing")


def has(home, name):
    """Whether a namespace has a dotted name and it is built."""
    try:
        return type(functools.reduce(getattr, name.split("."), home)) is not compat.dtype
    except (AttributeError, NotImplementedError):
        return False


def is_random(op):
    """Whether answers of the two libraries agree in nothing but their kind."""
    code = getattr(op.op, "__code__", None)
    return op.name in EMPTY or code is not None and "wrapper_set_seed" in code.co_names


# samples, as tensors of either library

def samples(op, dtype, gradients, cap, more=False):
    """The samples of an entry, spread evenly over all that PyTorch has where those are more than `cap`.

    Args:
        more: the larger set against which PyTorch compares NumPy, with extremal values and odd strides.
    """
    make = more and op.reference_inputs_func or op.sample_inputs_func
    found = drawn(make, op, "cpu", getattr(torch, dtype), gradients)
    if len(found) > cap:
        found = [found[i * len(found) // cap] for i in range(cap)]
    return found


def drawn(make, *args):
    """What a function of the table makes, from one seed. The methods of entries look at the stack for each."""
    torch.default_generator.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002 (PyTorch's samples draw from it)
    random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(make(*args))


def made(lib, value, gradients=False, change=None):
    """A sample's nest of arguments as fresh ones of a library; `change` is applied to each new tensor."""
    if isinstance(value, torch.Tensor):
        t = fresh(lib, value)
        if change is not None:
            t = change(t, value)
        return t.requires_grad_() if gradients and value.requires_grad else t
    if isinstance(value, list | tuple) and not isinstance(value, torch.Size):
        parts = [made(lib, v, gradients, change) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {k: made(lib, v, gradients, change) for k, v in value.items()}
    if lib is torch:
        return value
    if isinstance(value, torch.dtype | torch.layout | torch.memory_format):
        return named(str(value))
    if isinstance(value, torch.device):
        return compat.device(str(value))
    if isinstance(value, torch.Size):
        return compat.Size(value)
    if isinstance(value, torch.Generator):
        return compat.Generator()
    if isinstance(value, types.FunctionType):
        return translated(value, "abs")
    if isinstance(value, torch.nn.Module):
        raise Unlike(str(value))
    return value


def named(words):
    """compat's `torch.something`."""
    found = getattr(compat, words.removeprefix("torch."), None)
    if found is None:
        raise Unlike(words)
    return found


def fresh(lib, t):
    """A tensor of the same values in memory of its own, as they lie there in strides; no history."""
    if t.layout is not torch.strided or t.device.type != "cpu" or t.is_quantized or t.ndim > 64:
        raise Unlike(f"{t.layout} {t.device}, {t.ndim} axes")
    with torch.no_grad():
        t = t.detach().resolve_conj().resolve_neg()
        memory = torch.as_strided(t, (t.untyped_storage().nbytes() // t.element_size(),), (1,), 0).clone()
    if lib is torch:
        return torch.as_strided(memory, t.shape, t.stride(), t.storage_offset()).detach()
    name = str(t.dtype).removeprefix("torch.")
    if name in BUFFERS:
        array = memory.view(BUFFERS[name][0]).numpy().view(BUFFERS[name][1]).copy()
    elif named(str(t.dtype)):
        array = memory.numpy()
    return compat.as_strided(compat.from_numpy(array), tuple(t.shape), t.stride(), t.storage_offset()).detach()


def tensors(nest):
    """The tensors of a nest of either library, in order."""
    if hasattr(nest, "requires_grad") and hasattr(nest, "detach"):
        return [nest]
    if isinstance(nest, dict):
        return [t for v in nest.values() for t in tensors(v)]
    return [t for v in nest for t in tensors(v)] if isinstance(nest, list | tuple) else []


def refilled(nest, leaves):
    """A nest with other tensors in the places of its own."""
    if hasattr(nest, "requires_grad"):
        return next(leaves)
    if isinstance(nest, list | tuple) and not hasattr(nest, "numel"):
        return type(nest)([refilled(v, leaves) for v in nest])
    return {k: refilled(v, leaves) for k, v in nest.items()} if isinstance(nest, dict) else nest
