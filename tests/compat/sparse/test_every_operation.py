"""Every function and method of tensors with sparse operands: what dense ones give, or an error,
never another number."""

import warnings

import numpy as np
import pytest

import covector.compat.torch as torch

FORMS = {"s": lambda f, s, d: f(s), "s, s": lambda f, s, d: f(s, s), "d, s": lambda f, s, d: f(d, s),
         "s, d": lambda f, s, d: f(s, d), "s, 2": lambda f, s, d: f(s, 2), "[s, s]": lambda f, s, d: f([s, s]),
         "d, s, s": lambda f, s, d: f(d, s, s), "d, d, s": lambda f, s, d: f(d, d, s)}
# What says how a tensor is laid out, takes modules or functions, or draws random numbers.
FACTS = """_indices _nnz _values indices values coalesce is_coalesced contractions dense_dim sparse_dim stride
is_contiguous type typename vmap empty_like install compile load save sparse_mask storage_offset to_sparse_coo uniform_
normal_ bernoulli_ random_ exponential_ cauchy_ geometric_ log_normal_ backward""".split()


def operands():
    """A sparse and a dense tensor."""
    return (torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [0.3, 0.4, 0.5], (3, 3)),
            torch.arange(9.0).reshape(3, 3) / 10 + 0.05)


def functions():
    """Name -> function of all that is public, and of all methods."""
    for name in dir(torch.Tensor):
        if name not in FACTS and not name.startswith("__") and callable(getattr(torch.Tensor, name)):
            yield f"Tensor.{name}", lambda *args, name=name: getattr(args[0], name)(*args[1:])
    for module in (torch, torch.nn.functional, torch.linalg, torch.special, torch.fft):
        for name in dir(module):
            found = getattr(module, name, None)
            if callable(found) and not isinstance(found, type) and name not in FACTS and not name.startswith(
                    ("set_", "manual")):
                yield f"{module.__name__}.{name}", found


def numbers(value):
    """An answer as arrays."""
    if isinstance(value, tuple | list):
        return [numbers(v) for v in value]
    return value.detach().to_dense().double().numpy() if isinstance(value, torch.Tensor) else value


def same(ours, dense):
    if isinstance(dense, list):
        return isinstance(ours, list) and len(ours) == len(dense) and all(map(same, ours, dense))
    if isinstance(dense, np.ndarray):
        return np.shape(ours) == dense.shape and np.allclose(ours, dense, rtol=1e-5, equal_nan=True)
    return ours == dense or ours != ours


@pytest.mark.parametrize("call", list(FORMS))
def test_sparse_operands_give_what_dense_ones_give_or_an_error(call):
    computed = 0
    for name, fun in functions():
        if call == "[s, s]" and name.startswith("Tensor."):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            s, d = operands()
            try:
                ours = FORMS[call](fun, s, d)
            except (RuntimeError, ValueError, IndexError, TypeError, AssertionError, AttributeError):
                continue
            s, d = operands()
            try:
                dense = FORMS[call](fun, s.to_dense(), d)
            except (RuntimeError, ValueError, TypeError, AttributeError):
                continue  # an argument that only the dense function looks at
            assert same(numbers(ours), numbers(dense)), name
            computed += 1
    assert computed > 1
