"""Nodes of operations that draw samples: names, operands, and gradients that are zeros."""

from harness import attempt, double


def seen(torch, fn, *leaves):
    """The name of the node of a draw, its edges, and its gradients."""
    y = fn(*leaves)
    edges = [None if node is None else type(node).__name__ for node, _ in y.grad_fn.next_functions]
    return type(y.grad_fn).__name__, edges, torch.autograd.grad(y.sum(), leaves, allow_unused=True)


def script_draws_by_their_parameters(torch):
    x, y = double(torch, 0.5, 0.25, 0.75).requires_grad_(), double(torch, 1.0, 2.0, 3.0).requires_grad_()
    one = double(torch, 2.0).requires_grad_()
    return [seen(torch, fn, *leaves) for fn, leaves in (
        (torch.bernoulli, (x,)), (lambda p: p.bernoulli(), (x,)), (torch.poisson, (y,)),
        (lambda m: torch.normal(m, 2.0), (x,)), (lambda s: torch.normal(0.0, s), (y,)), (torch.normal, (x, y)),
        (torch.normal, (x, one)), (lambda s: torch.normal(x.detach(), s), (y,)))]


def script_draws_in_place(torch):
    x, p = double(torch, 0.5, 0.25).requires_grad_(), double(torch, 0.5, 0.5)
    return [seen(torch, lambda x: fn(x.clone()), x) for fn in (
        lambda t: t.uniform_(), lambda t: t.normal_(), lambda t: t.normal_(mean=2.0), lambda t: t.exponential_(),
        lambda t: t.cauchy_(), lambda t: t.log_normal_(), lambda t: t.geometric_(0.5), lambda t: t.bernoulli_(),
        lambda t: t.bernoulli_(0.25), lambda t: t.bernoulli_(p), lambda t: t.random_(), lambda t: t.random_(5),
        lambda t: t.random_(2, 5))]


def script_draws_without_a_history(torch):
    x = double(torch, 0.5, 0.25).requires_grad_()
    with torch.no_grad():
        quiet = torch.bernoulli(x).requires_grad
    return (quiet, torch.bernoulli(x.detach()).requires_grad, torch.normal(x.detach(), 1.0).requires_grad,
            torch.rand_like(x).requires_grad, torch.multinomial(x, 1).requires_grad,
            attempt(lambda: torch.bernoulli(x, out=double(torch, 0.0, 0.0))))
