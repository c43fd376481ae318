"""Calls that programs make and that are easily got wrong; the expectations are PyTorch's."""

import math

import numpy as np
import pytest

import covector.compat.torch as torch


def test_as_strided_of_a_scalar():
    x = torch.tensor(3.0, requires_grad=True)
    assert x.as_strided((), (), 0) == 3.0
    (g,) = torch.autograd.grad(x.as_strided((2,), (0,), 0).sum(), x)
    assert g == 2.0


def test_the_method_split_calls_the_sizes_split_size():
    a, b = torch.arange(4).split(split_size=2)
    assert a.tolist() == [0, 1]
    assert b.tolist() == [2, 3]


def test_broadcast_tensors_of_one_shape_are_the_same_objects():
    a, b = torch.ones(2), torch.zeros(2)
    c, d = torch.broadcast_tensors(a, b)
    assert c is a
    assert d is b


def test_a_failed_cholesky_leaves_the_leading_block():
    found, info = torch.linalg.cholesky_ex(torch.tensor([[4.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 5.0, 9.0]]))
    assert info == 2
    assert found.tolist() == [[2.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 5.0, 9.0]]
    upper, _ = torch.linalg.cholesky_ex(torch.tensor([[4.0, 2.0], [0.0, 1.0]]), upper=True)
    assert upper.tolist() == [[2.0, 1.0], [0.0, 0.0]]


def test_the_cholesky_of_nan_reports_and_returns():
    found, info = torch.linalg.cholesky_ex(torch.full((2, 2), math.nan))
    assert info == 1
    assert found.isnan().sum() == 3


def test_a_size_of_integers_of_any_kind():
    found = torch.Size((torch.tensor(3), np.int64(2), True))
    assert found == (3, 2, 1)
    assert [type(n) for n in found] == [int, int, int]
    with pytest.raises(TypeError, match="item 1 is 'float'"):
        torch.Size([1, 2.0])


def test_writes_through_views_of_views():
    x = torch.arange(12.0, requires_grad=True)
    y = (x * 1.0).view(3, 4)
    y[2][-4] = 0.5  # a view of one element, without axes
    y.t()[1].mul_(3.0)
    y.view(2, 6)[0][1:3].zero_()
    y[0].view(2, 2)[1].copy_(torch.ones(2))
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 0.0, 0.0, 1.0, 3.0, 1.0, 1.0, 0.0, 3.0, 1.0, 1.0]
    assert y[2].tolist() == [0.5, 27.0, 10.0, 11.0]


def test_a_write_through_a_view_of_a_number():
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 1.0
    y.view(1).mul_(4.0)
    y.backward()
    assert (y.item(), x.grad.item()) == (8.0, 4.0)


def test_all_of_a_tensor_is_written_to_by_a_slice_and_by_an_ellipsis():
    z = torch.zeros(2, 3)
    z[:] = torch.ones(2, 3)
    assert z.tolist() == [[1.0] * 3] * 2
    z[...] = 2
    assert z.tolist() == [[2.0] * 3] * 2
    z[:] = torch.tensor([1.0, 2.0, 3.0])
    assert z.tolist() == [[1.0, 2.0, 3.0]] * 2
    one = torch.tensor(1.0)
    with pytest.raises(IndexError, match="slice\\(\\) cannot be applied to a 0-dim tensor"):
        one[:] = 2.0
    one[...] = 3.0
    assert one == 3.0


def test_nested_lists_give_arrays_of_their_own_in_the_dtype_that_is_asked_for():
    for data, dtype in (([[1.0, 2.0], [3.0, 4.0]], None), ([[1, 2], [3, 4]], None), ([[1, 2], [3, 4]], torch.float32),
                        ([[True, False]], None), ([2**53 + 1, -1], torch.float64), ([[1.5, -0.0]], torch.float64)):
        found = torch.tensor(data, dtype=dtype)
        np.testing.assert_array_equal(found.numpy(), np.array(data, None if dtype is None else found.numpy().dtype))
    assert torch.tensor([[1, 2.0]]).dtype is torch.float32
    assert torch.tensor([[], []]).shape == (2, 0)
    for ragged in ([[1, 2], [3]], [[1, 2], 3], [1, [2, 3]]):
        with pytest.raises((ValueError, TypeError)):
            torch.tensor(ragged)


def test_factories_at_once_draw_and_refuse_as_the_general_ones():
    def numbers(**named):
        torch.manual_seed(3)
        return [torch.randint(7, (3,), **named), torch.randint(-2, 7, (2, 2), **named), torch.randperm(5, **named)]

    for a, b in zip(numbers(), numbers(requires_grad=False), strict=True):
        assert torch.equal(a, b)
    p = torch.tensor([[0.25, 0.5, 0.75]])
    draws = []
    for _ in range(2):
        torch.manual_seed(4)
        draws.append([torch.bernoulli(p), torch.normal(p, 0.5), torch.normal(0.0, 1.0, (3,)), torch.rand_like(p)])
        with torch.autograd.profiler.profile():
            torch.manual_seed(4)
            draws.append([torch.bernoulli(p), torch.normal(p, 0.5), torch.normal(0.0, 1.0, (3,)), torch.rand_like(p)])
    for other in draws[1:]:
        assert all(torch.equal(a, b) for a, b in zip(draws[0], other, strict=True))
    for wrong in (lambda: torch.randint(3, 3, (2,)), lambda: torch.full((2,), 2**70), lambda: torch.full((-1,), 2.0),
                  lambda: torch.bernoulli(p + 1), lambda: torch.normal(p, -1.0), lambda: torch.linspace(0, 1, -1),
                  lambda: torch.zeros(2, generator=torch.Generator()), lambda: torch.rand(2, generator=3),
                  lambda: torch.zeros(2, dtype=torch.int64, requires_grad=True)):
        with pytest.raises((RuntimeError, TypeError, OverflowError)):
            wrong()
    assert torch.bernoulli(p.requires_grad_()).grad_fn.name() == "BernoulliBackward0"


@pytest.mark.parametrize(("size", "stride", "offset", "words"), [
    ((2,), (-1,), 2, r"as_strided: Negative strides are not supported at the moment, got strides: \[-1\]"),
    ((2,), (1, 1), 0, "as_strided: size and stride must have the same length"),
    ((2,), (1,), -1, "invalid storage offset")])
def test_as_strided_scatter_refuses_what_as_strided_does(size, stride, offset, words):
    x = torch.zeros(4)
    for call in (lambda: torch.as_strided(x, size, stride, offset),
                 lambda: torch.as_strided_scatter(x, torch.ones(2), size, stride, offset)):
        with pytest.raises(RuntimeError, match=words):
            call()


def test_bytes_are_masks_and_other_integers_without_axes_are_numbers():
    x = torch.arange(6.0).reshape(2, 3)
    yes, no = (torch.tensor(v, dtype=torch.uint8) for v in (1, 0))
    assert x[yes].tolist() == [x.tolist()] and x[no].shape == (0, 2, 3) and x[:, yes].shape == (2, 1, 3)
    assert x[np.array([0, 1], np.uint8)].tolist() == [x[1].tolist()]
    assert x[torch.tensor(1, dtype=torch.int8)].tolist() == x[1].tolist()
    y = x.clone().requires_grad_()
    z = y * 1
    z[no] = 5.0
    z[yes] += 1
    (z[yes] * x).sum().backward()
    assert z.tolist() == (x + 1).tolist() and y.grad.tolist() == x.tolist()
    written = x.index_put((torch.tensor([0, 1], dtype=torch.uint8),), torch.tensor([7.0, 8.0, 9.0]))
    assert written.tolist() == [x[0].tolist(), [7.0, 8.0, 9.0]]


@pytest.mark.parametrize("dtype, wanted", [
    (torch.float64, torch.float32), (torch.float16, torch.float32), (torch.int8, torch.int64), (torch.bool, torch.bool),
    (torch.complex128, torch.complex64)])
def test_full_takes_the_kind_of_a_tensor_and_no_more(dtype, wanted):
    one = torch.tensor(1).to(dtype)
    assert torch.full((2,), one).dtype is torch.full((), one).dtype is wanted
    assert torch.full((2,), one, dtype=torch.complex64).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match=r"full\(\): argument 'fill_value' \(position 2\) must be Number, not Tensor"):
        torch.full((2,), one[None])
