"""Rows of docs/compat_gaps.md: sparse tensors."""

from gap_scripts.script import attempt, row


def leaf(torch):
    """A sparse leaf."""
    return torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3), requires_grad=True)


@row("gradients of sparse tensors through `mm`", [True, True, True, True], [False, False, False, False])
def the_layout_of_the_gradient(torch):
    found = []
    for f in (lambda s: s @ torch.ones(3, 1), lambda s: s.sum(), lambda s: torch.ones(2, 3) + s, lambda s: s[0].sum()):
        s = leaf(torch)
        error = attempt(lambda s=s, f=f: f(s).sum().backward())
        found.append(s.grad.is_sparse if s.grad is not None else error)
    return found


@row("gradient of a dense factor of a sparse", False, True)
def the_gradient_of_a_dense_factor(torch):
    x = torch.ones(2, 3, requires_grad=True)
    torch.sparse.sum(x * leaf(torch).detach().coalesce()).backward()
    return x.grad.is_sparse


@row("places outside of the size", "RuntimeError", 1)
def places_outside(torch):
    return attempt(lambda: torch.sparse_coo_tensor([[9]], [1.0], (2,))._nnz())


@row("class of sparse tensors", False, True)
def the_class(torch):
    return type(leaf(torch)) is torch.Tensor


@row("`momentum_buffer` of `SGD`", [False, [0.0, 2.0]], [True, [0.0, 2.0]])
def the_momentum(torch):
    w = torch.zeros(2, 1, requires_grad=True)
    optimizer = torch.optim.SGD([w], momentum=0.9)
    torch.nn.functional.embedding(torch.tensor([1, 1]), w, sparse=True).sum().backward()
    optimizer.step()
    buffer = optimizer.state[w]["momentum_buffer"]
    return [buffer.is_sparse, buffer.to_dense().reshape(-1).tolist()]
