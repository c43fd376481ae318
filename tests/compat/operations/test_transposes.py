"""Transposes by attribute: of matrices, of batches, and the warnings and refusals for what is neither."""

from harness import message


def script_transposes(torch):
    torch.set_warn_always(True)
    try:
        return [(name, message(lambda: getattr(torch.ones(shape, dtype=dtype), name).shape))
                for name in ("T", "mT", "H", "mH") for shape in ((), (2,), (2, 3), (2, 3, 4))
                for dtype in (torch.float32, torch.complex64)]
    finally:
        torch.set_warn_always(False)


def script_adjoint(torch):
    x = torch.tensor([[1 + 2j, 3j]], requires_grad=True)
    (x.adjoint() @ torch.ones(1, 2, dtype=torch.complex64)).abs().sum().backward()
    return [y.tolist() for y in (x.adjoint(), x.mH, x.H)], x.grad, message(lambda: torch.ones(2).adjoint())
