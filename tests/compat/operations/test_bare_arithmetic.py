"""Arithmetic of halves and complex numbers, keys of index tensors and numbers, copies and tensors of numbers."""

import itertools

from harness import attempt, normal


def modes(torch):
    return torch.enable_grad, torch.no_grad, torch.inference_mode


def facts(t):
    return t, t.stride(), t.is_inference(), t.requires_grad


def script_arithmetic_without_history(torch):
    found = []
    x, y = normal(torch, 2, 3, seed=1), normal(torch, 2, 3, seed=2)
    functions = torch.add, torch.sub, torch.mul, torch.div, torch.maximum, torch.fmod
    for mode, fun in itertools.product(modes(torch), functions):
        with mode():
            for dtype in (torch.float16, torch.complex64, torch.complex128):
                a, b = x.to(dtype), y.to(dtype)
                others = [b, b[0], b[:, :1], 2, 0.5, True, 1e30, -3, b.t(), torch.tensor(2)]
                others += [torch.tensor(3.0, dtype=dtype)]
                others += [1j, x] if dtype.is_complex else [b.double()]
                for other in others:
                    found.append(attempt(lambda fun=fun, a=a, other=other: facts(fun(a, other))))
                found.append(attempt(lambda fun=fun, a=a, b=b: facts(fun(a.t(), b.t()))))
                found.append(attempt(lambda fun=fun, a=a: facts(fun(a[0, 0], a[0, 1]))))
    return found


def script_arithmetic_with_history(torch):
    found = []
    for dtype in (torch.float16, torch.complex64):
        x = normal(torch, 2, 3, seed=1).to(dtype).requires_grad_()
        for out in (x * x.detach(), x.detach() * x, x[0] + 2, (x.detach() * x.detach())):
            found.append((facts(out), None if out.grad_fn is None else out.grad_fn.name()))
            if out.requires_grad:
                found.append(torch.autograd.grad(out.abs().sum(), x))
    return found


def script_keys_of_index_tensors_and_numbers(torch):
    found = []
    x, k = normal(torch, 4, 5, 3, seed=1), torch.tensor([2, 0, -1])
    wide = torch.tensor([[0, 1], [3, -4]])
    keys = [(k, 1), (1, k), (k, -5), (k, 5), (k, 1, k), (wide, 1), (2, wide, 0), (k, 1, 2), (k, slice(None), 1),
            (1, slice(None), k), (slice(None), k, 1), (k, 1, ...), (..., k, 1), (k, 1, 2, 0)]
    for mode, key in itertools.product(modes(torch), keys):
        with mode():
            for t in (x, x.transpose(0, 1), x.long(), x > 0):
                found.append(attempt(lambda t=t, key=key: facts(t[key])))
                copy = t.clone()

                def write(copy=copy, key=key):
                    copy[key] = 1
                    return copy

                found.append(attempt(write))
    leaf = x.clone().requires_grad_()
    for key in keys[:4] + keys[6:8]:
        found.append(attempt(lambda key=key: (leaf[key].grad_fn.name(), torch.autograd.grad(leaf[key].sum(), leaf))))
    return found


def script_copies(torch):
    x = normal(torch, 4, 3, seed=1)
    found = []
    for t in (x, x[:, 1], x[1:1], x[0, 0], x.expand(2, 4, 3), x.long(), x[::2]):
        for mode in modes(torch):
            with mode():
                found += [facts(t.clone()), facts(torch.zeros_like(t)), facts(torch.ones_like(t)),
                          facts(torch.zeros_like(t, dtype=torch.float16)), torch.empty_like(t).stride()]
    leaf = x.clone().requires_grad_()
    return [*found, facts(torch.zeros_like(leaf)), facts(torch.ones_like(leaf, requires_grad=True))]


def script_tensors_of_numbers(torch):
    found = []
    for data in (3, 3.5, True, -(2**63), 2**63, -(2**63) - 1, 1e300, float("nan"), [1.0, 2.0], [1, 2], [True, False],
                 [1, 2.5], [True, 2], [], [[1.0]], [2**63], [1e300, 1.0], (1, 2), [1j], "a", ["a"], None,
                 [None]):
        for mode in modes(torch):
            with mode():
                found.append(attempt(lambda data=data: facts(torch.tensor(data))))
        found.append(attempt(lambda data=data: facts(torch.tensor(data, requires_grad=True))))
    torch.set_default_dtype(torch.float64)
    found += [torch.tensor(1e300), torch.tensor([0.1, 1])]
    torch.set_default_dtype(torch.float16)
    found += [torch.tensor(1e300), torch.tensor([0.1, 1.0])]
    torch.set_default_dtype(torch.float32)
    return found


def script_truth_and_places(torch):
    x, found = normal(torch, 3, 4, seed=1) > 0, []
    for t in (x, x.long(), x[:0], x[0, 0], x * 1.5):
        for fun in (torch.any, torch.all):
            found += [fun(t), attempt(lambda fun=fun, t=t: fun(t, 0)), attempt(lambda fun=fun, t=t: fun(t, -1, True))]
        for fun in (torch.argmax, torch.argmin, torch.max):
            found += [attempt(lambda fun=fun, t=t: fun(t)), attempt(lambda fun=fun, t=t: fun(t, 1, True)),
                      attempt(lambda fun=fun, t=t: fun(t, 0))]
    return found
