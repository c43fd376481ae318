"""torch.func.vmap: axes, chunks, nests, writes inside, and what it forbids."""

from harness import attempt, message, plain


def script_vmap(torch):
    x = torch.arange(6.0).reshape(2, 3) if hasattr(torch, "arange") else torch.ones(2, 3)
    y = torch.ones(3, 2)
    v = torch.func.vmap
    return (v(torch.sin)(x), v(lambda a, b: a @ b, in_dims=(0, 1))(x, y), v(lambda a: a.sum(), in_dims=1)(x),
            v(lambda a: a * 2, out_dims=1)(x), v(v(lambda a: a * 3))(x), v(lambda a: torch.ones(2))(x),
            v(lambda a, b: a * b, in_dims=(0, None))(x, y[:, 0]), v(lambda a: a.max(0).values)(x),
            v(lambda a: a * 2, chunk_size=1)(x))


def script_new_axes_under_vmap_go_behind_the_batch(torch):
    x, y = torch.arange(2.0), torch.arange(4.0).reshape(2, 2)
    return (torch.vmap(lambda v: v.expand(2))(x), torch.vmap(lambda v: v.expand(2, 2))(y),
            torch.vmap(torch.vmap(lambda v: v.expand(2, 3)))(y), torch.vmap(lambda v: v.expand_as(y))(x),
            torch.func.jacfwd(lambda v: v.expand(3, 2) * 2)(x),
            torch.vmap(torch.func.grad(lambda v, w: (v.expand(2) * w).sum()))(x, y))


def script_vmap_of_nests(torch):
    v = torch.func.vmap
    x = torch.arange(6.0).reshape(2, 3)
    y = torch.arange(12.0).reshape(3, 2, 2)
    return (v(lambda d: {"s": d["a"] + 1, "t": [d["b"]]})({"a": x, "b": x * 2}),
            v(lambda a, b: (a, b), in_dims=(0, 1))(x, y),
            v(lambda a, b: (a, b), in_dims=(-1, 0))(x, y), v(lambda a: (a, a * 2), out_dims=(0, 1))(x),
            v(lambda a: {"u": a, "w": a * 2}, out_dims={"u": 0, "w": 1})(x),
            v(lambda a: [a, (a, a)], out_dims=[0, 1])(x),
            v(lambda a, n: a * n, in_dims=(0, None))(x, 3), v(lambda d: d["a"] * d["n"],
                                                              in_dims=({"a": 0, "n": None},))({"a": x, "n": 2}),
            v(lambda a: a, out_dims=-1)(y), v(lambda a: a, out_dims=(1,))(x), v(lambda a: x[0])(x),
            v(lambda a: (a, x), out_dims=(0, None))(x), v(lambda a, k=1: a * k)(x, k=x[0]),
            v(lambda a: a.sum(), chunk_size=2)(torch.arange(10.0).reshape(5, 2)),
            [t.contiguous() for t in
             v(lambda a: (a, a * 2), out_dims=(0, 1), chunk_size=2)(torch.arange(10.0).reshape(5, 2))],
            v(lambda a: a, in_dims=1, chunk_size=2)(torch.arange(10.0).reshape(2, 5)).contiguous())


def script_vmap_dims(torch):
    v = torch.func.vmap
    x = torch.arange(24.0).reshape(2, 3, 4)
    out = []
    for i in (0, 1, 2, -1, -2, -3, 3, -4, None, "a", 1.0, (0,), [0], (0, 1), {"a": 0}):
        out.append(attempt(lambda: v(lambda a: a * 2, in_dims=i)(x)))
    for o in (0, 1, 2, -1, -3, 3, -4, None, "a", 1.0, (0,), [0], (0, 1), {"a": 0}):
        out.append(attempt(lambda: v(lambda a: a * 2, out_dims=o)(x)))
        out.append(attempt(lambda: v(lambda a: (a * 2, a.sum()), out_dims=o)(x)))
    out.append(attempt(lambda: v(lambda a: (a * 2, torch.ones(2)), out_dims=(0, None))(x)))
    out.append(attempt(lambda: v(lambda a: (a * 2, a), out_dims=(0, None))(x)))
    out.append(attempt(lambda: v(lambda a: {"p": a, "q": [a.sum(), a]}, out_dims={"p": 0, "q": [0, 1]})(x)))
    out.append(attempt(lambda: v(lambda a: {"p": a, "q": [a.sum(), a]}, out_dims=0)(x)))
    out.append(attempt(lambda: v(lambda a: {"p": a}, out_dims={"q": 0})(x)))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(0, None))(x, x[0])))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(0, 1))(x, x.transpose(0, 1))))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(None, None))(x, x)))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(0,))(x, x)))
    out.append(attempt(lambda: v(lambda a, b: a + b)(x, 3.0)))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(0, None))(x, 3.0)))
    out.append(attempt(lambda: v(lambda a, b: a + b)(x, torch.ones(3))))
    out.append(attempt(lambda: v(lambda a: a)()))
    out.append(attempt(lambda: v(lambda a: a)(torch.ones(0, 2))))
    out.append(attempt(lambda: v(lambda a: a)(torch.tensor(1.0))))
    out.append(attempt(lambda: v(lambda a, k=None: a + k)(x, k=torch.ones(2, 1, 1))))
    out.append(attempt(lambda: v(lambda a, k=None: a + k)(x, k=torch.ones(3, 1))))
    out.append(attempt(lambda: v(lambda a, k=None: a * k)(x, k=3)))
    out.append(attempt(lambda: v(3)(x)))
    out.append(attempt(lambda: v(lambda a: None)(x)))
    out.append(attempt(lambda: v(lambda a: 3)(x)))
    out.append(attempt(lambda: v(lambda a: (a, 3))(x)))
    out.append(attempt(lambda: v(lambda a: (a, None))(x)))
    out.append(attempt(lambda: v(lambda a: (a, 3), out_dims=(0, None))(x)))
    out.append(attempt(lambda: v(lambda a: ())(x)))
    return plain(out)


def script_vmap_chunks(torch):
    v = torch.func.vmap
    x = torch.arange(10.0).reshape(5, 2)
    out = []
    sizes = []

    def f(a):
        sizes.append(1)
        return a * 2, a.sum()

    for c in (1, 2, 3, 5, 6, None, 0, -1, "a"):
        sizes.clear()
        out.append(attempt(lambda: v(f, chunk_size=c)(x)))
        out.append(len(sizes))
    out.append(v(f, in_dims=1, out_dims=(1, 0), chunk_size=1)(x))
    for c in (1, 2, 3, None, 0, -2):
        out.append(attempt(lambda: torch.func.jacrev(lambda a: (a**2).sum(0), chunk_size=c)(x)))
    for c in (1, 2, 3, None, 0, -2):
        out.append(attempt(lambda: torch.func.jacfwd(lambda a: (a**2).sum(0), chunk_size=c)(x)))
    out.append(attempt(lambda: torch.func.jacrev(lambda a: (a**2, a.sum()), chunk_size=3)(x)))
    out.append(attempt(lambda: v(lambda a: torch.rand(2), chunk_size=2, randomness="error")(x)))
    return plain(out)


def script_vmap_forbidden(torch):
    v = torch.func.vmap
    x = torch.arange(6.0).reshape(2, 3)
    out = []
    for f in (
        lambda a: a.item(),
        lambda a: a[0].item(),
        lambda a: float(a[0]),
        lambda a: int(a[0]),
        lambda a: bool(a[0] > 0),
        lambda a: a if a.sum() > 0 else -a,
        lambda a: a[a > 1],
        lambda a: f"{a[0]:.2f}",
        lambda a: a.nonzero(),
        lambda a: a.masked_select(a > 1),
        lambda a: a.unique(),
        lambda a: a.requires_grad_(),
        lambda a: a.backward(),
        lambda a: a.data,
        lambda a: list(a),
        lambda a: len(a),
        lambda a: torch.as_tensor(a).clone(),
        lambda a: a.new_tensor([1.0, 2.0]),
        lambda a: a.is_leaf,
        lambda a: a.requires_grad,
        lambda a: a.shape,
        lambda a: a.stride(),
        lambda a: a.numel(),
        lambda a: a.dim(),
        lambda a: a.size(0),
        lambda a: a.dtype,
        lambda a: a.is_contiguous(),
        lambda a: hash(a) and a,
        lambda a: repr(a) and a,
        lambda a: a.grad_fn,
        lambda a: a._version,
        lambda a: torch.arange(a[0]),
        lambda a: torch.full((2,), a[0]),
    ):
        r = attempt(lambda: v(f)(x))
        out.append(r)
    return plain(out)


def script_vmap_inplace(torch):
    v = torch.func.vmap
    x = torch.arange(6.0).reshape(2, 3)
    w = torch.zeros(3)
    out = []
    out.append(w)
    out.append(attempt(lambda: v(lambda a: a.add_(w))(x.clone())))
    out.append(attempt(lambda: v(lambda a: w.add_(1))(x)))
    out.append(w)

    def f(a):
        z = torch.zeros(3)
        z[0] = a[0]
        return z

    out.append(attempt(lambda: v(f)(x)))

    def g(a):
        z = torch.zeros_like(a)
        z[0] = a[0]
        z[1:] += a[:2]
        return z

    out.append(attempt(lambda: v(g)(x)))

    def h(a):
        z = a.new_zeros(4)
        z[:3] = a
        z.mul_(2)
        return z

    out.append(attempt(lambda: v(h)(x)))

    def k(a, b):
        a.copy_(b)
        return a

    y = x.clone()
    out.append(attempt(lambda: v(k)(y, x * 2)))
    out.append(y)
    out.append(attempt(lambda: v(k, in_dims=(None, 0))(w, x)))
    out.append(attempt(lambda: v(k, in_dims=(0, None))(x.clone(), w)))
    out.append(attempt(lambda: v(lambda a: a.index_put_((torch.tensor([0]),), torch.tensor(5.0)))(x.clone())))
    out.append(attempt(lambda: v(lambda a: a.masked_fill_(a > 2, -1.0))(x.clone())))
    return plain(out)


def script_what_is_mapped_in_inference_mode(torch):
    x = torch.ones(2, 3)
    with torch.inference_mode():
        y = torch.ones(2, 3)
        found = [torch.func.vmap(f, out_dims=d)(t) for f in (lambda a: a, lambda a: a * 2, lambda a: torch.zeros(2))
                 for t in (x, y) for d in (0, 1)]
    return [t.is_inference() for t in found]


def script_words_for_writes_to_what_is_shared(torch):
    i = torch.tensor([0, 1, 2])
    writes = [lambda a: torch.zeros(3).fill_(a.sum()), lambda a: torch.zeros(3).index_put_((i,), a),
              lambda a: torch.zeros(3).index_add_(0, i, a), lambda a: torch.zeros(3).index_fill_(0, i, a.sum()),
              lambda a: torch.zeros(3).scatter_add_(0, i, a), lambda a: torch.zeros(3).scatter_reduce_(0, i, a, "sum"),
              lambda a: torch.zeros(3).__setitem__(i, a), lambda a: torch.zeros(3).copy_(a),
              lambda a: torch.zeros(3).mul_(a), lambda a: torch.zeros(3).masked_fill_(a > 0, 1.0)]
    return [message(lambda: torch.func.vmap(write)(torch.ones(2, 3))) for write in writes]
