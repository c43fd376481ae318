"""Changes of shape in place (`t_`, `squeeze_`, `resize_`, …): histories, views made before, hooks, strides."""

from harness import attempt

METHODS = {"t_": (), "transpose_": (0, 1), "transpose_ ": (-2, -1), "swapaxes_": (0, 1), "swapdims_": (1, 0),
           "squeeze_": (), "squeeze_ ": (0,), "squeeze_  ": ((0, 1),), "unsqueeze_": (0,), "unsqueeze_ ": (-1,)}


def facts(t):
    fn = t.grad_fn
    return (t, t.storage_offset(), t._version, t._is_view(), None if fn is None else
            [type(f).__name__ for f, _ in fn.next_functions])


def leaf(torch):
    return torch.arange(1.0, 7.0).reshape(2, 3).clone().requires_grad_()


def script_of_tensors_with_and_without_a_history(torch):
    out = []
    for name, args in METHODS.items():
        for make in (lambda x: x * 1, lambda x: (x * 1)[:1], lambda x: x.detach(), lambda x: (x * 1)[0].view(1, 3),
                     lambda x: x, lambda x: x.t()):
            x = leaf(torch)
            t = make(x)
            same = attempt(lambda: getattr(t, name.strip())(*args) is t)
            out.append((same, facts(t)))
            if t.requires_grad:
                (t * torch.arange(1.0, 1 + t.numel()).reshape(t.shape)).sum().backward()
            out.append(x.grad)
    return out


def script_of_strides_in_place(torch):
    """Views see any elements of their base, tensors with a history the same ones in another order."""
    out, factors = [], torch.arange(1.0, 5.0)
    for make, size, stride, offset in ((lambda x: x[1:], (2,), (1,), 1), (lambda x: x.view(2, 2), (2, 2), (1, 2), None),
                                       (lambda x: x[:2], (4,), (1,), 0), (lambda x: x[:2], (0,), (1,), None),
                                       (lambda x: x, (2, 2), (1, 2), None), (lambda x: x, (4,), (1,), 0)):
        x = torch.ones(4, requires_grad=True)
        base = x * factors
        t, before = make(base), base[2:]
        same = t.as_strided_(size, stride, offset) is t
        out.append((same, t.storage_offset(), t._version, t._is_view(), type(t.grad_fn).__name__))
        t.mul_(torch.arange(2.0, 2 + t.numel()).reshape(t.shape))
        (base.sum() + before.sum()).backward()
        out.append((t, base, before, x.grad))
    x, y = torch.ones(4, requires_grad=True), torch.zeros(4)
    y[1:].as_strided_((2,), (2,), 0).copy_(x[:2] * 3)
    (y * factors).sum().backward()
    out.append((y, x.grad))
    x = torch.ones(4, requires_grad=True)
    out.append(attempt(lambda: x.as_strided_((2, 2), (1, 2))))
    with torch.no_grad():
        x.as_strided_((2, 2), (1, 2))
    (x * factors.view(2, 2)).sum().backward()
    return [*out, facts(x), x.grad]


def script_of_histories_that_do_not_hear_of_it(torch):
    """As in no_grad: the history stays what it was, the shape does not."""
    changes = (("t_", ()), ("transpose_", (0, 1)), ("swapaxes_", (0, 1)), ("squeeze_", ()), ("unsqueeze_", (0,)),
               ("as_strided_", ((3, 2), (1, 3))), ("as_strided_", ((2,), (1,), 1)))
    out = []
    for mode in (torch.no_grad, torch.inference_mode):
        for name, args in changes:
            x = leaf(torch)
            y = x * 2
            before = y.grad_fn.name()
            with mode():
                same = getattr(y, name)(*args) is y
            out.append((same, y.grad_fn.name() == before, facts(y), y.is_leaf, y.requires_grad, y.is_inference()))
            out.append(facts(y * 3))
    x = leaf(torch)
    y = x * 2
    before = y[0]
    with torch.no_grad():
        y.unsqueeze_(0)
    later = y[0, 1]
    y.mul_(torch.arange(6.0).reshape(1, 2, 3))
    loss = (y * y).sum() + (before * later).sum()
    return [*out, [facts(v) for v in (y, before, later)], torch.autograd.grad(loss, x)[0]]


def script_strides_in_place_that_leave_elements_out(torch):
    out = []
    places = ((2,), (1,), 1), ((2, 2), (1, 2), 0), ((), (), 4), ((0,), (1,), 0), ((5, 2), (1, 1), 0)
    for size, stride, offset in places:
        x = leaf(torch)
        y = x * 2
        same = y.as_strided_(size, stride, offset) is y
        out.append((same, facts(y), type(y.grad_fn).__name__))
        if y.numel() < 9:
            y.mul_(torch.arange(2.0, 2 + y.numel()).reshape(y.shape))
            y[..., :1].mul_(3) if y.dim() else y.add_(1)
        out.append(torch.autograd.grad((y * y).sum(), x)[0])
    return out


def script_views_made_before_see_the_old_shape(torch):
    out = []
    for name, args in (("t_", ()), ("unsqueeze_", (1,)), ("transpose_", (0, 1))):
        x = leaf(torch)
        base = x * 1
        row, column, part = base[0], base[:, 1], base[:, 1:].t()
        getattr(base, name)(*args)
        later = base[0]
        base.mul_(torch.arange(1.0, 7.0).reshape(base.shape))
        out += [facts(v) for v in (base, row, column, part, later)]
        row.mul_(10)
        part.add_(part.detach())
        later[0].mul_(3)
        out += [facts(v) for v in (base, row, column, part, later)]
        loss = (base * base).sum() + (row * column.sum()).sum() + (part * part).sum() + later.sum()
        out.append(torch.autograd.grad(loss, x)[0].contiguous())
    return out


def script_twice_and_back(torch):
    x = leaf(torch)
    y = x * 2
    first = y[0]
    y.t_().unsqueeze_(0).transpose_(1, 2)
    second = y[0, 1]
    y.squeeze_(0)
    y[1].mul_(5)
    third = second.view(-1)
    first.exp_()
    loss = (y * y).sum() + first.sum() * second.sum() + third[1]
    return facts(y), facts(first), facts(second), torch.autograd.grad(loss, x)[0].contiguous()


def script_saved_values_and_versions(torch):
    x = leaf(torch)
    y = x * 1
    z = y * y
    y.t_()
    refused = attempt(lambda: z.sum().backward())
    u = (x * 1).t_()
    (u * u).sum().backward()
    e = x.exp()
    w = e.t_().sum()
    return refused, x.grad, attempt(lambda: w.backward()), y._version, e._version


def script_hooks_and_retained_gradients(torch):
    seen = []
    x = leaf(torch)
    y = x * 1
    y.register_hook(lambda g: seen.append(list(g.shape)))
    y.t_()
    z = (x * 1).t_()
    z.register_hook(lambda g: seen.append(list(g.shape)))
    z.retain_grad()
    (y * z).sum().backward()
    return seen, z.grad, x.grad


def script_modes(torch):
    x = leaf(torch)
    with torch.no_grad():
        x.t_()
        v = (x * 2).unsqueeze_(0)
    (x * torch.arange(6.0).reshape(3, 2)).sum().backward()
    with torch.inference_mode():
        w = torch.ones(1, 2).squeeze_()
    return x, x.grad, x.is_leaf, v, w.shape, attempt(lambda: w.unsqueeze_(0))


def script_transforms(torch):
    def f(x):
        y = x * 2
        part = y[0]
        y.t_()
        y.unsqueeze_(0)
        part.mul_(3)
        return (y * torch.arange(6.0).reshape(1, 3, 2)).sum()

    def g(x):
        return (x * 2).unsqueeze_(0).transpose_(0, 1).squeeze_(1) * x

    x = torch.arange(1.0, 7.0).reshape(2, 3)
    return (torch.func.grad(f)(x).contiguous(), torch.func.vmap(g)(x),
            torch.func.vmap(torch.func.grad(lambda r: g(r).sum()))(x),
            torch.func.grad(lambda r: torch.func.vmap(g)(r).sum())(x))


def script_refusals(torch):
    x = leaf(torch)
    a, _ = (x * 1).unbind()
    with torch.no_grad():
        v = (x * 1).view(3, 2)
    return [attempt(fn) for fn in (
        lambda: x.t_(), lambda: x.t().squeeze_(), lambda: a.unsqueeze_(0), lambda: v.t_(),
        lambda: torch.ones(2, 2, 2).t_(), lambda: torch.ones(2).transpose_(0, 3), lambda: torch.ones(2).unsqueeze_(5),
        lambda: torch.ones(2).squeeze_(4), lambda: x.set_(torch.ones(2)), lambda: x.resize_(2),
        lambda: x.as_strided_((2,), (1,)), lambda: torch.ones(2).long().set_(torch.ones(2).untyped_storage()).shape)]


def script_deepcopies_and_contiguity(torch):
    import copy
    t = torch.arange(6.0).reshape(2, 3).clone().t_()
    u = copy.deepcopy(t)
    return t.is_contiguous(), t.contiguous(), u, t.view(2, 3) if t.is_contiguous() else t.reshape(2, 3), t.clone()


def script_steps_of_new_axes(torch):
    x = torch.arange(6.0).reshape(2, 3)
    return [x[None], x[:, None], x[..., None], x.unsqueeze(1), x.t().unsqueeze(1), x[None, :, 1:], x.t()[:, None, None],
            torch.atleast_3d(x.t()), x.expand(1, 2, 3), x[:1].expand(4, 3)]


def script_steps_of_answers_of_permuted_operands(torch):
    x = torch.arange(6.0).reshape(2, 3).t()
    z = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
    answers = [x >= 2, x > x.flip(0), x.lt(x), z.eq(3), x.flip(0), z.flip(0, 2), x.fliplr(), x.flipud(), x.sort(0)[0],
               z.sort(0)[1], x.roll(1, 0), torch.complex(x, x), x.index_fill(0, torch.tensor([0]), 1.0),
               torch.zeros_like(z), torch.ones_like(x[:1].expand(4, 2)), torch.full_like(z[:, :1].expand(4, 5, 3), 2.0),
               torch.nn.functional.pad(x, (1, 1)), torch.nn.functional.logsigmoid(x), torch.fft.fftshift(x)]
    drawn = [torch.rand_like(x), torch.randn_like(z), torch.randint_like(x, 4), torch.rand_like(z[:, :, ::2]),
             torch.empty_like(z), torch.rand_like(x, memory_format=torch.contiguous_format)]
    return answers, [(d.stride(), list(d.shape), str(d.dtype)) for d in drawn]


def script_edges_of_fills(torch):
    x = leaf(torch)
    y, z, w = x * 1, x * 1, x * 1
    y.zero_()
    z.fill_(2.0)
    w.fill_(x.sum())
    return facts(y), facts(z), facts(w)


def weights(torch, *shape):
    count = 1
    for n in shape:
        count *= n
    return torch.arange(float(count)).reshape(shape)


def weighted_leaf(torch):
    return weights(torch, 2, 3).requires_grad_()


def script_what_was_viewed_before_keeps_its_history(torch):
    x = weighted_leaf(torch)
    y = x * 2
    v = y[0]
    y.t_()
    loss = (y * weights(torch, 3, 2)).sum() + (v * 1).sum()
    return torch.autograd.grad(loss, x)[0].tolist(), y.detach(), y._version


def script_a_write_through_an_older_view_reaches_it(torch):
    x = weighted_leaf(torch)
    y = x * 2
    v = y[0]
    y.t_()
    v.mul_(3)
    return torch.autograd.grad((y * weights(torch, 3, 2)).sum(), x)[0].contiguous(), y.detach()


def script_a_write_through_it_reaches_an_older_view(torch):
    x = weighted_leaf(torch)
    y = x * 2
    v = y[0]
    y.t_()
    y.mul_(3)
    return torch.autograd.grad(v.sum() + (y**2).sum(), x)[0].contiguous(), v.detach()


def script_views_of_views_turned_and_written(torch):
    x = weighted_leaf(torch)
    y = x * 2
    v, w = y[0], y[:, 1:]
    w.t_()
    w[0].mul_(4)
    y.transpose_(0, 1)
    y[1] = 7.0
    w.add_(1)
    loss = (v * v).sum() + (y**2).sum() + (w**3).sum()
    return torch.autograd.grad(loss, x)[0], v.detach(), y.detach(), w.detach()


def script_a_view_of_an_older_view_is_written_after_it(torch):
    x = weighted_leaf(torch)
    y = x * 2
    v = y[0]
    y.t_()
    u = v[1:]
    y.mul_(2)
    u.mul_(5)
    return torch.autograd.grad((u * u).sum() + y.sum(), x)[0]


def script_several_in_a_row_without_gradients(torch):
    y = weights(torch, 2, 3)
    y.unsqueeze_(0)
    y.squeeze_()
    y.t_()
    y.add_(1)
    return y, y.is_leaf, y.requires_grad


def script_a_tensor_turned_first_may_ask_for_gradients(torch):
    y = weights(torch, 2, 3)
    y.t_()
    y.requires_grad_()
    (y * 2).sum().backward()
    return y.grad


def script_views_whose_shape_changes_in_no_grad(torch):
    found = []
    for change in (lambda v: v.as_strided_((2, 1), (1, 1)), lambda v: v.t_(), lambda v: v.unsqueeze_(0),
                   lambda v: v.transpose_(0, 1), lambda v: v.squeeze_(0)):
        for part in (lambda b: b.view_as(b), lambda b: b[:1], lambda b: b.unbind()[0].unsqueeze(0)):
            for recorded in (True, False):
                x = leaf(torch)
                base = x * 1
                with torch.set_grad_enabled(recorded):
                    v = part(base)
                with torch.no_grad():
                    change(v)

                def slope(v=v, x=x):
                    return torch.autograd.grad((v * v * torch.arange(v.numel()).view(v.shape)).sum(), x)[0].tolist()

                found.append((attempt(slope), attempt(lambda v=v: v.add_(1)), attempt(slope)))
    return found
