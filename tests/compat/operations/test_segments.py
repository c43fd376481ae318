"""Segments of an axis, positions and distinct values of a size that is known before."""

from harness import double, message


def script_segments_of_an_axis(torch):
    x, found = double(torch, 1.0, 2.0, 3.0, -4.0, 5.0, 6.0).requires_grad_(), []
    for lengths in ([2, 4], [0, 6], [1, 0, 5]):
        for reduce in ("sum", "mean", "max", "min", "prod"):
            for initial in (None, 2, 0.5):
                y = torch.segment_reduce(x, reduce, lengths=torch.tensor(lengths), initial=initial)
                weights = torch.arange(1.0, len(lengths) + 1, dtype=torch.float64)
                found.append([y.detach(), *torch.autograd.grad((y * weights).sum(), x)])
    return found


def script_segments_of_rows_and_of_columns(torch):
    rows, found = torch.arange(12.0, dtype=torch.float64).reshape(2, 6).requires_grad_(), []
    columns = rows.detach().reshape(6, 2).requires_grad_()
    for reduce in ("sum", "mean", "max"):
        y = torch.segment_reduce(rows, reduce, lengths=torch.tensor([[2, 4], [3, 3]]), axis=1)
        z = torch.segment_reduce(columns, reduce, offsets=torch.tensor([0, 2, 6]))
        found += [y.detach(), z.detach(), *torch.autograd.grad(y.sum() + z.sum(), (rows, columns))]
    return found


def script_segments_that_do_not_fit(torch):
    x = torch.arange(6.0)
    return [message(f) for f in (
        lambda: torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 2])),
        lambda: torch.segment_reduce(x, "sum", lengths=torch.tensor([-1, 7])),
        lambda: torch.segment_reduce(x.view(2, 3), "sum", lengths=torch.tensor([1, 2]), axis=1),
        lambda: torch.segment_reduce(x, "median", lengths=torch.tensor([2, 4])),
        lambda: torch.segment_reduce(x, "sum"))]


def script_positions_of_a_known_number(torch):
    x = torch.tensor([[1.0, 0.0], [3.0, 2.0]])
    return [torch.nonzero_static(x, size=n, fill_value=v).contiguous() for n in (0, 2, 4) for v in (-1, 7)] + [
        torch.nonzero_static(torch.tensor(3.0), size=2), message(lambda: torch.nonzero_static(x, size=-1))]


def script_distinct_values_with_all_that_is_known_of_them(torch):
    x = torch.tensor([[3, 1], [1, 2]])
    return [torch._unique2(x, True, a, b) for a, b in ((False, False), (True, False), (True, True))]


def script_a_copy_with_one_value(torch):
    x, v = torch.ones(2, 2, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    found = [torch.fill(x, 2), torch.fill(x, v)]
    return [f.detach() for f in found], torch.autograd.grad(found[0].sum() + found[1].sum(), (x, v)), message(
        lambda: torch.fill(x, torch.ones(2)))
