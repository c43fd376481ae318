"""Views and writes in place in each mode and in each form of a call: memory, versions, nodes, gradients, errors."""

import contextlib

import pytest

from covector.compat import torch as compat
from harness import attempt, message, normal

VIEWS = {
    "view": lambda torch, t: (t.view(-1), t.view(2, -1), t.view((3, 4)), t.view([12]), t.view(torch.Size([4, 3]))),
    "reshape": lambda torch, t: (t.reshape(-1), torch.reshape(t, (2, 6)), torch.reshape(t, [-1]), t.reshape(3, 4)),
    "flatten": lambda torch, t: (t.flatten(), torch.flatten(t), t[None].flatten(1), t[None].flatten(0, 1), t.ravel()),
    "turned": lambda torch, t: (t.T, t.mT, t.t(), t.transpose(0, 1), torch.transpose(t, -1, 0), t.swapaxes(1, 0)),
    "permuted": lambda torch, t: (t.permute(1, 0), torch.permute(t, (-1, 0)), t.permute([0, 1]), t.movedim(0, 1),
                                  t[None].movedim((0, 1), (1, 2)), torch.movedim(t, 1, 0)),
    "expanded": lambda torch, t: (t.expand(2, 3, 4), t.expand(-1, 4), t[:, :1].expand(3, 5), t.expand((1, 3, 4))),
    "axes": lambda torch, t: (t.unsqueeze(0), torch.unsqueeze(t, -1), t.unsqueeze(dim=1), t[None].squeeze(),
                              t[None].squeeze(0), torch.squeeze(t[:, None], 1), t[None].squeeze((0, 1)), t.squeeze(1)),
    "parts": lambda torch, t: (*t.unbind(), *torch.unbind(t, 1), *t.split(2), *t.split([1, 2]), *t.chunk(2, 1),
                               *torch.split(t, 3, dim=1), *torch.chunk(t, 2), *t.split(5)),
    "picked": lambda torch, t: (t.select(0, 1), torch.select(t, 1, -1), t.narrow(0, 1, 2), torch.narrow(t, 1, -3, 2),
                                t[1], t[-1], t[1:], t[:, 1], t[0, 2], t[..., 0], t[None], t[:, None], t[::2, 1:3],
                                t[...]),
    "strided": lambda torch, t: (t.diagonal(), t.diagonal(1), torch.diagonal(t, -1, 1, 0), t.unfold(1, 2, 2),
                                 t.unfold(0, 2, 1), t.T.diagonal(2)),
}


def modes(torch):
    return {"recorded": contextlib.nullcontext, "no_grad": torch.no_grad, "inference": torch.inference_mode}


def facts(t, base):
    return [t.detach(), t.stride(), t.storage_offset(), t._is_view(), t._base is base, t.requires_grad,
            None if t.is_inference() else t._version, None if t.grad_fn is None else t.grad_fn.name()]


def script_views_in_each_mode(torch):
    found = []
    for make in (lambda x: x * 1.0, lambda x: (x * 1.0).T.contiguous().T, lambda x: torch.arange(12).reshape(3, 4)):
        for name, mode in modes(torch).items():
            x = normal(torch, 3, 4).requires_grad_()
            with mode():
                t = make(x)
                for views in VIEWS.values():
                    try:
                        made = views(torch, t)
                    except RuntimeError as error:  # a view of what does not lie in order
                        found.append(str(error).partition("(")[0])
                        continue
                    found += [facts(v, t) for v in made]
                    if name == "recorded" and t.requires_grad:
                        found.append(torch.autograd.grad(sum(v.pow(2).sum() for v in made), x,
                                                         retain_graph=True)[0].contiguous())
    return found


def script_views_at_levels(torch):
    x = normal(torch, 2, 3, 4)
    found = []
    for views in VIEWS.values():
        def loss(t, views=views):
            return sum(v.sin().sum() for v in views(torch, t))

        found += [torch.func.grad(loss)(x[0]).contiguous(), torch.func.vmap(loss)(x),
                  torch.func.vmap(torch.func.grad(loss))(x).contiguous(),
                  torch.func.jvp(loss, (x[0],), (x[1],))[1]]
    return found


def script_calls_that_are_refused(torch):
    t = torch.arange(12.0).reshape(3, 4)
    calls = (lambda: t.view(5, -1), lambda: t.view(-1, -1), lambda: t.T.view(-1), lambda: t.reshape(7),
             lambda: t.transpose(0, 2), lambda: t.permute(0, 0), lambda: t[None].t(), lambda: t.expand(2, 2),
             lambda: t.expand(-1, 3, 4), lambda: t.unsqueeze(3), lambda: t.squeeze(-3), lambda: t.select(0, 3),
             lambda: t[0, 0].select(0, 0), lambda: t.narrow(0, 2, 2), lambda: t.narrow(1, 5, 1), lambda: t.chunk(0),
             lambda: t.split([1, 1]), lambda: t[0, 0].unbind(), lambda: t.movedim((0, 1), (0, 0)),
             lambda: t.diagonal(0, 1, 1), lambda: t.unfold(0, 4, 1), lambda: t.flatten(1, 0), lambda: t[3],
             lambda: t[0, 4])
    return [message(call) for call in calls]


WRITES = {
    "numbers": lambda torch, t, v: t.add_(1.5).mul_(0.5).sub_(1).div_(2.0),
    "tensors": lambda torch, t, v: t.add_(v).mul_(v).sub_(v[:1]).div_(v + 3.0),
    "operators": lambda torch, t, v: [t.__iadd__(v), t.__imul__(2.0), t.__isub__(v), t.__itruediv__(2)],
    "unary": lambda torch, t, v: t.neg_().exp_().sin_().relu_().sigmoid_().tanh_().neg_(),
    "limits": lambda torch, t, v: t.clamp_(-0.5, 1).clip_(-0.25, 0.5).clamp_(min=-0.125),
    "filled": lambda torch, t, v: t.fill_(2.0).mul_(v),
    "filled by an int": lambda torch, t, v: t.fill_(3),
    "zeroed": lambda torch, t, v: t.zero_().add_(v),
    "copied": lambda torch, t, v: t.copy_(v).mul_(t.detach().clone()),
    "placed": lambda torch, t, v: [t.__setitem__(0, 0.5), t.__setitem__((slice(None), 1), v[:, 0]),
                                   t.__setitem__((1, 2), torch.tensor([3.0], dtype=t.dtype)),
                                   t.__setitem__((2, 1), v[0, 0]), t.__setitem__(-1, v[1])],
    "placed everywhere": lambda torch, t, v: [t.__setitem__(..., v), t.mul_(2.0), t.__setitem__(slice(None), v[0])],
    "part of itself": lambda torch, t, v: [t[0].add_(v[0]), t.__setitem__(1, t[1].add_(1.0)), t[:, 1].neg_(),
                                           t[1].copy_(v[1]), t[2].fill_(0.5), t.view(-1)[2:5].zero_()],
}


def script_writes_in_each_mode(torch):
    found = []
    for dtype in (torch.float64, torch.float32):
        for name, mode in modes(torch).items():
            for write in WRITES.values():
                for gradient in (False, True):
                    x = normal(torch, 3, 4, dtype=dtype).requires_grad_()
                    v = normal(torch, 3, 4, seed=1, dtype=dtype).abs().requires_grad_(gradient)
                    with mode():
                        t = x * 1.0
                        write(torch, t, v)
                        found.append(facts(t, t))
                    if name == "recorded":
                        inputs = (x, v) if gradient else (x,)
                        found.append(attempt(lambda t=t, inputs=inputs: list(torch.autograd.grad(
                            t.pow(2).sum(), inputs, allow_unused=True))))
    return found


def script_what_was_kept_is_missed(torch):
    found = []
    for write in (lambda y: y.neg_(), lambda y: y.fill_(1.0), lambda y: y.zero_(), lambda y: y.copy_(y.detach() + 1.0),
                  lambda y: y.relu_(), lambda y: y.clamp_(0.0, 1.0)):
        x = normal(torch, 3).requires_grad_()
        y = x.exp()
        write(y)
        found.append(message(lambda y=y: y.sum().backward()).partition(":")[0])
        y = (x * 2.0).exp_()
        y.sum().backward()
        found += [x.grad, y.grad_fn.name()]
    return found


def script_elements_as_numbers(torch):
    t = torch.arange(6).reshape(2, 3)
    return [[t.to(d)[1, 2].item(), t.to(d)[:1, :1].item(), t.to(d)[1, 0].requires_grad] for d in (
        torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool)], message(
        lambda: t.item()), message(lambda: t[:0].item())


@pytest.mark.parametrize("write", ["exp_", "sigmoid_", "neg_"])
def test_windows_that_overlap_are_not_written_to_in_inference_mode(write):
    with compat.inference_mode():
        windows = compat.arange(6.0).unfold(0, 2, 1)
        for t in (windows, windows[1:]):
            with pytest.raises(RuntimeError, match="single memory location"):
                getattr(t, write)()


def test_arguments_that_are_equal_have_plans_of_their_own():
    t = compat.ones(4, 5)
    assert t.movedim((0, 1), (1, 0)).shape == (5, 4)
    assert compat.ones(4, 5, 2).movedim((0, 1), (1, 0)).shape == (5, 4, 2)
    assert [t.unsqueeze(1).shape, compat.ones(5, 4).unsqueeze(1).shape] == [(4, 1, 5), (5, 1, 4)]
    assert [t.select(0, 1).dtype, t.double().select(0, 1).dtype] == [compat.float32, compat.float64]


def test_plans_that_are_many_stay_right():
    t = compat.arange(600.0)
    assert [t.select(0, i).item() for i in range(600)] == list(range(600))
    assert [t.narrow(0, i, 2)[1].item() for i in range(598)] == list(range(1, 599))
