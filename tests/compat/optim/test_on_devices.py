"""Steps of parameters on a GPU: as on the CPU, in one launch for a group, whatever lies how."""

from types import SimpleNamespace

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch import optim
from covector.compat.torch._impl.lists import norms, updates
from covector.compat.torch._impl.optim.elementwise import kernel_of

pytestmark = [pytest.mark.gpu, pytest.mark.skipif("not torch.cuda.is_available()", reason="CuPy finds no device")]
NORM = ["covector_norm", "covector_norm_end"]
SHAPES = (3, 4), (5,), (), (60, 50), (2, 0)
KINDS = [
    (optim.Adam, {}), (optim.Adam, {"amsgrad": True, "weight_decay": 0.1, "maximize": True, "lr": 0.1}),
    (optim.AdamW, {"foreach": True}), (optim.Adamax, {"weight_decay": 0.1}), (optim.NAdam, {}),
    (optim.NAdam, {"decoupled_weight_decay": True, "weight_decay": 0.1}), (optim.RAdam, {"lr": 0.1}),
    (optim.SGD, {"lr": 1}), (optim.SGD, {"momentum": 0.9, "nesterov": True}),
    (optim.SGD, {"momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}), (optim.ASGD, {"t0": 5}), (optim.Rprop, {}),
    (optim.Adagrad, {"lr_decay": 0.1}), (optim.Adadelta, {}), (optim.RMSprop, {}),
    (optim.RMSprop, {"momentum": 0.5, "centered": True})]


def pairs(shapes=SHAPES, dtype="f4", seed=0):
    """Parameters on the device, and the same on the CPU."""
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=s).astype(dtype) for s in shapes]
    return [[torch.tensor(a, device=device, requires_grad=True) for a in arrays] for device in ("cuda", "cpu")]


def graded(there, here, rng):
    """Let both have the same gradients."""
    for p, q in zip(there, here):
        g = rng.normal(size=p.shape)
        g = torch.tensor(g + 1j * rng.normal(size=p.shape) if p.is_complex() else g).to(p.dtype)
        p.grad, q.grad = g.to("cuda"), g


def same(there, here, tolerance=1e-6):
    """Whether tensors are the same but for rounding."""
    for x, y in zip(there, here, strict=True):
        x, y = x.detach().cpu().numpy(), y.detach().numpy()
        assert x.dtype == y.dtype and np.allclose(x, y, tolerance, tolerance)


@pytest.fixture
def launched(monkeypatch):
    """The names of kernels that were launched, without those of CuPy's own functions."""
    library, found = pytest.importorskip("cupy"), []
    module = library.RawModule

    def made(*, code):
        def get_function(name):
            function = module(code=code).get_function(name)
            return lambda *given: (found.append(name), function(*given))

        return SimpleNamespace(get_function=get_function)

    monkeypatch.setattr(library, "RawModule", made)
    for caches in (kernel_of, updates.kernel_of, updates.launches_of, norms.kernel_of):
        caches.cache_clear()
    yield found
    for caches in (kernel_of, updates.kernel_of, updates.launches_of, norms.kernel_of):
        caches.cache_clear()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_steps_are_those_of_the_cpu_in_one_launch_each(kind, options, dtype, launched):
    there, here = pairs(dtype=dtype)
    ours, theirs = kind(there, **options), kind(here, **options)
    rng = np.random.default_rng(1)
    for k in range(8):
        graded(there, here, rng)
        ours.step()
        theirs.step()
        if k == 4:
            for x in (ours, theirs):
                x.load_state_dict(x.state_dict())
            for group in (*ours.param_groups, *theirs.param_groups):
                group["lr"] *= 0.5
    assert len(launched) == 8
    same(there, here)
    for p, q in zip(there, here):
        assert p._version == q._version
        assert list(ours.state[p]) == list(theirs.state[q])
        same(ours.state[p].values(), theirs.state[q].values())


def test_many_parameters_take_a_launch_for_as_many_as_fit(launched):
    there, here = pairs([(k % 7 + 1, 3) for k in range(200)])
    ours, theirs = optim.Adam(there), optim.Adam(here)
    graded(there, here, np.random.default_rng(1))
    ours.step()
    theirs.step()
    same(there, here)
    assert len(launched) == 3


def test_a_number_that_changes_makes_no_other_kernel(launched):
    there, here = pairs()
    ours, theirs = optim.AdamW(there), optim.AdamW(here)
    for k in range(4):
        graded(there, here, np.random.default_rng(k))
        for x in (ours, theirs):
            x.param_groups[0] |= {"lr": 0.1 / (k + 1), "eps": 1e-5 * k, "weight_decay": 0.1 + k, "betas": (0.5, 0.6)}
            x.step()
    same(there, here)
    assert len(launched) == 4
    assert kernel_of.cache_info().misses == 1


def test_options_that_are_tensors_count_by_their_number(launched):
    there, here = pairs()
    for place, params in (("cuda", there), ("cpu", here)):
        graded(there, here, np.random.default_rng(1))
        optim.Adam(params, lr=torch.tensor(0.25, device=place)).step()
    same(there, here)
    assert len(launched) == 1


def test_gradients_and_parameters_lie_as_they_do(launched):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, 4, 5)).astype("f4")
    there, here = [[torch.tensor(x, device=d).to(memory_format=torch.channels_last).requires_grad_(),
                    torch.tensor(x, device=d).requires_grad_(), torch.tensor(x, device=d)[:, 1:, ::2].requires_grad_()]
                   for d in ("cuda", "cpu")]
    ours, theirs = optim.SGD(there, momentum=0.5), optim.SGD(here, momentum=0.5)
    for _ in range(3):
        for p, q in zip(there, here):
            g = torch.tensor(rng.normal(size=(5, *p.shape[:-1])).astype("f4")).permute(1, 2, 3, 0)
            p.grad, q.grad = g.cuda(), g
        ours.step()
        theirs.step()
    same(there, here)
    assert len(launched) == 3  # what has gaps is updated by operations on tensors
    assert there[0].is_contiguous(memory_format=torch.channels_last)


def test_parameters_of_several_dtypes_and_places(launched):
    (a, b), (_, d) = pairs([(3,), (4,)]), pairs([(3,), (4,)])
    halves = [torch.ones(3, device=d, dtype=torch.float16, requires_grad=True) for d in ("cuda", "cpu")]
    doubles = [torch.ones(3, device=d, dtype=torch.float64, requires_grad=True) for d in ("cuda", "cpu")]
    there, here = [a[0], halves[0], d[1], doubles[0], a[1]], [b[0], halves[1], d[1].detach().clone(), doubles[1], b[1]]
    ours, theirs = optim.Adam(there, lr=0.1), optim.Adam([p.requires_grad_() for p in here], lr=0.1)
    for _ in range(2):
        for p, q in zip(there, here):
            p.grad, q.grad = torch.ones_like(p), torch.ones_like(q)
        ours.step()
        theirs.step()
    same(there, here, 1e-3)
    assert len(launched) == 4
    assert [ours.state[p]["step"].item() for p in there] == [2.0] * 5


def test_parameters_that_share_memory_are_updated_in_turn(launched):
    x = torch.arange(6.0, device="cuda")
    p, q = x[:4].requires_grad_(), x[2:].requires_grad_()
    optimizer = optim.SGD([p, q], lr=1.0, weight_decay=0.5)
    p.grad, q.grad = torch.zeros_like(p), torch.zeros_like(q)
    optimizer.step()
    assert x.tolist() == [0.0, 0.5, 0.5, 0.75, 2.0, 2.5]
    assert len(launched) == 2


def test_a_written_parameter_is_noticed_by_backward():
    p = torch.ones(3, device="cuda", requires_grad=True)
    loss = (p * p).sum()
    p.grad = torch.ones_like(p)
    optim.SGD([p], lr=0.5).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_parameters_with_other_histories_take_their_own_steps(launched):
    there, here = pairs([(3,), (4,)])
    ours, theirs = optim.Adam(there, lr=0.1), optim.Adam(here, lr=0.1)
    for k in range(4):
        graded(there, here, np.random.default_rng(k))
        if k == 0:
            there[1].grad = here[1].grad = None
        ours.step()
        theirs.step()
    same(there, here)
    assert len(launched) == 1 + 2 * 3


def test_a_recorded_step_is_recorded():
    p, lr = torch.ones(3, device="cuda", requires_grad=True), torch.tensor(0.5, device="cuda", requires_grad=True)
    q = p * 1
    optimizer = optim.SGD([q], lr=lr, differentiable=True)
    q.grad = torch.full_like(q, 2.0)
    optimizer.step()
    q.sum().backward()
    assert (lr.grad.item(), p.grad.tolist()) == (-6.0, [1.0, 1.0, 1.0])


@pytest.mark.parametrize("kind", [optim.Adam, optim.NAdam, optim.ASGD])
def test_capturable_is_for_parameters_of_a_device(kind):
    there, here = pairs([(3,)])
    graded(there, here, np.random.default_rng(0))
    kind(there, capturable=True).step()
    kind(here).step()
    same(there, here)
    with pytest.raises(AssertionError, match="must be on supported devices"):
        kind(here, capturable=True).step()


@pytest.mark.parametrize("order", [2, 1, 3.5, 0.5, np.inf, 0, -1, -np.inf])
def test_gradients_are_clipped_to_a_norm_in_three_launches(order, launched):
    there, here = pairs([(3, 4), (5000,), (1,)])
    graded(there, here, np.random.default_rng(0))
    norms = [torch.nn.utils.clip_grad_norm_(params, 0.5, order) for params in (there, here)]
    assert norms[0].device == there[0].device
    assert norms[0].item() == pytest.approx(norms[1].item(), rel=1e-5)
    same([p.grad for p in there], [p.grad for p in here])
    assert launched == NORM * (order > 0) + ["covector_scaled"]
    assert [p.grad._version for p in there] == [p.grad._version for p in here]


def test_a_norm_of_many_and_of_nan(launched):
    there, here = pairs([(k % 5 + 1, 300) for k in range(400)])
    total = torch.nn.utils.get_total_norm([p.detach() for p in there])
    assert total.item() == pytest.approx(torch.nn.utils.get_total_norm([p.detach() for p in here]).item(), rel=1e-5)
    assert launched == [NORM[0]] * 3 + NORM[1:]
    bad = [torch.tensor([1.0, np.nan], device="cuda"), torch.tensor([3.0], device="cuda")]
    assert all(torch.nn.utils.get_total_norm(bad, order).isnan() for order in (1, 2, np.inf))
    with pytest.raises(RuntimeError, match="non-finite"):
        torch.nn.utils.get_total_norm(bad, error_if_nonfinite=True)


def test_a_norm_that_is_recorded_has_a_gradient():
    x = torch.tensor([3.0, 4.0], device="cuda", requires_grad=True)
    total = torch.nn.utils.get_total_norm([x])
    total.backward()
    assert total.item() == 5.0
    assert x.grad.tolist() == pytest.approx([0.6, 0.8])


def test_gradients_are_clipped_to_values_and_zeroed_in_a_launch_each(launched):
    there, here = pairs()
    graded(there, here, np.random.default_rng(0))
    for params in (there, here):
        torch.nn.utils.clip_grad_value_(params, 0.5)
    same([p.grad for p in there], [p.grad for p in here])
    there[0].grad[0, 0] = np.nan
    optim.SGD(there).zero_grad(set_to_none=False)
    assert not any(p.grad.any() for p in there)
    torch._foreach_zero_([p.grad for p in there])
    assert launched == ["covector_clip", "covector_zeros", "covector_zeros"]


def test_one_gradient_of_two_parameters_is_scaled_twice():
    there, _ = pairs([(2,), (2,)])
    there[0].grad = there[1].grad = torch.tensor([3.0, 4.0], device="cuda")
    torch.nn.utils.clip_grads_with_norm_(there, 1.0, torch.tensor(2.0, device="cuda"))
    assert there[0].grad.tolist() == pytest.approx([0.75, 1.0])
