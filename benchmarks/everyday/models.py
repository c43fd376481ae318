"""Random numbers and sampling, trees of arrays, dynamic programming, differential equations, fits, rules of users."""

import numpy as np
from everyday.programs import between, definite, normal, positive, program

ROOM = "random numbers"


@program(ROOM, normal(100))
def normal_draws(L, x):
    return L.np.sum(x * L.random.normal(L.random.PRNGKey(0), (100,)))


@program(ROOM, normal(100))
def uniform_draws(L, x):
    return L.np.sum(x * L.random.uniform(L.random.PRNGKey(0), (100,)))


@program(ROOM, normal(100))
def dropout_in_a_scan(L, x):
    def step(c, k):
        return L.np.tanh(L.np.where(L.random.bernoulli(k, 0.8, (100,)), c / 0.8, 0.0)), None

    return L.np.sum(L.lax.scan(step, x, L.random.split(L.random.PRNGKey(1), 20))[0])


@program(ROOM, normal(100))
def folded_keys(L, x):
    k = L.random.PRNGKey(1)
    return L.lax.scan(lambda c, i: (c * 0.9 + L.random.normal(L.random.fold_in(k, i), ()), None), x[0],
                      np.arange(200))[0]


@program(ROOM, normal(3))
def keys_in_the_carry(L, x):
    def step(s, _):
        v, k = s
        k, one = L.random.split(k)
        return (v * 0.9 + L.random.uniform(one, ()), k), v

    return L.np.sum(L.lax.scan(step, (x[0], L.random.PRNGKey(1)), None, length=200)[1])


@program(ROOM, normal(100))
def random_places(L, x):
    return L.lax.scan(lambda c, k: (c * 0.9 + x[L.random.randint(k, (), 0, 100)], None), 0.0,
                      L.random.split(L.random.PRNGKey(1), 200))[0]


@program(ROOM, np.arange(1.0, 6.0))
def exponential_draws(L, x):
    return L.lax.scan(lambda c, k: (c * 0.5 + L.np.sum(x * L.random.exponential(k, (5,))), None), 0.0,
                      L.random.split(L.random.PRNGKey(1), 100))[0]


@program(ROOM, normal(10))
def a_variational_bound(L, m):
    z = m + 0.3 * L.random.normal(L.random.PRNGKey(2), (64, 10))
    return L.np.mean(-0.5 * L.np.sum(z * z, -1) + L.np.sum(L.np.sin(z), -1))


@program(ROOM, normal(20))
def bootstrap_means(L, x):
    keys = L.random.split(L.random.PRNGKey(3), 50)
    return L.np.std(L.f.vmap(lambda k: L.np.mean(L.np.take(x, L.random.randint(k, (20,), 0, 20))))(keys))


ROOM = "sampling"


@program(ROOM, normal(3))
def metropolis(L, x):
    def step(c, k):
        one, other = L.random.split(k)
        p = c + 0.5 * L.random.normal(one, ())
        c = L.np.where(L.np.log(L.random.uniform(other, ())) < 0.5 * (c * c - p * p), p, c)
        return c, c

    return L.np.mean(L.lax.scan(step, x[0], L.random.split(L.random.PRNGKey(1), 200))[1])


@program(ROOM, normal(3))
def hamiltonian_monte_carlo(L, x):
    def density(q):
        return -0.5 * L.np.sum(q * q) - 0.1 * L.np.sum(q ** 4)

    slope = L.f.grad(density)

    def leap(_, s):
        q, p = s
        p = p + 0.05 * slope(q)
        q = q + 0.1 * p
        return q, p + 0.05 * slope(q)

    def step(q, k):
        one, other = L.random.split(k)
        p = L.random.normal(one, (3,))
        new, momentum = L.lax.fori_loop(0, 10, leap, (q, p))
        gain = density(new) - 0.5 * L.np.sum(momentum ** 2) - density(q) + 0.5 * L.np.sum(p * p)
        q = L.np.where(L.np.log(L.random.uniform(other, ())) < gain, new, q)
        return q, q[0]

    return L.np.mean(L.lax.scan(step, x, L.random.split(L.random.PRNGKey(1), 50))[1])


@program(ROOM, normal(2))
def gibbs(L, x):
    def step(s, k):
        one, other = L.random.split(k)
        a, b = s
        a = 0.8 * b + 0.6 * L.random.normal(one, ())
        return (a, 0.8 * a + 0.6 * L.random.normal(other, ())), a

    return L.np.mean(L.lax.scan(step, (x[0], x[1]), L.random.split(L.random.PRNGKey(1), 500))[1])


@program(ROOM, normal(5))
def a_bandit(L, x):
    def step(q, k):
        one, other = L.random.split(k)
        a = L.np.argmax(q + 0.1 * L.random.normal(one, (5,)))
        r = x[a] + L.random.normal(other, ())
        return L.np.where(np.arange(5) == a, q + 0.1 * (r - q[a]), q), r

    return L.np.mean(L.lax.scan(step, np.zeros(5), L.random.split(L.random.PRNGKey(1), 200))[1])


@program(ROOM, normal(3))
def langevin(L, x):
    def step(c, k):
        return c - 0.01 * c + 0.1 * L.random.normal(k, (3,)) * L.np.sin(c), c[0]

    return L.np.mean(L.lax.scan(step, x, L.random.split(L.random.PRNGKey(1), 100))[1])


@program(ROOM, normal(50))
def a_particle_filter(L, x):
    def step(p, k):
        one, other = L.random.split(k)
        p = 0.9 * p + 0.2 * L.random.normal(one, (50,))
        w = L.nn.softmax(-0.5 * p ** 2)
        u = (np.arange(50) + L.random.uniform(other, ())) / 50
        return p[L.np.clip(L.np.searchsorted(L.np.cumsum(w), u), 0, 49)], L.np.mean(p)

    return L.np.sum(L.lax.scan(step, x, L.random.split(L.random.PRNGKey(4), 30))[1])


@program(ROOM, normal(4))
def chains_under_vmap(L, x):
    def chain(k, start):
        def step(c, k):
            return c + 0.1 * L.random.normal(k, ()) - 0.05 * c, None

        return L.lax.scan(step, start, L.random.split(k, 100))[0]

    return L.np.sum(L.f.vmap(chain)(L.random.split(L.random.PRNGKey(5), 4), x) ** 2)


ROOM = "trees of arrays"
SIZES = ((10, 32), (32, 32), (32, 1))
NET = {f"layer {i}": {"w": 0.3 * normal(*s), "b": np.zeros(s[1])} for i, s in enumerate(SIZES)}
INPUTS, TARGETS = normal(40, 10), normal(40, 1)


def _loss(L, net, x, y):
    for name in sorted(net):
        x = L.np.tanh(x @ net[name]["w"] + net[name]["b"])
    return L.np.mean((x - y) ** 2)


@program(ROOM, NET)
def a_network_of_dicts(L, net):
    return _loss(L, net, INPUTS, TARGETS)


@program(ROOM, NET, slope=False)
def a_step_of_adam(L, net):
    slope = L.f.grad(lambda p: _loss(L, p, INPUTS, TARGETS))(net)
    found = {}
    for name, layer in net.items():
        found[name] = {}
        for key, p in layer.items():
            m, v = 0.1 * slope[name][key], 0.001 * slope[name][key] ** 2
            found[name][key] = p - 1e-3 * (m / 0.1) / (L.np.sqrt(v / 0.001) + 1e-8)
    return found


@program(ROOM, NET, slope=False)
def training_in_a_scan(L, net):
    slope = L.f.grad(lambda p: _loss(L, p, INPUTS, TARGETS))

    def step(p, _):
        g = slope(p)
        return {n: {k: p[n][k] - 0.05 * g[n][k] for k in p[n]} for n in p}, None

    return L.lax.scan(step, net, None, length=20)[0]


@program(ROOM, [normal(5, seed=k) for k in range(40)])
def forty_arrays(L, xs):
    return sum(L.np.sum(L.np.sin(x) * k) for k, x in enumerate(xs))


@program(ROOM, NET)
def slopes_of_examples(L, net):
    each = L.f.vmap(L.f.grad(lambda p, x, y: _loss(L, p, x[None], y[None])), in_axes=(None, 0, 0))
    return sum(L.np.mean(g ** 2) for n in sorted(net) for g in each(net, INPUTS, TARGETS)[n].values())


@program(ROOM, {"a": normal(3), "b": (normal(4), [normal(2, 2)])})
def a_nested_tree_in_a_scan(L, t):
    def step(t, _):
        return {"a": L.np.sin(t["a"]), "b": (t["b"][0] * 0.9, [t["b"][1][0] @ t["b"][1][0] * 0.3])}, None

    t = L.lax.scan(step, t, None, length=30)[0]
    return L.np.sum(t["a"]) + L.np.sum(t["b"][0]) + L.np.sum(t["b"][1][0])


@program(ROOM, {"w": 0.2 * normal(16, 16), "u": 0.2 * normal(8, 16)})
def a_recurrent_network(L, p):
    return L.np.sum(L.lax.scan(lambda h, x: (L.np.tanh(h @ p["w"] + x @ p["u"]), None), np.zeros(16),
                               normal(50, 8))[0] ** 2)


ROOM = "control flow"


@program(ROOM, normal(50))
def branches_in_a_scan(L, x):
    def step(c, v):
        return L.lax.cond(v > 0, lambda c: c * 0.9 + v, lambda c: L.np.sin(c) - v, c), None

    return L.lax.scan(step, 0.1, x)[0]


@program(ROOM, normal(60))
def switches_in_a_scan(L, x):
    ways = [L.np.sin, L.np.cos, L.np.tanh, lambda c: c * 0.5]
    return L.lax.scan(lambda c, v: (L.lax.switch(v[1], ways, c + v[0]), None), 0.1, (x, np.arange(60) % 4))[0]


@program(ROOM, normal(100))
def branches_under_vmap(L, x):
    return L.np.sum(L.f.vmap(lambda v: L.lax.cond(v > 0, lambda v: v * v, lambda v: L.np.exp(v), v))(x))


@program(ROOM, positive(50))
def newton_roots_under_vmap(L, a):
    def root(a):
        return L.lax.fori_loop(0, 8, lambda _, x: 0.5 * (x + a / x), a)

    return L.np.sum(L.f.vmap(root)(a))


@program(ROOM, np.array([1.0, 1.0]), slope=False)
def newton_in_a_while_loop(L, start):
    def f(x):
        return L.np.stack([x[0] ** 2 + x[1] ** 2 - 4, x[0] * x[1] - 1 + 0.1 * L.np.sin(x[0])])

    def step(s):
        x, _, n = s
        d = L.np.linalg.solve(L.f.jacfwd(f)(x), f(x))
        return x - d, L.np.sum(d * d), n + 1

    return L.lax.while_loop(lambda s: (s[1] > 1e-20) & (s[2] < 30), step, (start * np.array([2.0, 0.5]), 1.0, 0))[0]


@program(ROOM, normal(2), slope=False)
def bisection(L, x):
    def step(s):
        a, b = s
        m = 0.5 * (a + b)
        high = m ** 3 + m > 1.0 + 0.1 * x[0]
        return L.np.where(high, a, m), L.np.where(high, m, b)

    return L.lax.while_loop(lambda s: s[1] - s[0] > 1e-12, step, (0.0, 2.0))[0]


@program(ROOM, normal(200))
def a_map_of_rows(L, x):
    return L.np.sum(L.lax.map(lambda v: L.np.sin(v) * L.np.exp(-v * v), x))


ROOM = "dynamic programming"


@program(ROOM, normal(40, 8), normal(8, 8))
def viterbi(L, e, t):
    return L.np.max(L.lax.scan(lambda s, e: (L.np.max(s[:, None] + t, 0) + e, None), e[0], e[1:])[0])


@program(ROOM, normal(40, 8), normal(8, 8))
def forward_algorithm(L, e, t):
    return L.special.logsumexp(L.lax.scan(
        lambda s, e: (L.special.logsumexp(s[:, None] + t, axis=0) + e, None), e[0], e[1:])[0])


@program(ROOM, normal(30, 30))
def time_warping(L, d):
    d = d * d

    def row(above, line):
        def cell(left, v):
            cost, up, corner = v
            best = cost - L.special.logsumexp(-L.np.stack([left, up, corner]))
            return best, best

        corner = L.np.concatenate([above[:1] + 1e3, above[:-1]])
        return L.lax.scan(cell, 1e3, (line, above, corner))[1], None

    return L.lax.scan(row, L.np.cumsum(d[0]), d[1:])[0][-1]


@program(ROOM, between(20, 4))
def value_iteration(L, r):
    def step(v, _):
        return L.np.max(r + 0.9 * v[NEXT], 1), None

    return L.np.sum(L.lax.scan(step, np.zeros(20), None, length=40)[0])


NEXT = np.arange(80).reshape(20, 4) * 13 % 20


@program(ROOM, normal(25))
def a_knapsack_made_smooth(L, v):
    def step(best, item):
        taken = L.np.roll(best, 3) + item
        return L.np.logaddexp(best, taken), None

    return L.lax.scan(step, np.zeros(40), v)[0][-1]


@program(ROOM, normal(50))
def longest_run_by_prefixes(L, x):
    return L.np.max(L.lax.associative_scan(L.np.maximum, L.np.cumsum(x)))


@program(ROOM, positive(60))
def products_by_prefixes(L, x):
    def join(a, b):
        return a[0] * b[0], b[0] * a[1] + b[1]

    return L.np.sum(L.lax.associative_scan(join, (x * 0.5, x))[1])


ROOM = "differential equations"


@program(ROOM, normal(128))
def heat(L, u):
    def step(u, _):
        return u + 0.2 * (L.np.roll(u, 1) - 2 * u + L.np.roll(u, -1)), None

    return L.np.sum(L.lax.scan(step, u, None, length=100)[0] ** 2)


@program(ROOM, normal(32, 32))
def a_wave(L, u):
    def lap(u):
        return L.np.roll(u, 1, 0) + L.np.roll(u, -1, 0) + L.np.roll(u, 1, 1) + L.np.roll(u, -1, 1) - 4 * u

    def step(s, _):
        u, v = s
        v = v + 0.1 * lap(u)
        return (u + 0.1 * v, v), None

    return L.np.sum(L.lax.scan(step, (u, 0 * u), None, length=30)[0][0] ** 2)


@program(ROOM, normal(100))
def burgers(L, u):
    def step(u, _):
        flux = 0.5 * u ** 2
        return u - 0.01 * (L.np.roll(flux, -1) - L.np.roll(flux, 1)) + 0.05 * (
            L.np.roll(u, 1) - 2 * u + L.np.roll(u, -1)), None

    return L.np.sum(L.lax.scan(step, u, None, length=50)[0] ** 2)


@program(ROOM, positive(24, 24))
def reaction_and_diffusion(L, u):
    def lap(u):
        p = L.np.pad(u, 1, mode="edge")
        return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u

    def step(s, _):
        u, v = s
        r = u * v * v
        return (u + 0.1 * lap(u) - r + 0.04 * (1 - u), v + 0.05 * lap(v) + r - 0.1 * v), None

    return L.np.sum(L.lax.scan(step, (u, 0.3 * u), None, length=30)[0][1])


@program(ROOM, np.array([1.5, 1.0, 3.0, 1.0]))
def lotka_volterra(L, p):
    def f(y):
        return L.np.stack([p[0] * y[0] - p[1] * y[0] * y[1], -p[2] * y[1] + p[3] * y[0] * y[1]])

    def step(y, _):
        a = f(y)
        b = f(y + 0.01 * a)
        return y + 0.01 * (a + b), y[0]

    return L.np.mean(L.lax.scan(step, np.ones(2), None, length=200)[1])


@program(ROOM, np.array([10.0, 28.0, 8 / 3]))
def lorenz(L, p):
    def f(s):
        x, y, z = s
        return p[0] * (y - x), x * (p[1] - z) - y, x * y - p[2] * z

    def step(s, _):
        d = f(s)
        half = f(tuple(a + 0.005 * b for a, b in zip(s, d)))
        return tuple(a + 0.01 * b for a, b in zip(s, half)), None

    return L.lax.scan(step, (1.0, 1.0, 1.0), None, length=100)[0][0]


@program(ROOM, normal(20, 3))
def bodies(L, x):
    def force(x):
        d = x[:, None] - x[None]
        return -L.np.sum(d / (L.np.sum(d * d, -1, keepdims=True) + 0.1) ** 1.5, 1)

    def step(s, _):
        x, v = s
        v = v + 0.01 * force(x)
        return (x + 0.01 * v, v), None

    return L.np.sum(L.lax.scan(step, (x, 0 * x), None, length=20)[0][0] ** 2)


@program(ROOM, normal(8), slope=False)
def slopes_of_a_solution(L, y):
    def end(y):
        return L.lax.scan(lambda y, _: (y + 0.05 * L.np.tanh(L.np.roll(y, 1) - y), None), y, None, length=40)[0]

    return L.f.jacfwd(end)(y)


@program(ROOM, normal(16))
def a_physics_informed_network(L, w):
    def u(x):
        return L.np.sum(w[:8] * L.np.tanh(w[8:] * x))

    def rest(x):
        return L.f.grad(L.f.grad(u))(x) + u(x)

    return L.np.mean(L.f.vmap(rest)(np.linspace(0, 1, 30)) ** 2)


ROOM = "fits"


@program(ROOM, normal(5), normal(200, 5))
def poisson_regression(L, w, x):
    eta = x @ w * 0.3
    return L.np.sum(L.np.exp(eta) - np.arange(200) % 5 * eta)


@program(ROOM, normal(4), normal(100, 4), slope=False)
def newton_for_a_logistic_fit(L, w, x):
    y = np.arange(100) % 2

    def loss(w):
        return L.np.sum(L.np.logaddexp(0.0, x @ w) - y * (x @ w)) + 0.5 * L.np.sum(w * w)

    def step(w, _):
        return w - L.np.linalg.solve(L.f.hessian(loss)(w), L.f.grad(loss)(w)), None

    return L.lax.scan(step, w, None, length=5)[0]


@program(ROOM, normal(3), normal(40, 2))
def a_gaussian_process(L, p, x):
    d = L.np.sum((x[:, None] - x[None]) ** 2, -1)
    c = L.np.linalg.cholesky(L.np.exp(p[0]) * L.np.exp(-d * L.np.exp(p[1])) + (0.1 + L.np.exp(p[2])) * np.eye(40))
    z = L.linalg.solve_triangular(c, L.np.sin(x[:, 0] * 3), lower=True)
    return 0.5 * z @ z + L.np.sum(L.np.log(L.np.diagonal(c)))


@program(ROOM, normal(3, 2), normal(200, 2))
def a_mixture(L, m, x):
    return -L.np.sum(L.special.logsumexp(-0.5 * L.np.sum((x[:, None] - m[None]) ** 2, -1), axis=1))


@program(ROOM, np.array([0.5, 1.0]), positive(100))
def a_gamma_likelihood(L, p, x):
    a, b = L.np.exp(p[0]), L.np.exp(p[1])
    return -L.np.sum(a * L.np.log(b) - L.special.gammaln(a) + (a - 1) * L.np.log(x) - b * x)


@program(ROOM, normal(2), slope=False)
def gauss_newton(L, p):
    t = np.linspace(0, 1, 30)

    def rest(p):
        return p[0] * L.np.exp(-p[1] * t) - 2.0 * np.exp(-1.3 * t)

    def step(p, _):
        j, r = L.f.jacfwd(rest)(p), rest(p)
        return p - L.np.linalg.solve(j.T @ j + 1e-3 * np.eye(2), j.T @ r), None

    return L.lax.scan(step, p, None, length=10)[0]


@program(ROOM, normal(10), definite(10), slope=False)
def gradient_descent(L, x, a):
    slope = L.f.grad(lambda x: 0.5 * x @ a @ x + L.np.sum(L.np.cos(x)))
    return L.lax.scan(lambda x, _: (x - 0.01 * slope(x), None), x, None, length=100)[0]


@program(ROOM, normal(6), slope=False)
def an_unrolled_inner_fit(L, x):
    def outer(s):
        inner = L.f.grad(lambda w: L.np.sum((w - s * x) ** 2) + L.np.sum(w ** 4))
        w = L.lax.scan(lambda w, _: (w - 0.05 * inner(w), None), 0.0 * x, None, length=30)[0]
        return L.np.sum(w ** 2)

    return L.f.grad(outer)(1.3)


@program(ROOM, normal(12))
def a_hessian_vector_product(L, x):
    def f(x):
        return L.np.sum((x[1:] - x[:-1] ** 2) ** 2) + L.np.sum(L.np.cos(x))

    return L.np.sum(L.f.jvp(L.f.grad(f), (x,), (np.ones(12),))[1] ** 2)


ROOM = "rules of users and checkpoints"


@program(ROOM, normal(100))
def a_rule_in_a_scan(L, x):
    f = L.f.custom_vjp(lambda y: L.np.sin(y) * y)
    f.defvjp(lambda y: (L.np.sin(y) * y, y), lambda y, g: ((L.np.cos(y) * y + L.np.sin(y)) * g,))
    return L.lax.scan(lambda c, v: (f(c * 0.9) + v * 0.1, None), 0.3, x)[0]


@program(ROOM, normal(100))
def a_forward_rule(L, x):
    f = L.f.custom_jvp(lambda y: L.np.where(y > 0, L.np.sqrt(L.np.abs(y)), 0.0))
    f.defjvp(lambda p, t: (f(*p), t[0] / (2.0 * f(*p) + 0.1)))
    return L.np.sum(f(x) ** 2 + f(-x))


@program(ROOM, normal(100))
def twenty_checkpoints(L, x):
    f = L.f.checkpoint(lambda y: L.np.tanh(y * 1.1 + 0.1))
    for _ in range(20):
        x = f(x)
    return L.np.sum(x)


@program(ROOM, normal(50))
def a_checkpoint_in_a_scan(L, x):
    f = L.f.checkpoint(lambda c, v: L.np.sin(c) * L.np.cos(v) + 0.5 * c)
    return L.lax.scan(lambda c, v: (f(c, v), None), 0.2, x)[0]


@program(ROOM, normal(50))
def stopped_gradients(L, x):
    y = L.np.tanh(x)
    return L.np.sum((y - L.lax.stop_gradient(y * 0.9)) ** 2 * x)


@program(ROOM, normal(40))
def a_clipped_slope(L, x):
    f = L.f.custom_vjp(lambda y: y)
    f.defvjp(lambda y: (y, None), lambda _, g: (L.np.clip(g, -0.1, 0.1),))
    return L.np.sum(f(L.np.exp(x)) ** 2)
