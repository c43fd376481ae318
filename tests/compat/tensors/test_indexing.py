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


def index_tensors(torch, shape):
    """Indices with tensors for a shape of three axes: of places, among slices, of all axes, masks, and wrong ones."""
    t, (a, b, c) = torch.tensor, shape
    every = t([0, a - 1, 0]), t([b - 1, 0, b - 1]), t([0, c - 1, 0])
    mask = (torch.arange(a * b * c) % 3 == 0).reshape(shape)
    return [t([0, -1, 0]), t([[0], [a - 1]]), t([0, a]), torch.zeros(0, dtype=torch.long), every, every[:2],
            (every[0], -every[1], every[2]), (t([[0], [a - 1]]), *every[1:]), (every[0], every[1] + 9, every[2]), mask,
            mask[:, 0, 0], mask[0], (slice(None), every[1]), (..., every[2]), (every[0], ...), (slice(0, 1), every[1]),
            (None, every[0]), (every[0], slice(0, 1)), (every[0], 0), (every[0], t(0)), (*[slice(None)] * 3, every[0])]


def script_histories_of_index_tensors(torch):
    x, found = double(torch, *[k / 4 for k in range(24)]).view(4, 3, 2).requires_grad_(), []
    y = x * 2
    for v in (x, y.transpose(0, 1), y[1:]):
        for index in index_tensors(torch, v.shape):
            def taken():
                part = v[index]
                slope, = torch.autograd.grad((part * part * part).sum(), v, create_graph=True)
                twice, = torch.autograd.grad(slope.sum(), v)
                name = part.grad_fn.name()
                return part.detach(), part.is_contiguous(), name, part._is_view(), slope.detach().norm(), twice.norm()
            found.append(message(lambda: found.append(taken())))
    return found


def script_index_tensor_written_to_before_the_backward_pass(torch):
    found = []
    for key in (lambda k: k, lambda k: (slice(None), k)):
        x, k = torch.ones(3, 3, requires_grad=True), torch.tensor([0, 2])
        y = (x * 1)[key(k)]
        k.add_(0)
        found.append(message(lambda: y.sum().backward())[:60])
    return found


def script_writes_at_index_tensors(torch):
    found = []
    for dtype in (torch.float64, torch.int64, torch.bool, torch.complex64):
        for k, index in enumerate(index_tensors(torch, (4, 3, 2))):
            if k in (2, 8):
                continue  # out of bounds: PyTorch writes before it sees that
            x = torch.zeros(4, 3, 2, dtype=dtype)
            for value in (1, 2.5, torch.ones((), dtype=dtype), torch.ones(2, dtype=dtype), float("inf")):
                found += [message(lambda: x.__setitem__(index, value)), x.sum().item(), x._version]
                x.zero_()
    return found


def script_writes_in_place_run_programs(torch):
    t, found = torch.tensor, []
    places, mask = t([0, 2]), t([[True], [False], [True]])
    for dtype in (torch.float64, torch.int64, torch.complex64):
        row = torch.ones(2, 2).to(dtype)
        for write in (lambda x: x.index_fill_(0, places, 3), lambda x: x.index_add_(0, places, row),
                      lambda x: x.index_copy_(0, places, row), lambda x: x.scatter_(0, places[None], row),
                      lambda x: x.masked_fill_(mask, 2), lambda x: x.index_put_((places,), row),
                      lambda x: x.index_put_((None, t([1])), row[:1, :1]), lambda x: x.clamp_(0, 1),
                      lambda x: x.index_add_(0, t([5, 0]), row), lambda x: x.masked_fill_(mask, 2.5),
                      lambda x: x.scatter_add_(0, places[None], x[:1]), lambda x: x.scatter_(0, places[None], x.t())):
            for _ in range(3):
                x = torch.arange(6).view(3, 2).to(dtype)
                found += [message(lambda: write(x) is x), x, x._version]
    return found
