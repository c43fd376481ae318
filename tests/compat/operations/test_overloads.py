"""Calls by deprecated overloads, with a number in front of a tensor."""

import pytest

import covector.compat.torch as compat
from covector.compat.torch._impl.modes import warnings as given
from harness import attempt, double, table


def script_deprecated_overloads(torch):
    x, y = double(torch, 1.0, 2.0), double(torch, 3.0, 5.0)
    a, b = double(torch, 1.0, 2.0, 3.0, 4.0).view(2, 2), double(torch, 0.0, 1.0).expand(2, 2, 2)
    return table([
        lambda: x.add(2, y), lambda: torch.add(x, 2, y), lambda: torch.sub(x, 2, 3.0), lambda: x.clone().add_(2, y),
        lambda: x.clone().sub_(2, 3), lambda: torch.add(x, 2, y, out=torch.empty(2, dtype=torch.float64)),
        lambda: x.addcmul(2, x, y), lambda: x.clone().addcdiv_(2, x, y),
        lambda: torch.addcmul(x, 2, tensor1=x, tensor2=y),
        lambda: torch.addmm(3, a, 2, a, a), lambda: torch.addmm(3, a, a, a), lambda: a.addmm(3, 2, a, a),
        lambda: a.addmm(3, a, a), lambda: a.clone().addmm_(3, 2, a, a), lambda: torch.addmv(3, x, 2, a, x),
        lambda: x.addmv(3, a, x), lambda: torch.addr(3, a, 2, x, y), lambda: torch.addbmm(3, a, 2, b, b),
        lambda: torch.baddbmm(3, b, 2, b, b), lambda: b.clone().baddbmm_(3, 2, b, b),
    ])


def script_gradients_of_deprecated_overloads(torch):
    x, y = double(torch, 1.0, 2.0).requires_grad_(), double(torch, 3.0, 5.0).requires_grad_()
    found = []
    for f in (lambda: x.add(2, y), lambda: x.addcmul(2, x, y), lambda: (x * 1).add_(2, y)):
        for _ in range(3):
            out = f()
            found.append((out.grad_fn.name(), [g.tolist() for g in torch.autograd.grad(out.sum(), (x, y))]))
    return found


def script_what_is_no_overload(torch):
    x = double(torch, 1.0, 2.0)
    return [attempt(f)[:2] for f in (
        lambda: x.add(2, x, x), lambda: x.add_(2, "a"), lambda: x.addcmul_(2, "a", x), lambda: x.mul(2, x),
        lambda: x.add(2, x, alpha=3))]


def script_functions_do_not_take_the_overloads_of_methods(torch):
    a, x = double(torch, [1.0, 2.0], [3.0, 5.0]), double(torch, 1.0, 2.0)
    return [attempt(f)[:1] for f in (
        lambda: torch.addmm(a, 2, a, a), lambda: torch.addmm(a, 2, 3, a, a), lambda: torch.addmv(x, 2, a, x),
        lambda: torch.addr(a, 2, x, x), lambda: torch.addbmm(a, 2, a[None], a[None]),
        lambda: torch.baddbmm(a[None], 2, a[None], a[None]))]


def test_the_warning_comes_once_at_the_users_line(monkeypatch):
    monkeypatch.setattr(given, "_GIVEN", set())
    x = compat.ones(2)
    with pytest.warns(UserWarning, match=r"add_ is deprecated:\n\tadd_\(Tensor input, Number alpha") as said:
        x.add_(2, x.clone())
        x.add_(2, x.clone())
    assert [w.filename for w in said] == [__file__]


@pytest.mark.parametrize(("call", "line"), [
    (lambda: compat.sum(compat.ones(2), dims=0),
     r"\n \* \(Tensor input, tuple of ints dim, bool keepdim = .*, torch\.dtype dtype = None, Tensor out = None\)"),
    (lambda: compat.rand("a", "b"), r"torch\.dtype dtype = None, torch\.layout layout = None, .*_grad = False,"),
])
def test_ways_to_call_are_listed_in_pytorch_s_words(call, line):
    with pytest.raises(TypeError, match=line) as caught:
        call()
    assert not set("?!") & set(str(caught.value))
