"""Order along longer axes, where a part of it is sorted: the same elements as those of a whole sort."""

import pytest

from covector.compat import torch as compat
from harness import message, normal


def script_the_largest_and_the_smallest(torch):
    x, found = normal(torch, 3, 200).requires_grad_(), []
    for k, dim, largest in ((1, -1, True), (5, 1, False), (50, 1, True), (60, 1, True), (2, 0, False)):
        values, places = x.topk(k, dim, largest)
        found += [values.detach(), places, torch.autograd.grad(values.pow(3).sum(), x)[0]]
    columns = normal(torch, 200, 3)
    return found, columns.t().topk(7), columns.topk(7, 0), message(lambda: x.topk(201)), torch.func.vmap(
        lambda row: row.topk(3).values)(x.detach()), torch.func.jvp(lambda x: x.topk(3).values, (x.detach(),), (
            torch.ones(3, 200, dtype=x.dtype),))


def script_nan_is_the_largest(torch):
    x = normal(torch, 4, 100)
    x[0, 7], x[1, 3], x[2, 5] = float("nan"), float("inf"), -float("inf")
    return (x.topk(3), x.topk(3, largest=False), x.kthvalue(100), x.kthvalue(50), x.median(1), x.nanmedian(1),
            x.median(), x.nanmedian(), x.median(0), x.kthvalue(2, 0, True))


def script_integers(torch):
    x = (torch.arange(300) * 7919) % 300
    refused = [message(lambda dtype=dtype: x.to(dtype).kthvalue(5)) for dtype in (torch.bool, torch.complex64)]
    return x.topk(4), x.kthvalue(150), x.median(0), x.view(3, 100).topk(2, 1, False), x.median(), refused


def script_running_products(torch):
    x = normal(torch, 2, 30).requires_grad_()
    c = torch.tensor([[1.0, 0.0, 3.0, 2.0], [2.0, 0.0, 0.0, 4.0]], dtype=torch.float64, requires_grad=True)
    found = []
    for t, dim in ((x, 1), (x, 0), (c, 1), (c, 0)):
        y = t.cumprod(dim)
        found += [y.detach(), torch.autograd.grad(y.sum(), t)[0]]
    small = torch.tensor([2.0, 0.0, 3.0], dtype=torch.float64)
    return (found, torch.autograd.functional.hessian(lambda v: v.cumprod(0).sum(), small), torch.arange(5).cumprod(0),
            torch.tensor([True, False]).cumprod(0), torch.tensor(3.0).cumprod(0), torch.zeros(0, 3).cumprod(0),
            torch.arange(4).cumprod(0, dtype=torch.float32), torch.tensor([1 + 2j, 3j]).cumprod(0))


def script_distances_of_many_points(torch):
    x, y, found = normal(torch, 30, 5).requires_grad_(), normal(torch, 4, 5, seed=1).requires_grad_(), []
    for mode in ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
        for a, b in ((x, y), (x.reshape(2, 15, 5), y)):
            d = torch.cdist(a, b, compute_mode=mode)
            found += [d.detach(), *torch.autograd.grad(d.pow(3).sum(), (x, y))]
    gap = torch.cdist(x[:0], y), torch.cdist(torch.full((30, 2), float("nan")), torch.ones(1, 2))[:2]
    return found, gap, torch.autograd.gradgradcheck(torch.cdist, (x, y))


@pytest.mark.parametrize("k", [1, 20])
def test_the_first_of_equal_elements_comes_first(k):
    values, places = compat.tensor([3.0, 5.0] * 50).topk(k)
    assert places.tolist() == sorted(places.tolist()) and set(values.tolist()) == {5.0}


def script_running_extremes(torch):
    found = []
    x = normal(torch, 20, 30).requires_grad_()
    ties = (normal(torch, 9, 40) * 2).round() + 0.0
    odd = normal(torch, 10, 12)
    odd[0, 3], odd[1, 0], odd[2, 5], odd[3, 4] = float("nan"), float("nan"), float("inf"), -float("inf")
    odd[4, 1:4], odd[5] = 0.0, -0.0
    for name in ("cummax", "cummin"):
        for t, dim in ((x, 1), (x, 0), (ties, 1), (ties, 0), (odd, 1), (odd, 0), (ties.view(3, 3, 40), 1)):
            values, places = getattr(t, name)(dim)
            found += [values.detach().contiguous(), places.contiguous()]
            if t is x:
                found.append(torch.autograd.grad((values * values).sum(), x)[0])
        found.append(getattr(torch.arange(300).remainder(7), name)(0))
        found.append(torch.func.vmap(lambda row, name=name: getattr(row, name)(0)[1])(ties))
        found.append(torch.func.jvp(lambda t, name=name: getattr(t, name)(1)[0] ** 2, (x.detach(),), (x.detach(),))[1])
    return found


def script_extremes_of_all_that_lands_on_a_place(torch):
    found = []
    for ties in (False, True):
        x, src = normal(torch, 5, 3), normal(torch, 12, 3)
        if ties:
            x, src = x.round(), src.round()
        else:
            x[0, 0], src[3, 1], src[4, 2] = float("nan"), float("nan"), -float("inf")
        x, src = x.requires_grad_(), src.requires_grad_()
        index = torch.tensor([0, 2, 4, 2, 0, 0, 4, 2, 1, 1, 0, 4])
        for how in ("amax", "amin"):
            for own in (True, False):
                y = x.scatter_reduce(0, index[:, None].expand(12, 3), src, how, include_self=own)
                part = x.scatter_reduce(0, index[:, None].expand(12, 3)[:7, :2], src, how, include_self=own)
                found += [y.detach(), part.detach()]
                if own and ties:
                    found += [g + 0.0 for g in torch.autograd.grad((y * y).sum(), (x, src))]
    return found
