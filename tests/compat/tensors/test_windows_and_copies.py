"""Copies in another order or shape, windows, parts: values, memory, nodes, histories in each mode."""

import numpy as np
import pytest

from covector.compat import torch as compat
from harness import message, normal


def script_copies_in_the_order_of_the_axes(torch):
    x, found = normal(torch, 3, 4, 5).requires_grad_(), []
    for t in (x, (x * 1).transpose(0, 2), x.permute(1, 2, 0)[1:]):
        y = t.contiguous()
        found += [y.detach(), y.stride(), y.is_contiguous(), y.grad_fn.name() if y.grad_fn else None,
                  torch.autograd.grad(y.pow(2).sum(), x)[0].contiguous()]
        with torch.no_grad():
            z = t.contiguous()
        with torch.inference_mode():
            found += [z.requires_grad, t.contiguous().is_inference()]
    return found


def script_shapes_that_need_a_copy(torch):
    x, found = normal(torch, 3, 4).requires_grad_(), []
    for shape in ((12,), (2, -1), (-1, 3), (2, 2, 3)):
        y = x.t().reshape(shape)
        slope = torch.autograd.grad(y.pow(2).sum(), x)[0].contiguous()
        found += [y.detach(), y.stride(), y._is_view(), y.grad_fn.name(), slope]
        y.detach().zero_()
    return found, x.detach(), message(lambda: x.t().reshape(5, -1)), torch.func.vmap(
        lambda row: row.reshape(2, 2))(x.detach())


def script_raveled(torch):
    x, found = normal(torch, 3, 4).requires_grad_(), []
    for t in (x, x * 1, x.t(), x[:, 1], (x * 1)[0]):
        y = t.ravel()
        found += [y.detach(), y.stride(), y._is_view(), torch.autograd.grad(y.pow(2).sum(), x)[0].contiguous()]
    return found


def script_index_tensors_in_each_mode(torch):
    found = []
    for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64):
        t = torch.arange(6).reshape(3, 2).to(dtype)
        for mode in (torch.enable_grad, torch.no_grad, torch.inference_mode):
            with mode():
                for x in (t, t.clone(), t.t(), t.clone().t()):
                    for y in (x[torch.tensor([1, 0])], x[x != 0], x[torch.tensor(1)], x[torch.tensor([[0]])]):
                        found += [y.to(torch.complex64).real, y.is_inference(), y._is_view(), y.requires_grad]
    return found


def script_windows(torch):
    x, found = normal(torch, 2, 3, 4).requires_grad_(), []

    def seen(w):
        slope = torch.autograd.grad(w.pow(2).sum(), x)[0].contiguous()
        return w.detach(), w.stride(), w.storage_offset(), slope

    for arguments in ((0, 1, 1), (1, 2, 1), (2, 2, 2), (-1, 3, 1), (2, 4, 1), (0, 2, 5)):
        for t in (x * 1, (x * 1).transpose(0, 2)[1:]):
            found.append(message(lambda t=t, arguments=arguments: seen(t.unfold(*arguments))))
    y = torch.zeros(6)
    w = y.unfold(0, 2, 2)
    w[1] = 5.0
    return (found, y, w, w._base is y, y._version, torch.zeros(0, 3).unfold(1, 2, 1).shape,
            torch.tensor(3.0).unfold(0, 1, 1), torch.tensor(3.0).unfold(0, 0, 1), message(lambda: x.unfold(1, 4, 1)))


def script_parts_and_their_views(torch):
    x = normal(torch, 3, 4).requires_grad_()
    writes = (lambda y, a, v, w: None, lambda y, a, v, w: w.add_(1), lambda y, a, v, w: y.add_(1),
              lambda y, a, v, w: a.mul_(2), lambda y, a, v, w: v[0].chunk(2)[0].zero_())
    found = []
    for write in writes:
        y = x * 1
        a = y.unbind(0)[0]
        v = a.view(2, 2)
        w = v.transpose(0, 1)[0]
        found.append(message(lambda y=y, a=a, v=v, w=w, write=write: write(y, a, v, w)))
        found.append(message(lambda v=v, w=w: [v.grad_fn.name(), w.grad_fn.name(), w._base is v._base]))
    z = x.split([1, 2], 0)[1].view(-1)[2:] * x.chunk(2, 1)[1].reshape(-1)
    found.append(torch.autograd.grad(z.sum(), x)[0])
    y = (x * 2).split(1)[0]
    with torch.no_grad():
        d = y.view(4)
    return (found, message(lambda: d.add_(1)), message(lambda: x.split([1.0, 2])), message(lambda: x.split([1, 1])),
            [part.detach() for part in x.split([0, 3])], torch.fliplr(x).grad_fn.name(), torch.flipud(x).grad_fn.name())


@pytest.mark.parametrize("dtype", [compat.float32, compat.float64, compat.float16])
def test_dropout_keeps_its_share_and_its_order_in_memory(dtype):
    compat.manual_seed(0)
    x = compat.ones(200, 300, dtype=dtype).t().requires_grad_()
    y = compat.nn.functional.dropout(x, 0.25)
    kept = (y != 0).float().mean().item()
    assert abs(kept - 0.75) < 0.01 and y.dtype == dtype and y.stride() == x.stride()
    assert np.unique(y.detach().numpy()).size == 2
    y.sum().backward()
    assert compat.equal(x.grad, y.detach())
