"""Differential tests: what runs on compat must give what PyTorch gave when it was recorded, and gives where installed.

Two things of a test module are collected (`conftest.py`): each `script_…(torch)`, which returns a nest of tensors,
numbers, strings and of what `attempt` gives for an expected error; and each row of `CALLS`, the arguments of `Call`.
"""

import re
import warnings

import numpy as np
import pytest

import covector.compat.torch as compat

# Differences that rounding explains, by dtype: of an entry, and of the largest entry or 1, which sums may cancel from.
# PyTorch's trigamma is good to 5e-10; all else of double precision agrees to 1e-12.
ROUNDING = {"float64": (1e-9, 1e-12), "float32": (2e-5, 1e-6), "float16": (1e-3, 1e-4), "bfloat16": (8e-3, 1e-3)}
ROUNDING |= {"differences": (1e-7, 1e-8)}  # of steps of 1e-6
ROUNDING |= {"complex128": ROUNDING["float64"], "complex64": ROUNDING["float32"]}


def attempt(fn):
    """`("raised", type, message)` of the error that `fn` raises, or what it returns; classes without their modules."""
    try:
        return fn()
    except Exception as error:
        return ("raised", type(error).__name__, without_modules(str(error)))


def double(torch, *numbers):
    """A tensor of float64."""
    return torch.tensor(numbers, dtype=torch.float64)


def message(fn):
    """The whole message of an error, which is to be the same word for word but for the modules of classes."""
    try:
        return fn()
    except Exception as error:
        return without_modules(f"{type(error).__name__}: {error}")


def without_modules(text):
    """A message with the names of classes alone."""
    return re.sub(r"<class '.*?([a-zA-Z]+)'>", r"\1", text)


def table(lines, contiguous=False):
    """The answer of each line; once-a-process warnings are PyTorch's own affair.

    Args:
        lines: functions without arguments.
        contiguous: compare the values in order of their indices and not the strides, which LAPACK and MKL choose.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [shown(attempt(line), contiguous) for line in lines]


def shown(value, contiguous=False):
    """What can be compared of an answer: values of tensors, the words of everything else."""
    if isinstance(value, tuple | list):
        return value if value[:1] == ("raised",) else [shown(v, contiguous) for v in value]
    if not hasattr(value, "requires_grad"):
        return str(value)
    return value.contiguous() if contiguous else value


def made_function(torch, forward, backward, **more):
    """A Function of two plain functions."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (torch.autograd.Function,), body | {k: staticmethod(v) for k, v in more.items()})


def normal(torch, *shape, seed=0, dtype=None):
    """Numbers without a pattern."""
    x = np.random.default_rng(seed).normal(size=shape)
    return torch.tensor(x + 1j * x[::-1] if dtype == "complex" else x)


def slopes(torch, f, *tensors):
    """The value of a function, and its gradients behind fixed weights."""
    leaves = [t.detach().clone().requires_grad_() for t in tensors]
    out = f(*leaves)
    weights = torch.cos(torch.arange(out.numel(), dtype=torch.float64)).reshape(out.shape)
    real = out.real if out.is_complex() else out
    return [out.detach(), *torch.autograd.grad((real * weights).sum(), leaves)]


def rounds_as(dtype, why):
    """Compare the float64 values of a script as those of `dtype`, in which it computes for the reason `why`."""
    def mark(script):
        assert why, "a wider tolerance needs a reason"
        script.rounding = dtype
        return script

    return mark


class Script:
    """A `script_…` function to compare: what it returns and the warnings it gives."""

    def __init__(self, script):
        self.script = script

    def answers(self, torch):
        """What can be compared of one library."""
        answer, warned = run(self.script, torch)
        return {"answer": answer, "warnings": warned}

    def compare(self, ours, theirs):
        """Raise where the answers differ."""
        found = differences(ours["answer"], theirs["answer"], getattr(self.script, "rounding", "float64"))
        if ours["warnings"] != theirs["warnings"]:
            found.append(f"warnings: {ours['warnings']} here, {theirs['warnings']} in PyTorch")
        assert not found, "\n".join(found)


def pytorch():
    """PyTorch, or the test is skipped."""
    return pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")


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


def differences(ours, theirs, double="float64", path="answer"):
    """What differs between two records, as lines; float64 values are compared as those of `double`."""
    if is_error(ours) or is_error(theirs):
        if not (is_error(ours) and is_error(theirs)):
            return [f"{path}: {ours} here, {theirs} in PyTorch"]
        if ours[1] != theirs[1] or sense(ours[2]) != sense(theirs[2]):
            return [f"{path}: {ours[1:]} here, {theirs[1:]} in PyTorch"]
        return []
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        if isinstance(ours.get("value"), np.ndarray) and close(
                ours["value"], theirs["value"], double if ours["dtype"] == "torch.float64" else ours["dtype"]):
            ours, theirs = ours | {"value": None}, theirs | {"value": None}
        return [d for k in ours for d in differences(ours[k], theirs[k], double, f"{path}.{k}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [d for i, (a, b) in enumerate(zip(ours, theirs)) for d in differences(a, b, double, f"{path}[{i}]")]
    if isinstance(ours, np.ndarray):
        return [f"{path}: {ours.tolist()} here, {theirs.tolist()} in PyTorch"]
    if type(ours) is type(theirs) and isinstance(ours, float | complex):
        with np.errstate(over="ignore"):
            single = all(np.complex64(v) == v or v != v for v in (ours, theirs))  # numbers that were float32 before
        if close(np.array(ours), np.array(theirs), "float32" if single else double):
            return []
    return [] if type(ours) is type(theirs) and ours == theirs else [f"{path}: {ours!r} here, {theirs!r} in PyTorch"]


def close(ours, theirs, dtype):
    """Whether two arrays have one shape and differ by no more than rounding does in `dtype`."""
    rtol, atol = ROUNDING.get(dtype.removeprefix("torch."), (0.0, 0.0))  # integers agree, or do not
    finite = np.abs(theirs[np.isfinite(theirs)]) if atol else theirs
    atol = atol * max(1.0, np.max(finite, initial=0.0)) if atol else 0.0
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True)


def run(script, torch):
    """The record of a script and the warnings it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = record(script(torch))
    return answer, sorted({f"{w.category.__name__}: {sense(without_modules(str(w.message)))[:60]}" for w in caught
                           if not issubclass(w.category, ResourceWarning)
                           and not any(word in str(w.message) for word in _OWN_AFFAIRS)})


# Warnings of how PyTorch is built, of JAX where it is imported in the same process, of forks by Python since 3.12, and
# some of those that are given once a process.
_OWN_AFFAIRS = ("torch.jit", "create_graph=True", "to a scalar may lead", "performance drop", "fused implementation",
                "os.fork() was called", "use of fork() may lead to deadlocks")


class Call:
    """One call to compare: `f(torch, *tensors)` on arrays, and what of it to compare.

    Args:
        f: gives a tensor, or a nest of them.
        arrays: the arguments; floating and complex ones ask for gradients.
        orders: how many derivatives to compare; forward, vmap: whether these transforms are compared too.
        single: whether the call is made in float32 as well.
        rounding: the dtype whose rounding explains what differs in float64, where PyTorch computes in fewer digits.
    """

    def __init__(self, name, f, *arrays, orders=2, forward=True, vmap=True, single=True, rounding="float64"):
        self.name, self.f, self.arrays = name, f, [np.asarray(a) for a in arrays]
        self.orders, self.forward, self.vmap, self.single, self.rounding = orders, forward, vmap, single, rounding

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
        found = {"answer": [[str(o.dtype), list(o.shape), array(o)] for o in flat(out)],
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

    def answers(self, torch):
        """What can be compared of one library: by precision, and of the transforms."""
        moves = any(a.dtype.kind in "fc" for a in self.arrays)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = {"float64": self.outcome(torch, False)}
            if self.single:
                found["float32"] = self.outcome(torch, True)
            if self.forward and moves:
                found["forward"] = self.tangents(torch)
            if self.vmap and moves:
                found["vmap"] = self.mapped(torch)
        return found

    def compare(self, ours, theirs):
        """Raise where the answers differ."""
        for part in theirs:
            rough = "rough" in theirs[part] or "rough" in ours[part]
            dtype = "differences" if rough else "float32" if part == "float32" else self.rounding
            same(*({k: v for k, v in x[part].items() if k != "rough"} for x in (ours, theirs)), dtype)


def flat(out):
    """The tensors of a nest."""
    if hasattr(out, "requires_grad"):
        return [out]
    return [t for o in out for t in flat(o)] if isinstance(out, tuple | list) else []


def array(t):
    """The values of a tensor of either library."""
    return np.array(t.detach().resolve_conj().clone().tolist())


def same(ours, theirs, dtype, path="answer"):
    """Raise where two outcomes computed in `dtype` differ; None is a gradient that is zero, and known to be."""
    if isinstance(theirs, dict):
        for k in theirs.keys() | ours.keys():
            none = [None] * len(theirs.get(k) or ours.get(k))
            same(ours.get(k, none), theirs.get(k, none), dtype, k)
    elif isinstance(theirs, list | tuple):
        assert len(ours) == len(theirs), f"{path}: {len(ours)} here, {len(theirs)} in PyTorch"
        for i, (a, b) in enumerate(zip(ours, theirs)):
            same(a, b, dtype, f"{path}[{i}]")
    elif isinstance(theirs, np.ndarray) or isinstance(ours, np.ndarray):
        a, b = (np.zeros_like(v) if x is None else x for x, v in ((ours, theirs), (theirs, ours)))
        assert close(a, b, dtype), f"{path}: {ours if ours is None else a.tolist()} here, {b.tolist()} in PyTorch"
    else:
        assert ours == theirs, f"{path}: {ours!r} here, {theirs!r} in PyTorch"


def plain(nest):
    """Tensors without their layouts."""
    if isinstance(nest, tuple) and len(nest) == 3 and isinstance(nest[0], str) and nest[0] == "raised":
        return nest
    if isinstance(nest, list | tuple):
        return [plain(v) for v in nest]
    if isinstance(nest, dict):
        return {k: plain(v) for k, v in nest.items()}
    if hasattr(nest, "requires_grad"):
        return [str(nest.dtype), tuple(nest.shape), nest.requires_grad, nest.detach().clone().contiguous()]
    return nest
