"""Loops of 24 kinds, that should not leave compiled code."""

import numpy as np
from everyday.programs import definite, normal, positive, program

ROOM = "loops"


@program(ROOM, normal(20001), slope=False)
def a_running_maximum_to_a_staged_bound(L, d):
    return L.lax.while_loop(lambda c: c[1] < 20_000, lambda c: (L.np.maximum(c[0], d[c[1]]), c[1] + 1), (-1e9, 0))[0]


@program(ROOM, positive(50), slope=False)
def while_in_scan(L, x):
    def root(a):
        return L.lax.while_loop(lambda r: L.np.abs(r * r - a) > 1e-10, lambda r: 0.5 * (r + a / r), a)

    return L.lax.scan(lambda c, v: (c * 0.5 + root(v), None), 0.0, x)[0]


@program(ROOM, positive(10), slope=False)
def scan_in_while(L, x):
    def step(s):
        t, n = s
        return L.lax.scan(lambda c, v: (c * 0.9 + 0.01 * v, None), t, x)[0], n + 1

    return L.lax.while_loop(lambda s: (s[0] > 1e-3) & (s[1] < 50), step, (1.0, 0))[0]


@program(ROOM, positive(64), slope=False)
def while_under_vmap(L, x):
    def halvings(a):
        return L.lax.while_loop(lambda s: s[0] > 0.01, lambda s: (s[0] * 0.7, s[1] + 1), (a, 0))[1]

    return L.f.vmap(halvings)(x)


@program(ROOM, normal(100), np.array(73), slope=False)
def fori_to_a_staged_bound(L, x, n):
    return L.lax.fori_loop(0, n, lambda i, c: c * 0.9 + x[i], 0.0)


@program(ROOM, normal(200))
def branches_in_branches(L, x):
    def step(c, v):
        high = lambda c: L.lax.cond(v > 1.0, lambda c: c * 0.5, lambda c: c + v, c)  # noqa: E731
        return L.lax.cond(v > 0, high, lambda c: L.np.sin(c), c), None

    return L.lax.scan(step, 0.1, x)[0]


@program(ROOM, normal(500), slope=False)
def an_early_exit(L, x):
    return L.lax.while_loop(lambda s: (s[0] < 499) & (x[s[0]] < 2.0), lambda s: (s[0] + 1, s[1] + x[s[0]]), (0, 0.0))


@program(ROOM, normal(64), slope=False)
def slices_of_the_carry(L, x):
    def step(i, c):
        part = L.lax.dynamic_slice(c, (i,), (8,))
        return L.lax.dynamic_update_slice(c, L.np.sin(part) + 0.1, (i,))

    return L.lax.fori_loop(0, 56, step, x)


@program(ROOM, normal(50), slope=False)
def writes_to_the_carry(L, x):
    return L.lax.fori_loop(0, 50, lambda i, c: L.add(c, i * 7 % 50, x[i] * c[i]), x)


@program(ROOM, np.array(27), slope=False)
def an_integer_carry(L, n):
    step = lambda s: (L.np.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1)  # noqa: E731
    return L.lax.while_loop(lambda s: s[0] != 1, step, (n, 0))[1]


@program(ROOM, normal(100), slope=False)
def a_boolean_carry(L, x):
    return L.lax.scan(lambda c, v: ((c[0] ^ (v > 0), c[1] + L.np.where(c[0], v, -v)), None), (True, 0.0), x)[0]


@program(ROOM, normal(50))
def a_carry_of_dicts(L, x):
    def step(c, v):
        return {"m": 0.9 * c["m"] + 0.1 * v, "s": {"v": c["s"]["v"] + v * c["m"]}}, None

    return L.lax.scan(step, {"m": 0.0, "s": {"v": 0.0}}, x)[0]["s"]["v"]


@program(ROOM, definite(5), normal(5))
def solutions_inside(L, a, b):
    return L.np.sum(L.lax.fori_loop(0, 30, lambda _, x: L.np.linalg.solve(a, x + b), b))


@program(ROOM, normal(4, 4), slope=False)
def factorizations_inside(L, a):
    def step(s):
        q, r = L.np.linalg.qr(s[0])
        return r @ q, s[1] + 1

    return L.lax.while_loop(lambda s: s[1] < 30, step, (a, 0))[0]


@program(ROOM, normal(3), slope=False)
def draws_inside(L, x):
    def step(s):
        k, c, n = s
        k, one = L.random.split(k)
        return k, c + L.random.normal(one, ()), n + 1

    return L.lax.while_loop(lambda s: s[2] < 100, step, (L.random.PRNGKey(0), x[0], 0))[1]


@program(ROOM, normal(3), slope=False)
def newton_with_a_staged_jacobian(L, x):
    def f(v):
        return L.np.stack([v[0] ** 2 + v[1] - 2 + 0.1 * x[0], v[1] ** 2 - v[2], v[2] * v[0] - 1])

    def step(s):
        v, _ = s
        d = L.np.linalg.solve(L.f.jacfwd(f)(v), f(v))
        return v - d, L.np.sum(d * d)

    return L.lax.while_loop(lambda s: s[1] > 1e-20, step, (np.ones(3) * 1.2, 1.0))[0]


@program(ROOM, np.linspace(0.1, 3.0, 40), slope=False)
def kepler_in_a_scan(L, m):
    def solve(m):
        return L.lax.while_loop(lambda e: L.np.abs(e - 0.3 * L.np.sin(e) - m) > 1e-12,
                                lambda e: e - (e - 0.3 * L.np.sin(e) - m) / (1 - 0.3 * L.np.cos(e)), m)

    return L.lax.scan(lambda c, v: (c + L.np.cos(solve(v)), None), 0.0, m)[0]


@program(ROOM, normal(30, 4))
def scan_in_scan(L, x):
    return L.lax.scan(lambda c, r: (L.lax.scan(lambda c, v: (L.np.tanh(c) + v, None), c, r)[0], None), 0.0, x)[0]


@program(ROOM, normal(16, 20))
def scan_under_vmap(L, x):
    return L.np.sum(L.f.vmap(lambda r: L.lax.scan(lambda c, v: (L.np.sin(c) * 0.9 + v,) * 2, 0.0, r)[0])(x))


@program(ROOM, np.linspace(0.5, 2.0, 20), slope=False)
def tangents_through_while(L, x):
    def f(a):
        return L.lax.while_loop(lambda s: s[1] < 20, lambda s: (L.np.sin(s[0]) + a, s[1] + 1), (a, 0))[0]

    return L.f.vmap(lambda a: L.f.jvp(f, (a,), (1.0,))[1])(x)


@program(ROOM, normal(40))
def a_counted_loop_with_its_number(L, x):
    return L.np.sum(L.lax.fori_loop(0, 40, lambda i, c: c * 0.95 + x[i] * L.np.cos(i * 0.1), 0.0 * x))


@program(ROOM, normal(10))
def a_loop_back_to_front(L, x):
    return L.np.sum(L.lax.scan(lambda c, v: (c * 0.9 + v,) * 2, 0.0, x, reverse=True)[1] ** 2)


@program(ROOM, np.arange(1000) * 7 % 31, slope=False)
def a_count_of_pairs(L, x):
    return L.lax.fori_loop(1, 1000, lambda i, c: c + (x[i] > x[i - 1]), 0)


@program(ROOM, positive(6), slope=False)
def descent_until_it_stands(L, x):
    slope = L.f.grad(lambda w: L.np.sum((w - x) ** 2) + 0.1 * L.np.sum(w ** 4))
    step = lambda s: (s[0] - 0.05 * slope(s[0]), L.np.max(L.np.abs(slope(s[0]))), s[2] + 1)  # noqa: E731
    return L.lax.while_loop(lambda s: (s[1] > 1e-6) & (s[2] < 500), step, (0.0 * x, 1.0, 0))[0]
