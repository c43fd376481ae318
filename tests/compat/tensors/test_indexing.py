"""Indices of tensors: lists, arrays, gather and scatter."""

from harness import double, message


def script_gather_and_scatter_of_numbers(torch):
    t, z = torch.tensor, torch.zeros(3)
    x, n = double(torch, 1.0, 2.0).requires_grad_(), t(5.0, dtype=torch.float64, requires_grad=True)
    found = [x.gather(0, t(1)), n.gather(0, t([0, 0])), n.gather(0, t(0)), z.scatter(0, t(1), t(5.0)),
             t(1.0).scatter(0, t([0]), t([5.0])), t(1.0).scatter_add(0, t([0, 0]), t([5.0, 6.0])),
             t(1.0).scatter_add(0, t(0), t(5.0)), z.scatter(0, t(1), 2.0), t(1.0).scatter(0, t(0), 2.0)]
    sum(f.sum() for f in found[:3]).backward()
    return found, x.grad, n.grad, message(lambda: n.gather(0, t([0, 1])))


def script_lists_of_indices_are_tuples_where_they_hold_more_than_numbers(torch):
    x = torch.arange(12.0).view(3, 4)
    keys = [[[0, 1]], [[0, 1], [1, 2]], [torch.tensor([0, 1]), torch.tensor([1, 2])], [slice(None), 1], [None],
            [[0, 1], 1], [(0, 1), (1, 2)], [0, [1]], [0, 1]]
    found = [x[k] for k in keys]
    x[[[0, 1]]] = torch.arange(4.0) * 100
    x[[[0, 2], [1, 3]]] = -1.0
    return found, x


def script_what_index_arrays_take_lies_in_order(torch):
    x = torch.arange(48.0, requires_grad=True)
    y = x.view(4, 3, 4)
    found = [y[:, [1, 2]], y[..., [0, 2, 3]], y[:, [1, 2], [2, 1]], y[:, :, [[0, 1], [2, 3]]]]
    sum(f.view(-1)[1:].sum() for f in found).backward()
    return [f.detach().view(-1) for f in found], [f.is_contiguous() for f in found], x.grad


def script_messages_count_the_places_of_an_index(torch):
    n, x, found = torch.zeros(()), torch.zeros(2, 3, 4), []
    for t, keys in ((n, (0, (0,), slice(1, None), (slice(1, None),), (None, 0), (..., 0))),
                    (x, (5, (5,), (None, 5), (..., 5), (..., None, 5), (0, ..., 5), (0, 5), (0, 0, 5), (None, 0, 5)))):
        for k in keys:
            found += [message(lambda: t[k]), message(lambda: t.__setitem__(k, 1.0))]
    return found, message(lambda: x.t_())
