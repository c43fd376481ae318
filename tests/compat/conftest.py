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


class Call:
    """One call to compare: `f(torch, *tensors)` on arrays, and what of it to compare.

    Args:
        f: gives a tensor, or a nest of them.
        arrays: the arguments; floating and complex ones ask for gradients.
        orders: how many derivatives to compare; forward, vmap: whether these transforms are compared too.
        single: whether the call is made in float32 as well.
    """

    def __init__(self, name, f, *arrays, orders=2, forward=True, vmap=True, single=True, tol=1.0):
        self.name, self.f, self.arrays = name, f, [np.asarray(a) for a in arrays]
        self.orders, self.forward, self.vmap, self.single, self.tol = orders, forward, vmap, single, tol

    def given(self, torch, single=False, gradients=True):
        """The arguments as tensors."""
        narrow = {"float64": np.float32, "complex128": np.complex64} if single else {}
        tensors = [torch.tensor(a.astype(narrow.get(a.dtype.name, a.dtype))) for a in self.arrays]
        return [t.requires_grad_() if gradients and a.dtype.kind in "fc" else t for t, a in zip(tensors, self.arrays)]

    def loss(self, torch, out):
        """A number of all answers that carry a gradient."""
        total = None
        for k, o in enumerate(flat(out)):
            if o.requires_grad:
                if o.is_complex():
                    o = torch.view_as_real(o.resolve_conj())
                weights = torch.tensor(np.cos(np.arange(o.numel()) + k).reshape(tuple(o.shape))).to(o.dtype)
                part = (o * weights).sum()
                total = part if total is None else total + part.to(total.dtype)
        return total

    def outcome(self, torch, single):
        """Answers, gradients and second gradients, as arrays."""
        given = self.given(torch, single)
        out = self.f(torch, *given)
        found = {"answer": [(str(o.dtype), tuple(o.shape), array(o)) for o in flat(out)],
                 "history": [o.requires_grad for o in flat(out)]}
        loss, leaves = self.loss(torch, out), [t for t in given if t.requires_grad]
        if loss is None or not self.orders:
            return found
        again = self.orders > 1 and not single
        grads = torch.autograd.grad(loss, leaves, allow_unused=True, create_graph=again)
        found["gradient"] = [None if g is None else array(g) for g in grads]
        second = self.loss(torch, [g * g for g in grads if g is not None and g.requires_grad]) if again else None
        if second is not None:
            grads = torch.autograd.grad(second, leaves, allow_unused=True)
            found["second gradient"] = [None if g is None else array(g) for g in grads]
        return found

    def tangents(self, torch):
        """Answers of forward mode along fixed directions."""
        given = self.given(torch, gradients=False)
        moving = [i for i, t in enumerate(given) if t.is_floating_point() or t.is_complex()]

        def f(*tensors):
            full = list(given)
            for i, t in zip(moving, tensors):
                full[i] = t
            return tuple([o for o in flat(self.f(torch, *full)) if o.is_floating_point() or o.is_complex()])

        directions = [torch.tensor(np.sin(np.arange(given[i].numel()) + 1.0).reshape(tuple(given[i].shape))).to(
            given[i].dtype) for i in moving]
        if not f(*[given[i] for i in moving]):
            return {"tangent": []}
        primals = tuple(given[i] for i in moving)
        try:
            _, tangents = torch.func.jvp(f, primals, tuple(directions))
        except NotImplementedError:
            if torch is compat:
                raise
            step = 1e-6  # PyTorch has no forward rule: the difference quotient of its values instead
            ends = [f(*[x + s * d for x, d in zip(primals, directions)]) for s in (step, -step)]
            return {"tangent": [(array(a) - array(b)) / (2 * step) for a, b in zip(*ends)], "rough": []}
        return {"tangent": [array(t) for t in tangents]}

    def mapped(self, torch):
        """Answers of two examples at once."""
        given = self.given(torch, gradients=False)
        moving = [i for i, t in enumerate(given) if t.is_floating_point() or t.is_complex()]
        stacked = [torch.stack([t, t * 0.9]) if i in moving else t
                   for i, t in enumerate(given)]
        dims = tuple(0 if i in moving else None for i in range(len(given)))
        out = torch.func.vmap(lambda *a: tuple(flat(self.f(torch, *a))), in_dims=dims)(*stacked)
        return {"mapped": [array(o) for o in out]}

    def check(self, torch):
        """Raise where the two libraries differ."""
        for single in (False, True) if self.single else (False,):
            tolerance = {"rtol": 3e-4, "atol": 3e-5} if single else {"rtol": 1e-7 * self.tol, "atol": 1e-9 * self.tol}
            same(self.outcome(compat, single), self.outcome(torch, single), tolerance)
        tolerance = {"rtol": 1e-7 * self.tol, "atol": 1e-9 * self.tol}
        if self.forward and any(a.dtype.kind in "fc" for a in self.arrays):
            theirs = self.tangents(torch)
            if theirs.pop("rough", None) is not None:
                tolerance = {"rtol": 1e-4, "atol": 1e-5}
            same(self.tangents(compat), theirs, tolerance)
            tolerance = {"rtol": 1e-7 * self.tol, "atol": 1e-9 * self.tol}
        if self.vmap and any(a.dtype.kind in "fc" for a in self.arrays):
            same(self.mapped(compat), self.mapped(torch), tolerance)


def flat(out):
    """The tensors of a nest."""
    if hasattr(out, "requires_grad"):
        return [out]
    return [t for o in out for t in flat(o)] if isinstance(out, tuple | list) else []


def array(t):
    """The values of a tensor of either library."""
    return np.array(t.detach().resolve_conj().clone().tolist())


def same(ours, theirs, tolerance, path="answer"):
    """Compare two outcomes."""
    if isinstance(theirs, dict):
        for k in theirs.keys() | ours.keys():
            none = [None] * len(theirs.get(k) or ours.get(k))  # zero, and known to be
            same(ours.get(k, none), theirs.get(k, none), tolerance, k)
    elif isinstance(theirs, list | tuple):
        assert len(ours) == len(theirs), f"{path}: {len(ours)} here, {len(theirs)} in PyTorch"
        for i, (a, b) in enumerate(zip(ours, theirs)):
            same(a, b, tolerance, f"{path}[{i}]")
    elif isinstance(theirs, np.ndarray):
        zero = np.allclose(theirs, 0, atol=tolerance["atol"])
        assert isinstance(ours, np.ndarray) or zero, f"{path}: {ours} here, {theirs.tolist()} in PyTorch"
        if isinstance(ours, np.ndarray):
            np.testing.assert_allclose(ours, theirs, err_msg=path, **tolerance)
    elif theirs is None and isinstance(ours, np.ndarray):
        assert np.allclose(ours, 0, atol=tolerance["atol"]), f"{path}: {ours.tolist()} here, None in PyTorch"
    else:
        assert ours == theirs, f"{path}: {ours!r} here, {theirs!r} in PyTorch"


@pytest.fixture
def check_call():
    """Compare one `Call`, made of its description, with PyTorch."""
    def check(name, f, *arrays, **facts):
        torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Call(name, f, *arrays, **facts).check(torch)

    return check


def pytest_generate_tests(metafunc):
    if "call" in metafunc.fixturenames:
        calls = metafunc.module.CALLS
        metafunc.parametrize("call", calls, ids=[str(c[0]) for c in calls])
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
