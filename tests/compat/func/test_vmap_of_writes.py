"""torch.func.vmap of reads and writes by mapped indices, of strides and layouts."""

from harness import attempt, double


def mapped_places(torch):
    x = torch.arange(60, dtype=torch.float64).reshape(3, 4, 5) / 7
    return x, torch.tensor([[0, 2], [1, 3], [2, -4]]), x[:, :2] + 1


def script_writes_at_mapped_indices(torch):
    x, places, rows = mapped_places(torch)

    def into(t, i, v):
        t = t.clone()
        t[i] = v
        return t

    f = torch.func
    slopes = lambda g: f.grad(lambda t, i, v: g(t, i, v).sin().sum(), (0, 2))  # noqa: E731
    out = []
    for g, v in ((into, rows), (lambda t, i, v: t.index_put((i,), v), rows)):
        for dims in ((0, 0, 0), (0, 0, None), (None, 0, 0))[: 2 if g is into else 3]:
            given = [a if d == 0 else a[0] for a, d in zip((x, places, v), dims)]
            out += [f.vmap(g, dims)(*given), [s.contiguous() for s in f.vmap(slopes(g), dims)(*given)]]
    out += f.vmap(lambda t, i: f.jvp(lambda u: into(u, i, u[:2].sin()), (t,), (t * 2,)))(x, places)
    return [o.contiguous() if hasattr(o, "contiguous") else o for o in out]


def script_scattering_at_mapped_indices(torch):
    x, places, rows = mapped_places(torch)
    places = places % 4
    whole = places.unsqueeze(-1).expand(3, 2, 5)
    f, out = torch.func, []
    for g, i in ((lambda t, i, v: t.scatter(0, i, v), whole), (lambda t, i, v: t.index_copy(0, i, v), places)):
        out += [f.vmap(g)(x, i, rows), f.vmap(f.grad(lambda t, i, v, g=g: g(t, i, v).sin().sum(), (0, 2)))(x, i, rows)]
    fill = lambda t, i: t.index_fill(0, i, 2.0)  # noqa: E731
    out += [f.vmap(fill)(x, places), f.vmap(fill, (None, 0))(x[0], places), f.vmap(fill)(x[:, 0, :], places[:, 0]),
            f.vmap(lambda t, i: t.clone().index_fill_(-1, i, 3.0))(x, places)]
    return [[s.contiguous() for s in o] if isinstance(o, tuple) else o.contiguous() for o in out]


def script_strides_of_examples(torch):
    x = torch.arange(30.0).reshape(5, 2, 3)
    out = []
    for t in (x, x.transpose(1, 2).contiguous().transpose(1, 2), torch.arange(60.0).reshape(2, 5, 2, 3)[1]):
        a, b = t.stride()[1:]
        at = t.storage_offset()
        for size, stride, offset in (([3, 2], [b, a], at), ([2], [a], at + b), ([2], [a + b], at),
                                     ([4, 2, 3], [0, a, b], at)):
            def taken(row, size=size, stride=stride, offset=offset):
                return row.as_strided(size, stride, offset)

            out += [torch.vmap(taken)(t).contiguous(), torch.vmap(taken, -1)(t.movedim(0, -1)).contiguous(),
                    torch.func.vmap(torch.func.grad(lambda row: (taken(row) ** 2).sum()))(t).contiguous()]
    out.append(torch.vmap(torch.vmap(lambda row: row.as_strided([2], [2])), in_dims=1)(x.transpose(0, 1)).contiguous())
    y = x.clone()
    torch.vmap(lambda row: row.as_strided([2], [4]).mul_(10))(y)
    return out, y


def script_strides_beyond_an_example(torch):
    out = []
    for row, size, stride, offset in ((torch.ones(5, 3), [3], [1], 1), (torch.ones(5, 3, 5), [4, 4], [4, 1], 0),
                                      (torch.ones(2, 5, 3)[1], [3], [1], 14), (torch.ones(5, 0, 3), [3], [1], 0)):
        found = attempt(lambda: torch.vmap(lambda t: t.as_strided(size, stride, offset))(row))
        out += [found[:2], "This is not supported inside of vmap" in found[2]]
    found = attempt(lambda: torch.vmap(lambda t: t.as_strided([1, 1], [1]))(torch.ones(5, 2)))
    return out, found[:2], "size and stride must have the same length" in found[2]


def script_whether_examples_are_contiguous(torch):
    seen = []
    look = lambda t: (seen.append(t.is_contiguous()), t)[1]  # noqa: E731
    v = torch.vmap
    for run in (lambda: v(look)(torch.ones(3, 2, 7)), lambda: v(look, 1)(torch.ones(2, 3, 7)),
                lambda: v(look, 2)(torch.ones(2, 7, 3)), lambda: v(v(look))(torch.ones(3, 5, 3)),
                lambda: v(v(look), 1)(torch.ones(5, 3, 3)), lambda: v(v(look, 1))(torch.ones(3, 3, 5)),
                lambda: v(look)(torch.ones(3, 0, 3)), lambda: v(look)(torch.ones(3, 0, 3).transpose(1, 2))):
        run()
    return seen


def script_shapes_of_random_numbers(torch):
    x, f = torch.zeros(4, 5, 6), torch.nn.functional
    draws = (torch.rand_like, torch.randn_like, lambda t: torch.randint_like(t, 9),
             lambda t: f.dropout(torch.ones_like(t)))
    return [[tuple(torch.vmap(draw, in_dims=axis, randomness="different")(x).shape) for draw in draws]
            for axis in (0, 1, 2)], [tuple(torch.vmap(draw, randomness="same")(x).shape) for draw in draws[:3]]


def script_one_answer_for_all_examples(torch):
    x = double(torch, 1.0, 2.0)
    return [attempt(lambda: torch.vmap(g)(x, x)) for g in (torch.equal, torch.allclose)]


def script_ranges_between_ends_of_examples(torch):
    x, y = double(torch, 0.5, -1.0, 2.0), double(torch, 3.0, 4.0, -5.0)
    v = torch.vmap
    out = [v(lambda a, b: torch.linspace(a, b, 5))(x, y), v(lambda a: torch.linspace(a, 2.0, 4))(x),
           v(lambda a: torch.linspace(0.0, a, 1))(x), v(lambda a, b: torch.logspace(a, b, 3, base=2.0))(x, y),
           v(lambda a: torch.linspace(a, 2.0, 4, dtype=torch.float32))(x)]
    return [o.contiguous() for o in out], v(torch.func.grad(lambda a: torch.linspace(a, 2.0, 5).sum()))(x)


def script_counts_of_examples(torch):
    x = torch.tensor([[0, 1, 1], [1, 1, 0]])
    w = double(torch, 1.0, 2.0, 3.0)
    v = torch.vmap
    return (v(torch.bincount)(x), v(lambda t: torch.bincount(t, minlength=4))(x), v(lambda t: torch.bincount(t, w))(x),
            v(lambda t: torch.histc(t, 3))(x.double()), v(lambda t: torch.histc(t, 4, 0.0, 2.0))(x.double()),
            torch.bincount(x[0, :0]), v(lambda t: t.masked_scatter(t > 0.5, w))(x.double()),
            v(lambda t, i: t.put(i, w))(x.double(), x), attempt(lambda: v(torch.where)(x)),
            attempt(lambda: v(torch.unique)(x)), attempt(lambda: v(lambda t: t.data_ptr())(x)))


def script_writes_into_what_is_not_mapped(torch):
    x, y = torch.zeros(3), torch.ones(2, 3)
    return [attempt(lambda: torch.vmap(lambda a, b: getattr(a, name)(b), (None, 0))(x, y))
            for name in ("mul_", "sub_", "div_", "copy_", "clamp_min_", "pow_", "remainder_")]


def script_a_write_behind_abs(torch):
    x = double(torch, 1.0, -2.0, 3.0).requires_grad_()

    def slope(hook):
        y = x * 2
        if hook:
            y.register_hook(lambda g: g * 3)
        y.abs_()
        y.mul_(2)
        return torch.autograd.grad((y ** 2).sum(), x, create_graph=True)

    def later():
        y = x * 2
        y.abs_()
        g, = torch.autograd.grad((y * y).sum(), x, create_graph=True)
        y.add_(1)
        return torch.autograd.grad(g.sum(), x)

    return slope(False), slope(True), later()


def script_statistics_that_examples_share(torch):
    f = torch.nn.functional
    x = torch.arange(48.0).reshape(2, 3, 2, 4)
    mean, var = torch.ones(2), torch.full((2,), 4.0)
    refused = [attempt(lambda g=g: torch.vmap(lambda t: g(t, mean, var, **{word: True}))(x))
               for g, word in ((f.batch_norm, "training"), (f.instance_norm, "use_input_stats"))]
    means, variances = torch.ones(2, 2), torch.ones(2, 2)
    out = torch.vmap(lambda t, m, v: f.batch_norm(t, m, v, training=True))(x, means, variances)
    return refused[0], refused[1][0], mean, var, out.contiguous(), means, variances


def script_empty_vectors_beside_others(torch):
    out = []
    for other in (torch.ones(2), torch.ones(2, 3), torch.zeros(0)):
        x = torch.zeros(0, requires_grad=True)
        for tensors in ((x, other), (other, x)):
            y = torch.cat(tensors, -1)
            out += [y, torch.autograd.grad(y.sum(), x)]
    return out, torch.vmap(lambda t: torch.cat([torch.zeros(0), t, torch.zeros(0)]))(torch.ones(2, 3))


def script_indices_that_are_mapped(torch):
    x = torch.arange(12.0).reshape(3, 4)
    i = torch.tensor([[0, 1], [2, 0], [1, 1]])
    v = torch.func.vmap
    return (v(lambda k: x[k])(i), v(lambda k: x[:, k])(i), v(lambda k: x[0, k[0]])(i),
            v(lambda k: torch.gather(x, 1, k[None].expand(3, 2)))(i), v(lambda row, k: row[k])(x, i[:, 0]),
            v(torch.func.grad(lambda row, k: (row[k] * row[:2]).sum()))(x, i),
            torch.func.grad(lambda t: v(lambda k: (t[k] * t[k]).sum())(i).sum())(x))


def script_writes_to_indices_that_are_mapped(torch):
    f = torch.func
    v = f.vmap
    x = torch.arange(24.0).reshape(2, 3, 4)
    i = torch.tensor([[0, 2], [1, 0]])

    def assigned(a, k, b):
        y = a.clone()
        y[k] = b
        return y

    def scattered(a, k):
        return a.scatter(1, k[None].expand(3, 2), a[:, :2] * 2)

    return (v(assigned)(x, i, -torch.ones(2, 2, 4)), v(assigned, (0, 0, None))(x, i, -torch.ones(4)),
            v(scattered)(x, i),
            v(assigned)(x, i, torch.tensor([-1.0, -2.0])), v(lambda k: torch.zeros(4).scatter(0, k, 1.0))(i),
            v(v(lambda a, k: a.scatter(0, k, -1.0)), (0, None))(x[:, :2], i),
            f.grad(lambda a: (v(scattered)(a, i) ** 2).sum())(x), f.jvp(lambda a: v(scattered)(a, i) ** 2, (x,), (x,)))
