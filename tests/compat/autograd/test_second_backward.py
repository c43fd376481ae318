"""A second backward pass: where numbers and masks of the call are all that an operation holds, nothing is freed."""


def leaf(torch, *shape):
    count = 1
    for n in shape:
        count *= n
    return torch.arange(1.0, 1.0 + count, dtype=torch.float64).reshape(shape).requires_grad_()


def twice(f, *leaves):
    """The gradients of two passes over each of three calls, of which the last ones are programs."""
    found = []
    for _ in range(3):
        out = f(*leaves)
        out = out.real if out.is_complex() else out
        seen = []
        for _ in range(2):
            out.backward(out.detach())
            seen += [x.grad for x in leaves]
            for x in leaves:
                x.grad = None
        found.append([out.grad_fn.name(), out.detach(), *seen])
    return found


def script_numbers(torch):
    """A factor of a sum, a weight, a width, a unit of angles."""
    x, y, m = leaf(torch, 3, 3), leaf(torch, 3, 3), torch.ones(3, 3, dtype=torch.float64)
    v = leaf(torch, 3)
    return [
        twice(lambda x, y: torch.add(x, y, alpha=2), x, y), twice(lambda x, y: torch.sub(x, y, alpha=0.3), x, y),
        twice(lambda x, y: torch.rsub(x, y, alpha=3), x, y), twice(lambda x, y: torch.lerp(x, y, 0.3), x, y),
        twice(lambda x, y: x.clone().add_(y, alpha=2), x, y), twice(lambda x, y: x.clone().sub_(y, alpha=2), x, y),
        twice(lambda x, y: x.clone().lerp_(y, 0.2), x, y), twice(torch.deg2rad, x), twice(torch.rad2deg, x),
        twice(torch.trapezoid, x), twice(lambda x: torch.trapezoid(x, dx=0.3), x),
        twice(lambda x: torch.gradient(x)[0], x), twice(lambda x: torch.gradient(x, spacing=0.3, edge_order=2)[1], x),
        twice(lambda x: torch.addmm(x, m, m, beta=2, alpha=3), x), twice(lambda v: torch.addmv(v, m, m[0], beta=3), v),
        twice(lambda x: torch.addr(x, m[0], m[0], alpha=3, beta=2), x),
        twice(lambda x: torch.addbmm(x, m[None], m[None], beta=0.5), x),
        twice(lambda x: torch.add(x.to(torch.complex128), x.to(torch.complex128), alpha=1 - 2j).real, x),
    ]


def script_parts(torch):
    """Triangles, diagonals, products of sets."""
    x, v, w = leaf(torch, 3, 4), leaf(torch, 3), leaf(torch, 2)
    return [
        twice(torch.tril, x), twice(lambda x: torch.triu(x, 1), x), twice(lambda x: x.clone().tril_(-1), x),
        twice(lambda x: x.clone().triu_(), x), twice(lambda x, v: torch.diagonal_scatter(x, v), x, v),
        twice(lambda x, w: torch.diagonal_scatter(x, w, 2), x, w),
        twice(lambda x, w: torch.diagonal_scatter(x.T, w, -2), x, w),
        twice(lambda x, w: torch.diagonal_scatter(x.reshape(2, 2, 3), w.expand(2, 2), 0, 2, 0).sum(1), x, w),
        twice(lambda v, w: torch.cartesian_prod(v, w), v, w), twice(lambda v: torch.cartesian_prod(v, v, v), v),
        twice(lambda x: torch.lu_unpack(x[:, :3], torch.tensor([1, 2, 3], dtype=torch.int32))[1], x),
        twice(lambda x: torch.lu_unpack(x[:, :3], torch.tensor([1, 2, 3], dtype=torch.int32))[2], x),
    ]


def script_hooks_see_no_numbers(torch):
    """Saved-tensor hooks are not given what the call has besides tensors."""
    seen = []

    def pack(x):
        seen.append(tuple(x.shape))
        return x

    x = leaf(torch, 3, 4)
    for _ in range(3):
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
            torch.add(x, x, alpha=2)
            torch.lerp(x, x, 0.3)
            torch.deg2rad(x)
            torch.trapezoid(x, dx=0.5)
            x.tril()
            x.clone().tril_()
            x.clone().add_(x, alpha=3)
            torch.diagonal_scatter(x, x[0, :3])
    return seen


def script_diagonals_without_elements(torch):
    """A diagonal of no elements is in the history."""
    x, v = leaf(torch, 2, 3), torch.zeros(0, dtype=torch.float64, requires_grad=True)
    torch.diagonal_scatter(x, v, 4).sum().backward()
    return [x.grad, v.grad]


def script_a_second_pass_over_operands(torch):
    """What tensors a node saved is freed."""
    x, m = leaf(torch, 3, 3), torch.full((3, 3), 2.0, dtype=torch.float64)
    found = []
    for f in (lambda: x * 2.0, lambda: torch.lerp(x, m, m), lambda: torch.trapezoid(x, m),
              lambda: torch.addmm(m, x, m, alpha=2)):
        out = f()
        out.sum().backward()
        try:
            out.sum().backward()
        except RuntimeError as error:
            found.append(str(error)[:55])
    return found
