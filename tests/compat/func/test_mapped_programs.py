"""Programs of calls on values of a vmap: the same outputs as example by example, and refusals and history as ever."""

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.dispatch.call_source import Program
from covector.compat.torch._impl.state.levels import BatchTrace

F = torch.nn.functional


def mapped_programs(fun):
    return [p for key, p in fun.row.programs.items() if key[0] is BatchTrace]


def tensors(*shapes):
    rng = np.random.default_rng(0)
    return [torch.tensor(rng.normal(size=s)) for s in shapes]


CASES = {
    "addmm": (lambda b, w: torch.addmm(b, torch.ones(2, 4, dtype=torch.float64), w), [(3, 5), (3, 4, 5)]),
    "softmax": (lambda x: torch.softmax(x, 0), [(3, 4, 2)]),
    "mse_loss": (F.mse_loss, [(3, 4), (3, 4)]),
    "two outputs": (lambda x: tuple(torch.max(x, 1)), [(3, 4, 5)]),
    "broadcast": (lambda x, r: (x * r - 2.0) / r, [(3, 2, 4), (3, 4)]),
    "columns": (lambda x: x.t() * x.t(), [(3, 2, 4)]),
    "number": (lambda x: x + torch.sin(x.sum()), [(3, 4)]),
}


@pytest.mark.parametrize("name", CASES)
def test_same_as_example_by_example(name):
    fun, shapes = CASES[name]
    args = tensors(*shapes)
    mapped = torch.func.vmap(fun)
    expected = [fun(*[a[k] for a in args]) for k in range(3)]
    for _ in range(4):  # the general path, the one that makes the program, the program
        found = mapped(*args)
        for k, one in enumerate(expected):
            for f, e in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, one)), strict=True):
                np.testing.assert_allclose(f[k].numpy(), e.numpy(), rtol=1e-13, atol=1e-13)


def test_a_program_is_made_and_used(monkeypatch):
    monkeypatch.setattr("covector.compat.torch._impl.dispatch.quick.OPEN", [True])
    b, w = tensors((3, 5), (3, 4, 5))
    x = torch.ones(2, 4, dtype=torch.float64)
    for _ in range(3):
        torch.func.vmap(torch.addmm, in_dims=(0, None, 0))(b, x, w)
    assert any(type(p) is Program for p in mapped_programs(torch.addmm))


def test_what_is_recorded_keeps_its_history():
    (x,) = tensors((3, 4))
    x.requires_grad_()
    for _ in range(4):
        (g,) = torch.autograd.grad(torch.func.vmap(lambda r: torch.softmax(r * r, 0)[0])(x).sum(), x)
    y = x.detach().requires_grad_()
    (e,) = torch.autograd.grad(sum(torch.softmax(r * r, 0)[0] for r in y), y)
    np.testing.assert_allclose(g.numpy(), e.numpy(), rtol=1e-12)


def test_shapes_that_do_not_fit_are_refused():
    x, y = tensors((3, 2), (3, 4))
    for _ in range(3):
        with pytest.raises(RuntimeError, match="must match"):
            torch.func.vmap(torch.add)(x, y)


def test_warnings_of_numpy_stay_away(recwarn):
    x = torch.zeros(3, 2, dtype=torch.float64)
    for _ in range(3):
        torch.func.vmap(lambda r: torch.log(r) / r)(x)
    assert not recwarn.list
