"""Random numbers under vmap: every factory, sampler and dropout in every mode."""

from harness import attempt


def facts(t, *deps):
    """What does not depend on the stream: shape, dtype, and which examples are equal."""
    if isinstance(t, tuple):
        return t if t and t[0] == "raised" else [facts(v) for v in t]
    r = t.detach().double() if not t.is_complex() else torch_abs(t)
    flat = r.reshape(r.shape[0], -1) if r.dim() else r.reshape(1, -1)
    rows = flat.tolist()
    return [str(t.dtype), tuple(t.shape), [[a == b for b in rows] for a in rows]]


def torch_abs(t):
    return t.detach().abs().double()


def X(torch):
    return torch.arange(3.0)


FACTORIES = {
    "rand": lambda t, x: t.rand(40),
    "randn": lambda t, x: t.randn(40),
    "randint": lambda t, x: t.randint(0, 1000, (40,)),
    "randint1": lambda t, x: t.randint(1000, (40,)),
    "randperm": lambda t, x: t.randperm(40),
    "rand_like": lambda t, x: t.rand_like(x.expand(40)),
    "randn_like": lambda t, x: t.randn_like(x.expand(40)),
    "randint_like": lambda t, x: t.randint_like(x.expand(40), 0, 1000),
    "rand_like_u": lambda t, x: t.rand_like(t.ones(40)),
    "normal_ff": lambda t, x: t.normal(0.0, 1.0, (40,)),
    "normal_tf": lambda t, x: t.normal(t.zeros(40), 1.0),
    "normal_ft": lambda t, x: t.normal(0.0, t.ones(40)),
    "normal_tt": lambda t, x: t.normal(t.zeros(40), t.ones(40)),
    "normal_xb": lambda t, x: t.normal(x.expand(40), 1.0),
    "bernoulli_t": lambda t, x: t.bernoulli(t.full((40,), 0.5)),
    "bernoulli_x": lambda t, x: t.bernoulli((x * 0 + 0.5).expand(40)),
    "bernoulli_p": lambda t, x: t.bernoulli(t.ones(40), 0.5),
    "multinomial": lambda t, x: t.multinomial(t.ones(40), 30),
    "multinomial_x": lambda t, x: t.multinomial((x * 0 + 1).expand(40), 30),
    "multinomial_r": lambda t, x: t.multinomial(t.ones(40), 30, True),
    "poisson": lambda t, x: t.poisson(t.full((40,), 5.0)),
    "poisson_x": lambda t, x: t.poisson((x * 0 + 5).expand(40)),
    "rand_c": lambda t, x: t.randn(40, dtype=t.complex64),
}
INPLACE = {
    "normal_": (),
    "uniform_": (),
    "bernoulli_": (),
    "exponential_": (),
    "geometric_": (0.2,),
    "cauchy_": (),
    "log_normal_": (),
    "random_": (),
}
DROPS = {
    "dropout": lambda t, x: t.nn.functional.dropout(x, 0.5),
    "dropout_nt": lambda t, x: t.nn.functional.dropout(x, 0.5, training=False),
    "dropout1d": lambda t, x: t.nn.functional.dropout1d(x.reshape(10, 4), 0.5),
    "dropout2d": lambda t, x: t.nn.functional.dropout2d(x.reshape(10, 2, 2), 0.5),
    "dropout2d4": lambda t, x: t.nn.functional.dropout2d(x.reshape(1, 10, 2, 2), 0.5),
    "dropout3d": lambda t, x: t.nn.functional.dropout3d(x.reshape(10, 2, 2, 1), 0.5),
    "alpha": lambda t, x: t.nn.functional.alpha_dropout(x, 0.5, training=True),
    "falpha": lambda t, x: t.nn.functional.feature_alpha_dropout(x.reshape(1, 10, 4), 0.5, training=True),
    "tdrop": lambda t, x: t.dropout(x, 0.5, True),
    "dropout0": lambda t, x: t.nn.functional.dropout(x, 0.0),
    "dropout1": lambda t, x: t.nn.functional.dropout(x, 1.0),
}


def script_factories(torch):
    out = {}
    for n, f in FACTORIES.items():
        for mode in ("error", "same", "different"):
            out[n, mode] = attempt(lambda: facts(torch.func.vmap(lambda x: f(torch, x), randomness=mode)(X(torch))))
    return out


def script_inplace_batched(torch):
    out = {}
    for n, a in INPLACE.items():
        for mode in ("error", "same", "different"):
            out[n, mode] = attempt(
                lambda: facts(torch.func.vmap(lambda x: getattr(x, n)(*a), randomness=mode)(torch.zeros(3, 40)))
            )
            out[n, mode, "clone"] = attempt(
                lambda: facts(
                    torch.func.vmap(lambda x: getattr(x.clone(), n)(*a), randomness=mode)(torch.zeros(3, 40))
                )
            )
    return out


def script_inplace_unbatched(torch):
    out = {}
    for n, a in INPLACE.items():
        for mode in ("error", "same", "different"):

            def f(x):
                z = torch.zeros(40)
                getattr(z, n)(*a)
                return z + x * 0

            out[n, mode] = attempt(lambda: facts(torch.func.vmap(f, randomness=mode)(X(torch))))
            w = torch.zeros(40)

            def g(x):
                getattr(w, n)(*a)
                return x * 1

            out[n, mode, "outside"] = attempt(lambda: facts(torch.func.vmap(g, randomness=mode)(X(torch))))

            def h(x):
                z = torch.empty_like(x.expand(40))
                return getattr(z, n)(*a)

            out[n, mode, "like"] = attempt(lambda: facts(torch.func.vmap(h, randomness=mode)(X(torch))))

            def k(x):
                z = x.new_zeros(40)
                return getattr(z, n)(*a)

            out[n, mode, "new"] = attempt(lambda: facts(torch.func.vmap(k, randomness=mode)(X(torch))))
    return out


def script_dropouts(torch):
    torch.manual_seed(1)  # of few channels, two masks may be the same
    out = {}
    for n, f in DROPS.items():
        for mode in ("error", "same", "different"):
            out[n, mode] = attempt(
                lambda: facts(torch.func.vmap(lambda x: f(torch, x), randomness=mode)(torch.ones(3, 40)))
            )
            out[n, mode, "u"] = attempt(
                lambda: facts(
                    torch.func.vmap(lambda x: f(torch, torch.ones(40)) + x.sum() * 0, randomness=mode)(
                        torch.ones(3, 40)
                    )
                )
            )
    return out


def script_generators(torch):
    out = {}
    for mode in ("error", "same", "different"):
        for n, f in {
            "rand": lambda g: torch.rand(40, generator=g),
            "randn": lambda g: torch.randn(40, generator=g),
            "randint": lambda g: torch.randint(0, 99, (40,), generator=g),
            "randperm": lambda g: torch.randperm(40, generator=g),
            "normal": lambda g: torch.normal(0.0, 1.0, (40,), generator=g),
            "bern": lambda g: torch.bernoulli(torch.full((40,), 0.5), generator=g),
            "multi": lambda g: torch.multinomial(torch.ones(40), 30, generator=g),
            "normal_": lambda g: torch.zeros(40).normal_(generator=g),
            "poisson": lambda g: torch.poisson(torch.ones(40), generator=g),
        }.items():
            g = torch.Generator().manual_seed(3)
            s = g.get_state()
            r = attempt(lambda: facts(torch.func.vmap(lambda x: f(g) + x * 0, randomness=mode)(X(torch))))
            out[n, mode] = r
            out[n, mode, "moved"] = bool((g.get_state() != s).any())
            h = torch.Generator().manual_seed(3)
            a = attempt(lambda: torch.func.vmap(lambda x: f(h) + x * 0, randomness=mode)(X(torch)))
            h.manual_seed(3)
            b = attempt(lambda: torch.func.vmap(lambda x: f(h) + x * 0, randomness=mode)(X(torch)))
            out[n, mode, "again"] = a if isinstance(a, tuple) else bool((a == b).all())
    return out


def script_seeds_inside(torch):
    out = {}
    for mode in ("error", "same", "different"):

        def f(x):
            torch.manual_seed(0)
            return x * 0 + torch.rand(5)

        out[mode, "seed"] = attempt(lambda: facts(torch.func.vmap(f, randomness=mode)(X(torch))))

        def g(x):
            s = torch.get_rng_state()
            a = torch.rand(5)
            torch.set_rng_state(s)
            b = torch.rand(5)
            return x * 0 + (a - b).abs().sum()

        out[mode, "state"] = attempt(lambda: torch.func.vmap(g, randomness=mode)(X(torch)))

        def h(x):
            return x * 0 + torch.initial_seed() * 0

        out[mode, "init"] = attempt(lambda: torch.func.vmap(h, randomness=mode)(X(torch)))
        torch.manual_seed(5)
        a = attempt(lambda: torch.func.vmap(lambda x: x * 0 + torch.rand(5), randomness=mode)(X(torch)))
        torch.manual_seed(5)
        b = attempt(lambda: torch.func.vmap(lambda x: x * 0 + torch.rand(5), randomness=mode)(X(torch)))
        out[mode, "again"] = a if isinstance(a, tuple) else bool((a == b).all())
    return out


def script_nested(torch):
    out = {}
    v = torch.func.vmap
    for a in ("error", "same", "different"):
        for b in ("error", "same", "different"):

            def f(x):
                return v(lambda y: torch.rand(6) + x * 0 + y * 0, randomness=b)(torch.arange(2.0))

            r = attempt(lambda: v(f, randomness=a)(torch.arange(3.0)))
            if isinstance(r, tuple):
                out[a, b] = r
            else:
                out[a, b] = [
                    tuple(r.shape),
                    [bool((r[0] == r[1]).all()), bool((r[:, 0] == r[:, 1]).all()), bool((r[0, 0] == r[1, 1]).all())],
                ]

            def g(x):
                return v(lambda y: torch.zeros(6).normal_() + x * 0 + y * 0, randomness=b)(torch.arange(2.0))

            out[a, b, "in"] = attempt(
                lambda: (lambda r: [tuple(r.shape), [bool((r[0] == r[1]).all()), bool((r[:, 0] == r[:, 1]).all())]])(
                    v(g, randomness=a)(torch.arange(3.0))
                )
            )

            def h(x):
                return v(lambda y: torch.nn.functional.dropout(torch.ones(30) * y * 0 + 1 + x * 0, 0.5), randomness=b)(
                    torch.arange(2.0)
                )

            out[a, b, "drop"] = attempt(
                lambda: (lambda r: [tuple(r.shape), [bool((r[0] == r[1]).all()), bool((r[:, 0] == r[:, 1]).all())]])(
                    v(h, randomness=a)(torch.arange(3.0))
                )
            )

            def k(x):
                return (
                    v(lambda y: torch.nn.functional.dropout(torch.ones(30) * y * 0 + 1, 0.5), randomness=b)(
                        torch.arange(2.0)
                    )
                    + x * 0
                )

            out[a, b, "drop1"] = attempt(
                lambda: (lambda r: [tuple(r.shape), [bool((r[0] == r[1]).all()), bool((r[:, 0] == r[:, 1]).all())]])(
                    v(k, randomness=a)(torch.arange(3.0))
                )
            )
    return out


def script_in_dims_and_axes(torch):
    out = {}
    v = torch.func.vmap
    for mode in ("same", "different"):
        out[mode] = facts(v(lambda x: torch.rand_like(x), in_dims=1, randomness=mode)(torch.ones(4, 3)))
        out[mode, "o"] = tuple(v(lambda x: torch.rand(4) + x, out_dims=1, randomness=mode)(torch.ones(3)).shape)
        out[mode, "chunk"] = attempt(
            lambda: facts(v(lambda x: torch.rand(20) + x * 0, chunk_size=2, randomness=mode)(torch.ones(4)))
        )
        out[mode, "grad"] = attempt(
            lambda: facts(v(torch.func.grad(lambda x: torch.rand(()) * x), randomness=mode)(torch.ones(4)))
        )
        out[mode, "gradv"] = attempt(
            lambda: facts(
                torch.func.grad(lambda x: v(lambda y: torch.rand(()) * y, randomness=mode)(x).sum())(
                    torch.ones(4)
                ).reshape(4, 1)
            )
        )
        out[mode, "jvp"] = attempt(
            lambda: facts(
                torch.func.jvp(
                    lambda x: v(lambda y: torch.rand(()) * y, randomness=mode)(x), (torch.ones(4),), (torch.ones(4),)
                )[1].reshape(4, 1)
            )
        )
        out[mode, "jacrev"] = attempt(
            lambda: (
                torch.func.jacrev(lambda x: torch.nn.functional.dropout(x, 0.5))(torch.ones(4))
                .diagonal()
                .unique()
                .numel()
                <= 2
            )
        )
        out[mode, "jacfwd"] = attempt(
            lambda: tuple(
                torch.func.jacfwd(lambda x: torch.nn.functional.dropout(x, 0.5), randomness=mode)(torch.ones(4)).shape
            )
        )
    out["jacfwd"] = attempt(lambda: torch.func.jacfwd(lambda x: torch.nn.functional.dropout(x, 0.5))(torch.ones(4)))
    out["hess"] = attempt(
        lambda: torch.func.hessian(lambda x: torch.nn.functional.dropout(x, 0.5).sum())(torch.ones(4))
    )
    for m in ("x", None, 1, "Same"):
        out[str(m)] = attempt(lambda: v(lambda x: x, randomness=m)(torch.ones(2)))
    return out


def script_out_arguments(torch):
    out = {}
    v = torch.func.vmap
    for mode in ("error", "different"):
        for n, f in {
            "rand": lambda o: torch.rand(4, out=o),
            "randn": lambda o: torch.randn(4, out=o),
            "randperm": lambda o: torch.randperm(4, out=o),
            "normal": lambda o: torch.normal(0.0, 1.0, (4,), out=o),
        }.items():

            def g(x):
                o = torch.empty(4) if n != "randperm" else torch.empty(4, dtype=torch.int64)
                f(o)
                return o * 1.0 + x * 0

            out[mode, n] = (
                attempt(lambda: facts(v(g, randomness=mode)(X(torch))))[:2]
                if isinstance(attempt(lambda: facts(v(g, randomness=mode)(X(torch)))), tuple)
                else facts(v(g, randomness=mode)(X(torch)))
            )
    return out


def script_args_of_samplers(torch):
    out = {}
    v = torch.func.vmap
    for mode in ("same", "different"):
        out[mode, "p"] = attempt(
            lambda: facts(
                v(lambda x, p: x.bernoulli_(p), randomness=mode)(torch.zeros(3, 40), torch.full((3, 40), 0.5))
            )
        )
        out[mode, "pu"] = attempt(
            lambda: facts(v(lambda x: x.bernoulli_(torch.full((40,), 0.5)), randomness=mode)(torch.zeros(3, 40)))
        )
        out[mode, "ub"] = attempt(
            lambda: facts(v(lambda p: torch.zeros(40).bernoulli_(p), randomness=mode)(torch.full((3, 40), 0.5)))
        )
        for n, a in {
            "uniform_": (2.0, 3.0),
            "normal_": (5.0, 0.1),
            "random_": (5, 9),
            "exponential_": (2.0,),
            "cauchy_": (0.0, 2.0),
            "log_normal_": (0.0, 0.1),
            "geometric_": (0.9,),
        }.items():
            out[mode, n] = facts(v(lambda x: getattr(x, n)(*a), randomness=mode)(torch.zeros(3, 40)))
        for n, a in {
            "uniform_": (3.0, 2.0),
            "normal_": (5.0, -1.0),
            "random_": (9, 5),
            "exponential_": (-1.0,),
            "cauchy_": (0.0, -2.0),
            "log_normal_": (0.0, -0.1),
            "geometric_": (1.9,),
            "bernoulli_": (2.0,),
        }.items():
            out[mode, n, "bad"] = attempt(
                lambda: facts(v(lambda x: getattr(x, n)(*a), randomness=mode)(torch.zeros(3, 40)))
            )
    return out


def script_channel_dropout_of_other_ranks(torch):
    functional, out = torch.nn.functional, {}
    for name in ("dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"):
        for shape in ((50,), (50, 3), (8, 50, 3), (4, 20, 3, 3), (2, 20, 3, 3, 2)):

            def varying():
                r = getattr(functional, name)(torch.ones(*shape), 0.5, training=True)
                return [axis for axis in range(r.dim()) if shape[axis] > 7 and bool((r.narrow(axis, 0, 1) != r).any())]

            out[name, shape] = attempt(varying)
    return out


def script_random_numbers_under_vmap(torch):
    f = torch.func
    x = torch.rand(4, 3) + 1
    same = lambda t: all(torch.equal(t[0], row) for row in t)  # noqa: E731
    half = torch.full((40,), 0.5)
    fills = ("uniform_", "normal_", "exponential_", "random_", "cauchy_", "log_normal_")
    cases = [lambda v: torch.rand(3), lambda v: torch.randn(3) + v * 0, lambda v: torch.randint(0, 10000, (3,)),
             lambda v: torch.randperm(50), lambda v: torch.rand_like(v), lambda v: torch.randn_like(x[0]),
             lambda v: torch.randint_like(v, 0, 10000), lambda v: torch.bernoulli(half),
             lambda v: torch.bernoulli(v * 0 + 0.5),
             lambda v: v.bernoulli(0.5), lambda v: torch.normal(v, v), lambda v: torch.normal(0.0, 1.0, (3,)),
             lambda v: torch.normal(x[0], 1.0), lambda v: torch.multinomial(v, 20, True),
             lambda v: torch.multinomial(x[0], 20, True),
             lambda v: torch.poisson(v * 100), lambda v: torch.poisson(x[0] * 100), lambda v: torch.zeros(3).uniform_(),
             lambda v: torch.zeros_like(v.repeat(20)).bernoulli_(0.5),
             lambda v: v.repeat(20).bernoulli_(v.repeat(20) * 0 + 0.5),
             lambda v: (v * 1).geometric_(0.001), lambda v: torch.nn.functional.dropout(torch.ones(30)),
             lambda v: (torch.nn.functional.dropout(v.repeat(10)) == 0) * 1.0,
             lambda v: torch.nn.functional.dropout(v, training=False) * 0,
             lambda v: torch.rand(3, generator=torch.Generator()), *[lambda v, n=n: getattr(v * 1, n)() for n in fills]]
    out = []
    for randomness in ("error", "different", "same"):
        for case in cases:
            found = attempt(lambda: f.vmap(case, randomness=randomness)(x))
            out.append(found if isinstance(found, tuple) else (tuple(found.shape), same(found)))
    nested = [f.vmap(lambda v: f.vmap(lambda u: torch.rand(2), randomness=a)(v), randomness=b)(x)
              for a in ("same", "different") for b in ("same", "different")]
    out += [[tuple(t.shape), same(t), same(t.transpose(0, 1))] for t in nested]
    whole = torch.rand(6, 2)
    for randomness in ("same", "different"):
        t = f.vmap(lambda v: torch.rand(2) + v * 0, randomness=randomness, chunk_size=4)(whole)
        out.append([tuple(t.shape), same(t)])
    out.append(f.vmap(lambda v: f.grad(lambda u: (torch.rand(3) * u).sum())(v), randomness="different")(x).shape)
    return out


def script_new_tensors_under_vmap(torch):
    v = torch.func.vmap
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    makers = [lambda t: t.new_zeros(3), lambda t: t.new_ones(3), lambda t: t.new_full((3,), 2.0),
              lambda t: t.new_empty(3).zero_(),
              lambda t: torch.zeros_like(t), lambda t: torch.ones_like(t), lambda t: torch.full_like(t, 2.0)]
    return ([v(lambda t: make(t).add_(t))(x) for make in makers], [v(lambda t: make(t))(x) for make in makers],
            [v(torch.func.grad(lambda t: (make(t).add_(t) * t).sum()))(x) for make in makers],
            attempt(lambda: v(lambda t: t.new_tensor([1.0, 2.0, 3.0]).add_(t))(x))[:2])
