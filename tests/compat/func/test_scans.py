"""torch._higher_order_ops.associative_scan: all partial results of an associative function."""

import importlib

from harness import attempt, double


def scanner(torch):
    name = f"{torch.__name__}._higher_order_ops.associative_scan"
    scan = importlib.import_module(name).associative_scan
    return lambda *args, **options: scan(*args, **{"combine_mode": "generic"} | options)


def recurrence(a, b):
    """The composition of x -> a[0] * x + a[1] and x -> b[0] * x + b[1]."""
    return a[0] * b[0], a[1] * b[0] + b[1]


def script_scans(torch):
    scan = scanner(torch)
    out = []
    for n in (1, 2, 3, 4, 7, 8):
        x = torch.arange(1.0, 2 * n + 1).reshape(n, 2) / 3
        out += [scan(lambda a, b: a * b, x, dim=0, reverse=r) for r in (False, True)]
        out += [scan(torch.maximum, x.T, dim=d, reverse=True) for d in (1, -1)]
        out += [scan(recurrence, (x, x.flip(0)), 0, reverse=r) for r in (False, True)]
        out.append(scan(lambda a, b: {"m": a["m"] @ b["m"]}, {"m": torch.stack([x.T @ x, x.T @ x + 1])}, 0)["m"])
    return out


def script_gradients_of_a_scan(torch):
    scan = scanner(torch)
    x = torch.arange(1.0, 11.0, dtype=torch.float64).reshape(5, 2).div(7).requires_grad_()
    loss = (scan(recurrence, (x.sin(), x), 0)[1] ** 2).sum()
    first, = torch.autograd.grad(loss, x, create_graph=True)
    return loss.detach(), first.detach(), torch.autograd.grad(first.sum(), x)[0]


def script_refused_scans(torch):
    scan = scanner(torch)
    x = double(torch, 1, 2)
    return [attempt(lambda: scan(torch.add, x, 0, combine_mode="both")),
            attempt(lambda: scan(torch.add, x, 0, combine_mode="pointwise"))]
