"""Operations in place by what the operation gives: contents, histories and refusals are the general path's."""

import itertools

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.state import plain

WRITES = {
    "exp_": lambda t, u, i: t.exp_(), "sqrt_": lambda t, u, i: t.sqrt_(), "relu_": lambda t, u, i: t.relu_(),
    "sigmoid_": lambda t, u, i: t.sigmoid_(), "neg_": lambda t, u, i: t.neg_(), "abs_": lambda t, u, i: t.abs_(),
    "clamp_": lambda t, u, i: t.clamp_(-0.5, max=0.5), "clamp_ by tensors": lambda t, u, i: t.clamp_(u, u + 1),
    "mul_": lambda t, u, i: t.mul_(u), "div_": lambda t, u, i: t.div_(u), "pow_": lambda t, u, i: t.pow_(2),
    "sub_": lambda t, u, i: t.sub_(u, alpha=2), "masked_fill_": lambda t, u, i: t.masked_fill_(u > 0, 3.0),
    "scatter_": lambda t, u, i: t.scatter_(1, i, u), "scatter_add_": lambda t, u, i: t.scatter_add_(1, i, u),
    "index_add_": lambda t, u, i: t.index_add_(0, i[:, 0], u), "index_copy_": lambda t, u, i: t.index_copy_(
        0, i[:, 0], u), "lerp_": lambda t, u, i: t.lerp_(u, 0.25), "addcmul_": lambda t, u, i: t.addcmul_(u, u),
    "tril_": lambda t, u, i: t.tril_(), "floor_": lambda t, u, i: t.floor_(), "cumsum_": lambda t, u, i: t.cumsum_(0),
    "atan2_": lambda t, u, i: t.atan2_(u), "remainder_": lambda t, u, i: t.remainder_(0.75),
}


@pytest.fixture(params=["by what it gives", "by the general path"])
def road(request):
    plain.OPEN[0] = request.param == "by what it gives"
    yield
    plain.OPEN[0] = True


def given(dtype=torch.float64):
    rng = np.random.default_rng(0)
    t, u = (torch.tensor(np.abs(rng.normal(size=(3, 3))) + 0.1, dtype=dtype) for _ in range(2))
    return t, u, torch.tensor([[0, 2, 1], [1, 0, 2], [2, 1, 0]])


def state(t):
    node = t.grad_fn
    return t.detach().numpy().copy(), t._version, t.requires_grad, None if node is None else node.name()


def outcome(run):
    """What a function gives in each of three runs by what operations give, and by the general path."""
    found = []
    for plain.OPEN[0] in (False, True):
        for _ in range(3):
            try:
                found.append(run())
            except (RuntimeError, TypeError, NotImplementedError) as error:
                found.append(type(error).__name__ + str(error))
    return found


def agree(found):
    for one in found[1:]:
        np.testing.assert_equal(one, found[0])


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_of_plain_tensors(name, dtype):
    def run():
        t, u, i = given(dtype)
        out = WRITES[name](t, u, i)
        assert out is t
        return state(t)

    agree(outcome(run))


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("which", ["tensor", "operand", "both"])
def test_of_recorded_ones(name, which):
    def run():
        t, u, i = given()
        x = t.requires_grad_(which != "operand")
        y = u.requires_grad_(which != "tensor")
        a, seen = x * 2, []
        WRITES[name](a, y, i)
        seen.append(state(a))
        if a.requires_grad:
            (a * a).sum().backward()
            seen += [None if v.grad is None else v.grad.numpy() for v in (x, y)]
        return seen

    found = outcome(run)
    if isinstance(found[0], str):
        assert len(set(found)) == 1
        return
    for one in found[1:]:
        np.testing.assert_equal(one[0], found[0][0])
        for a, b in itertools.zip_longest(one[1:], found[0][1:]):
            assert (a is None) is (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("name", ["exp_", "mul_", "masked_fill_", "clamp_", "scatter_"])
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_where_nothing_is_recorded(name, mode):
    def run():
        t, u, i = given()
        w = t.requires_grad_()
        part = (w * 1)[1:]
        with mode():
            WRITES[name](w, u, i)
            WRITES[name](part, u[1:], i[1:])
            fresh = torch.ones(3, 3, dtype=torch.float64)
            WRITES[name](fresh, u, i)
        return state(w), state(part), fresh.clone().numpy(), fresh.is_inference()

    agree(outcome(run))


def test_views_turned_memory_and_numpys_arrays():
    def run():
        t, u, _ = given()
        t[1].exp_(), t.t().mul_(u), t[:, 1].neg_(), t.t()[0].sigmoid_(), t.view(-1)[::2].abs_()
        array = t.numpy()
        t.neg_(), t[0].clamp_(-1, 1)
        return state(t), array.copy(), t.expand(2, 3, 3).relu_()

    agree(outcome(run))


def test_memory_that_an_operand_shares():
    def run():
        t, _, i = given()
        t.mul_(t), t.pow_(t.view(3, 3)), t.scatter_(1, i, t)
        wrong = []
        for other in (t.t(), t.view(-1)[:3]):
            with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
                t.addcmul_(other, other)
            wrong.append(state(t))
        return wrong

    agree(outcome(run))


def test_an_operand_that_is_the_tensor_itself_is_seen_to_be_written_to(road):
    x = torch.arange(1.0, 4.0, requires_grad=True)
    y = x * 1
    y.mul_(y)
    assert y.tolist() == [1.0, 4.0, 9.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_saved_output_that_is_written_to_is_noticed(road):
    x = torch.ones(3, requires_grad=True)
    y = (x * 1).exp_()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    y = (x * 1).relu_()
    z = y * y
    y.sigmoid_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_hooks_retained_gradients_and_leaves(road):
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        x.exp_()
    y, seen = x * 2, []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.retain_grad()
    y.pow_(3)
    y.sum().backward()
    assert seen == [[12.0] * 3]
    assert y.grad.tolist() == [1.0] * 3
    assert x.grad.tolist() == [24.0] * 3


def test_views_follow_their_base(road):
    x = torch.arange(4.0, requires_grad=True)
    y = x * 1
    part = y[1:]
    y.pow_(2)
    part.sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 4.0, 6.0]


def test_arguments_that_do_not_fit_are_refused(road):
    x = torch.ones(3)
    for call in (lambda: x.clamp_(out=torch.ones(3)), lambda: x.exp_(1), lambda: x.mul_(torch.ones(2)),
                 lambda: x.lerp_(torch.ones(3), nothing=1)):
        with pytest.raises((RuntimeError, TypeError)):
            call()
    assert x.tolist() == [1.0] * 3


@pytest.mark.parametrize("call", [
    lambda z: z.normal_(), lambda z: z.normal_(1, std=0.5), lambda z: z.uniform_(), lambda z: z.uniform_(-1, to=1),
    lambda z: z.bernoulli_(0.5), lambda z: z.exponential_(2), lambda z: z.random_(3), lambda z: z.random_(2, 9),
    lambda z: z.cauchy_(), lambda z: z.geometric_(0.5), lambda z: z.log_normal_(), lambda z: z.t().normal_(),
    lambda z: z.uniform_(to=0.5, generator=torch.Generator().manual_seed(3)), lambda z: z.normal_(std=-1),
    lambda z: z.uniform_(nothing=1), lambda z: z.normal_(True), lambda z: z.random_(2.5), lambda z: z[1].normal_()])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64])
def test_random_numbers_in_place(call, dtype):
    def run():
        torch.manual_seed(5)
        z = torch.zeros(3, 4, dtype=dtype)
        call(z)
        return z.double().numpy(), z._version, torch.rand(1).item()

    agree(outcome(run))
