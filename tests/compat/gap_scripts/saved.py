"""Rows of docs/compat_gaps.md: what nodes save and show, and what is done to saved tensors."""

import importlib

from gap_scripts.script import attempt, gradient, leaf, row


def packed(torch, f, *args):
    """How many tensors an operation saves."""
    seen = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (seen.append(t), t)[1], lambda t: t):
        f(*args)
    return len(seen)


@row("what a division saves", [0.0, 0.0], "RuntimeError")
def a_write_to_the_dividend(torch):
    a = leaf(torch)
    x, y = a * 1, a * 2
    z = x / y
    x.add_(1)
    return attempt(lambda: torch.autograd.grad(z.sum(), a)[0].tolist())


@row("`fmod`", 3, 2)
def what_fmod_saves(torch):
    return packed(torch, torch.fmod, leaf(torch), leaf(torch))


@row("`_saved_*` of nodes", False, True)
def a_dividend_that_is_no_leaf(torch):
    x = leaf(torch)
    return hasattr(((x * 1) / (x * 2)).grad_fn, "_saved_self")


@row("`_saved_dim` and similar attributes", 0, 2**64 - 1)
def axes_of_a_transposition(torch):
    return torch.ones(2, 3, requires_grad=True).transpose(-1, 0).grad_fn._saved_dim0


@row("`save_on_cpu`", "RuntimeError", [2.0, 4.0])
def a_write_under_save_on_cpu(torch):
    a = leaf(torch)
    x = a * 1
    with torch.autograd.graph.save_on_cpu():
        y = x * x
    x.zero_()
    return attempt(lambda: (torch.autograd.grad(y.sum(), a)[0] + a).tolist())


@row("writes by NumPy to what `allow_mutation_on_saved_tensors` keeps", "RuntimeError", 12.0)
def a_write_by_numpy_where_mutation_is_allowed(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        x = torch.ones(1, requires_grad=True)
        a = x.clone()
        y = a**3
        a.detach().numpy()[0] = 2.0
        return attempt(lambda: torch.autograd.grad(y.sum(), x)[0].item())


@row("what `softplus` of float64", False, True)
def what_softplus_saves(torch):
    return packed(torch, lambda x: torch.nn.functional.softplus(x, 2.0), leaf(torch)) == 1


@row("a checkpointed function that", [1.080605], [4.322419])
def a_write_in_a_checkpoint(torch):
    checkpoint = importlib.import_module(torch.__name__ + ".utils.checkpoint").checkpoint

    def f(x):
        y = x.exp()
        z = y * y
        y.add_(1)
        return z.sin()

    return gradient(torch, lambda x: checkpoint(f, x, use_reentrant=False), leaf(torch, 0.0))
