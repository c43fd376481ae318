"""The differences from PyTorch that docs/compat_gaps.md lists: each is what it says."""

import pytest

import covector.compat.torch as torch


def test_a_write_to_the_dividend_is_legal():
    a = torch.tensor([2.0, 4.0], requires_grad=True)
    x, y = a * 1, a * 2
    z = x / y
    x.add_(1)
    z.sum().backward()
    assert a.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["div", "maximum", "minimum", "fmod"])
def test_a_write_to_the_answer_is_legal(name):
    a = torch.tensor([2.0, 4.0], requires_grad=True)
    z = getattr(torch, name)(a * 1, a * 0.3)
    expected = torch.autograd.grad(z.sum(), a, retain_graph=True)[0].tolist()
    z.mul_(2).add_(1)
    z.sum().backward()
    assert a.grad.tolist() == pytest.approx([2 * g for g in expected])


def test_a_write_through_an_expanded_base_works():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    base = a * 1
    wide = base.expand(3, 2)
    wide[0].mul_(3)
    base.sum().backward()
    assert a.grad.tolist() == [3.0, 3.0] and wide.tolist() == [[3.0, 6.0]] * 3


def test_names_of_the_surface_say_that_they_are_not_built():
    with pytest.raises(NotImplementedError, match=r"torch\.sparse_csr_tensor.*compat_gaps"):
        torch.sparse_csr_tensor
    with pytest.raises(AttributeError, match="nonsense"):
        torch.nonsense


def test_conj_is_a_copy():
    z = torch.tensor([1 + 2j])
    assert not z.conj()._is_view() and z.conj().tolist() == [1 - 2j]


def test_a_composite_operation_shows_one_node():
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    assert torch.std(x).grad_fn.next_functions[0][0].variable is x


def test_a_function_without_gradient_on_a_view_leaves_the_rest_of_the_base_alone():
    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(3)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return None

    x = torch.ones(4, requires_grad=True)
    base = x * 1
    Triple.apply(base[1:3])
    base.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 0.0, 1.0]


def test_the_second_derivative_of_a_square_is_a_constant_in_strict_mode():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    hessian = torch.autograd.functional.hessian
    with pytest.raises(RuntimeError, match="independent of input 0"):
        hessian(lambda t: (t ** 2).sum(), x, create_graph=True, strict=True)
    assert hessian(lambda t: (t ** 2).sum(), x, strict=True).tolist() == [[2.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize("name", ["det", "solve", "layer_norm"])
def test_forward_over_forward_agrees_with_differences(name):
    x = torch.tensor([[1.0, 0.3, -0.2], [0.4, 1.2, 0.1], [-0.3, 0.2, 0.9]], dtype=torch.float64)
    f = {"det": torch.linalg.det, "solve": lambda a: torch.linalg.solve(a, x).sin().sum(),
         "layer_norm": lambda a: (torch.nn.functional.layer_norm(a, (3,)) * a * a).sum()}[name]
    v = x.cos()
    second = torch.func.jvp(lambda a: torch.func.jvp(f, (a,), (v,))[1], (x,), (v,))[1].item()
    h = 1e-4
    slope = lambda s: torch.func.jvp(f, (x + s * v,), (v,))[1].item()  # noqa: E731
    assert second == pytest.approx((slope(h) - slope(-h)) / (2 * h), rel=1e-5)


def test_tensors_keep_their_level_in_a_slot():
    assert vars(torch.ones(2)) == {} and torch.trace(torch.ones(2, 2)).item() == 2.0


def test_trace_is_a_method_with_the_identity_as_gradient():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    out = x.trace()
    out.backward()
    assert out.item() == 5.0 and x.grad.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(RuntimeError, match="expected a matrix"):
        torch.ones(2).trace()
