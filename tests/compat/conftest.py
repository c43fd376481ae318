"""Differential tests: each `script_…(torch)` of a module runs on compat and, where installed, on PyTorch.

A script returns a nest of tensors, numbers, strings and of what `attempt` gives for an expected error.
"""

import inspect
import re
import warnings

import numpy as np
import pytest

import covector.compat.torch as compat


def attempt(fn):
    """`(type, message)` of the error that `fn` raises, or what it returns."""
    try:
        return fn()
    except Exception as error:
        return ("raised", type(error).__name__, str(error))


def record(value):
    """A nest of plain values that two libraries can be compared by."""
    if hasattr(value, "requires_grad") and hasattr(value, "detach"):
        fn = value.grad_fn
        return {"dtype": str(value.dtype), "shape": tuple(value.shape), "stride": tuple(value.stride()),
                "requires_grad": value.requires_grad, "leaf": value.is_leaf,
                "fn": None if fn is None else type(fn).__name__, "value": np.array(value.detach().tolist())}
    if is_error(value):
        return value
    if isinstance(value, tuple | list):
        return [record(v) for v in value]
    if isinstance(value, dict):
        return {str(k): record(v) for k, v in value.items()}
    if value is None or isinstance(value, bool | int | float | complex | str):
        return value
    return str(value)


def is_error(value):
    """Whether a value is what `attempt` gives for an error."""
    return isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], str) and value[0] == "raised"


def sense(message):
    """A message without what may differ: numbers of memory, quotes, and all behind its first sentence."""
    return re.sub(r"[^a-z0-9]+", " ", re.split(r"(?<=[a-z0-9\])])[.:;,]\s|\n", message.lower())[0]).strip()


def differences(ours, theirs, path="answer"):
    """What differs between two records, as lines."""
    if is_error(ours) or is_error(theirs):
        if not (is_error(ours) and is_error(theirs)):
            return [f"{path}: {ours} here, {theirs} in PyTorch"]
        if ours[1] != theirs[1] or sense(ours[2]) != sense(theirs[2]):
            return [f"{path}: {ours[1:]} here, {theirs[1:]} in PyTorch"]
        return []
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        return [d for k in ours for d in differences(ours[k], theirs[k], f"{path}.{k}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [d for i, (a, b) in enumerate(zip(ours, theirs)) for d in differences(a, b, f"{path}[{i}]")]
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        if ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=2e-5, atol=1e-6, equal_nan=True):
            return []
        return [f"{path}: {ours.tolist()} here, {theirs.tolist()} in PyTorch"]
    if isinstance(ours, float) and isinstance(theirs, float) and np.isclose(ours, theirs, rtol=2e-5, equal_nan=True):
        return []
    return [] if type(ours) is type(theirs) and ours == theirs else [f"{path}: {ours!r} here, {theirs!r} in PyTorch"]


def run(script, torch):
    """The record of a script and the warnings it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = record(script(torch))
    return answer, sorted({f"{w.category.__name__}: {sense(str(w.message))[:60]}" for w in caught
                           if not issubclass(w.category, ResourceWarning) and not any(
                               word in str(w.message) for word in ("torch.jit", "create_graph=True"))})


def pytest_generate_tests(metafunc):
    if "script" in metafunc.fixturenames:
        found = [f for name, f in vars(metafunc.module).items() if name.startswith("script_") and inspect.isfunction(f)]
        metafunc.parametrize("script", found, ids=[f.__name__[7:] for f in found])


@pytest.fixture
def agrees():
    """Run a script on both libraries and compare."""
    def compare(script):
        ours = run(script, compat)
        torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
        theirs = run(script, torch)
        found = differences(ours[0], theirs[0])
        if ours[1] != theirs[1]:
            found.append(f"warnings: {ours[1]} here, {theirs[1]} in PyTorch")
        assert not found, "\n".join(found)

    return compare


@pytest.fixture
def runs():
    """Run a script on compat alone."""
    return lambda script: run(script, compat)
