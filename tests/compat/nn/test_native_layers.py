"""`linear` and `relu` in native code give the bits and histories of their lanes in Python, in every mode."""

import gc
import itertools
import subprocess
import sys

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.core.arrays.ufunc_dispatch import FORMS
from covector.transforms.compile.machine.engine import SUPPORTED

pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")
if not SUPPORTED:
    pytest.skip("native lanes are for x86-64 Linux", allow_module_level=True)
F = torch.nn.functional
SHAPES = [((2, 3), 4), ((5, 3), 1), ((1, 3), 4), ((2, 4, 3), 5), ((2, 2, 2, 3), 2), ((300, 40), 7), ((100, 90), 80),
          ((0, 3), 4), ((2, 0, 3), 4), ((2, 0), 4), ((3,), 4), ((64, 64), 100), ((4, 3, 900), 20)]


@pytest.fixture(autouse=True)
def native():
    FORMS.decide()


def in_python(monkeypatch, fun):
    """Take a function's native form away."""
    fun = fun.__func__  # of the function that PyTorch has in C++
    cell = fun.__closure__[fun.__code__.co_freevars.index("quick")]
    assert cell.cell_contents is not None
    monkeypatch.setattr(cell, "cell_contents", None)


def facts(t, leaves=()):
    found = [t.dtype, t.shape, t.stride(), t.requires_grad, t.is_inference(), t.detach().numpy().tobytes(),
             None if t.grad_fn is None else t.grad_fn.name()]
    if t.requires_grad:
        t.square().sum().backward()
        found += [None if x is None or x.grad is None else (x.grad.stride(), x.grad.numpy().tobytes()) for x in leaves]
    return found


def linears(dtype):
    rng = np.random.default_rng(0)
    for (shape, n), biased, turned in itertools.product(SHAPES, (True, False), (False, True)):
        x, w, b = rng.normal(size=shape), rng.normal(size=(n, shape[-1])), rng.normal(size=n)
        x = np.asfortranarray(x) if turned else x
        for asked in itertools.product((False, True), repeat=3):
            leaves = [torch.tensor(a, dtype=dtype).requires_grad_(g) for a, g in zip((x, w, b), asked, strict=True)]
            leaves = leaves if biased else [*leaves[:2], None]
            yield facts(F.linear(*leaves), leaves)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                leaves = [torch.tensor(a, dtype=dtype) for a in (x, w, b)]
                yield facts(F.linear(*leaves[:2], leaves[2] if biased else None))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_linear_is_that_of_python(monkeypatch, dtype):
    found = list(linears(dtype))
    in_python(monkeypatch, F.linear)
    for mine, theirs in zip(found, linears(dtype), strict=True):
        assert mine == theirs


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_relu_is_that_of_python(monkeypatch, dtype):
    rng = np.random.default_rng(0)
    given = [rng.normal(size=n) for n in (*range(40), 4096)]
    given += [rng.normal(size=(3, 5)).T, rng.normal(size=(4, 6))[:, 1]]
    for x in given:
        x.flat[: 5] = [-0.0, 0.0, -2.5, 7.0, -1e-320][: x.size]
    if dtype.is_floating_point:
        given.append(np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, -1e-45, 5.0, -5.0]))

    def work():
        for x in given:
            x = torch.tensor(x).to(dtype)
            yield facts(torch.relu(x))
            if dtype.is_floating_point:
                leaf = x.clone().requires_grad_()
                yield facts(F.relu(leaf), [leaf])
            for mode in (torch.no_grad, torch.inference_mode):
                with mode():
                    yield facts(F.relu(x.clone()))

    found = list(work())
    in_python(monkeypatch, torch.relu)
    for mine, theirs in zip(found, work(), strict=True):
        assert mine == theirs


def test_what_linear_refuses_is_refused_in_the_same_words(monkeypatch):
    x, w, b = torch.ones(2, 3), torch.ones(4, 3), torch.ones(4)
    calls = [(x, torch.ones(4, 2), b), (x, w, torch.ones(5)), (x, w.double(), b), (x, w.int(), b), (x, w, 3.0),
             (torch.ones(3, 2), w, b)]

    def words():
        for given in calls:
            with pytest.raises((RuntimeError, TypeError)) as caught:
                F.linear(*given)
            yield str(caught.value)

    found = list(words())
    in_python(monkeypatch, F.linear)
    assert found == list(words())


def test_linear_holds_and_lets_go():
    x, w, b = torch.ones(2, 2, 3, requires_grad=True), torch.ones(4, 3, requires_grad=True), torch.ones(4)
    things = [x.value, w.value, b.value, x, w, b, torch.Tensor, None]

    def work(count):
        for _ in range(count):
            F.linear(x, w, b), F.linear(x[0], w, None), F.relu(x)
            with torch.no_grad():
                F.linear(x, w, b), F.relu(x)
            with pytest.raises(RuntimeError):
                F.linear(x, w, torch.ones(5))
        gc.collect()

    work(5)
    before = [sys.getrefcount(t) for t in things], len(gc.get_objects())
    work(200)
    after = [sys.getrefcount(t) for t in things], len(gc.get_objects())
    assert max(abs(a - b) for a, b in zip(after[0], before[0], strict=True)) < 100 > after[1] - before[1]


SCRIPT = """
import covector.compat.torch as torch
from covector.core.arrays.ufunc_dispatch import FORMS
layer, x = torch.nn.Linear(3, 4), torch.ones(2, 3)
with torch.{mode}():
    for _ in range(9000):
        {call}
print(FORMS.waiting is None, FORMS.small is not None)
"""


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
@pytest.mark.parametrize("call", ["layer(x)", "torch.relu(x)", "torch.rsqrt(x)"])
def test_calls_that_record_nothing_count_as_well(mode, call):
    script = SCRIPT.format(mode=mode, call=call)
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"
