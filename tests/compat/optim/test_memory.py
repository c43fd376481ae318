"""The arrays that steps compute on: the same outcome whatever lies together, and exact counts of writes."""

import warnings

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.optim import flat
from covector.compat.torch.optim import SGD, Adam
from covector.compat.torch.optim.optimizer import register_optimizer_step_pre_hook


def leaves(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    params = [torch.tensor(rng.normal(size=s).astype(np.float32), requires_grad=True) for s in shapes]
    for p in params:
        p.grad = torch.tensor(rng.normal(size=p.shape).astype(np.float32))
    return params


def steps(optimizer, n=3):
    for _ in range(n):
        optimizer.step()


def test_parameters_together_move_as_each_alone(monkeypatch):
    shapes = (3, 4), (5,), (), (300, 200)
    together = leaves(*shapes)
    steps(Adam(together))
    monkeypatch.setattr(flat, "SMALL", 0)
    alone = leaves(*shapes)
    for p in alone:
        steps(Adam([p]))
    assert all(np.array_equal(a.detach().numpy(), b.detach().numpy()) for a, b in zip(together, alone))


def test_small_parameters_take_one_run_and_large_ones_blocks():
    x = Adam(leaves((3, 4), (5,), (400, 200), ()))
    x.step()
    runs = [run for run, _ in x._plans[0].runs]
    assert [len(run.params) for run in runs] == [2, 1, 1]
    assert len(runs[1].edges) == -(-80000 // flat.BLOCK)


def test_a_plan_is_made_once():
    x = Adam(leaves((3,), (4,)))
    x.step()
    plan = x._plans[0]
    x.step()
    assert x._plans[0] is plan


def test_each_step_counts_as_one_write():
    p, q = leaves((3,), (4,))
    x = Adam([p, q])
    steps(x, 4)
    assert (p._version, q._version, x.state[p]["exp_avg"]._version) == (4, 4, 4)


def test_step_of_a_read_only_parameter_is_refused():
    array = np.ones(3)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = torch.from_numpy(array)
    p.grad = torch.ones(3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="read-only"):
        SGD([p], lr=1.0).step()


def test_step_inside_a_transform_goes_through_tensors():
    def loss(w):
        p = w.clone()
        p.grad = 2 * p.detach()
        with torch.no_grad():
            x = SGD([p.detach()], lr=0.5)
        x.param_groups[0]["params"][0].grad = torch.ones(2, dtype=torch.float64)
        x.step()
        return (w * x.param_groups[0]["params"][0]).sum()

    w = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert torch.func.grad(loss)(w).tolist() == [0.5, 1.5]


def test_step_through_vmap_moves_each_example():
    def moved(w, g):
        p = w.clone()
        p.grad = g
        x = Adam([p], lr=0.1)
        x.step()
        return p

    w, g = torch.zeros(3, 2), torch.tensor([[1.0, -1.0], [2.0, 0.5], [-3.0, 1.0]])
    assert torch.allclose(torch.vmap(moved)(w, g), -0.1 * g.sign(), atol=1e-5)


def test_differentiable_steps_can_be_taken_in_a_row():
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)

    def end(lr):
        w = torch.tensor([0.3, 0.4], dtype=torch.float64, requires_grad=True).clone()
        x = SGD([w], lr=lr, momentum=0.9, differentiable=True)
        for _ in range(3):
            w.grad = torch.tensor([1.0, 2.0], dtype=torch.float64)
            x.step()
        return (w * w).sum()

    assert torch.autograd.gradcheck(end, (lr,))


def test_hook_of_all_optimizers_is_called():
    seen = []
    handle = register_optimizer_step_pre_hook(lambda x, args, kwargs: seen.append(type(x).__name__))
    SGD(leaves((2,))).step()
    handle.remove()
    SGD(leaves((2,))).step()
    assert seen == ["SGD"]


def test_profile_shows_the_step():
    x = SGD(leaves((2,)))
    with torch.autograd.profiler.profile() as prof:
        x.step()
    assert "Optimizer.step#SGD.step" in [e.name for e in prof.function_events]
