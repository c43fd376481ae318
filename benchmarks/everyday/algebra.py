"""Linear algebra alone, in loops and in stacks; complex numbers and Fourier transforms."""

import numpy as np
from everyday.programs import definite, normal, positive, program

ROOM = "linear algebra"


@program(ROOM, definite(8), normal(8))
def solution_in_a_scan(L, a, b):
    return L.np.sum(L.lax.scan(lambda c, _: (L.np.linalg.solve(a, c) + 0.1 * b, None), b, None, length=50)[0])


@program(ROOM, normal(4, 4))
def iterations_of_qr(L, a):
    def step(c, _):
        q, r = L.np.linalg.qr(c)
        return r @ q, None

    return L.np.sum(L.lax.scan(step, a, None, length=20)[0] ** 2)


@program(ROOM, definite(8))
def cholesky_in_a_scan(L, a):
    return L.lax.scan(lambda c, _: (L.np.log(L.np.linalg.cholesky(a + c * np.eye(8))[0, 0]) * 0.1, None), 0.1, None,
                      length=50)[0]


@program(ROOM, definite(6))
def lowest_eigenvalue_in_a_scan(L, a):
    return L.lax.scan(lambda c, _: (L.np.linalg.eigh(a + c * np.eye(6))[0][0] * 0.1, None), 0.1, None, length=50)[0]


@program(ROOM, normal(50, 4, 4))
def qr_of_a_stack(L, a):
    return L.np.sum(L.np.sin(L.np.linalg.qr(a)[0]))


@program(ROOM, np.stack([definite(8) + k * np.eye(8) for k in range(50)]))
def cholesky_of_a_stack(L, a):
    return L.np.sum(L.np.sin(L.np.linalg.cholesky(a)))


@program(ROOM, np.stack([definite(5) + k * np.eye(5) for k in range(50)]), normal(50, 5))
def solutions_under_vmap(L, a, b):
    return L.np.sum(L.f.vmap(L.np.linalg.solve)(a, b) ** 2)


@program(ROOM, definite(10), normal(10))
def power_iteration(L, a, v):
    def step(v, _):
        w = a @ v
        return w / L.np.linalg.norm(w), None

    v = L.lax.scan(step, v, None, length=50)[0]
    return v @ a @ v


@program(ROOM, definite(20), normal(20))
def conjugate_gradients(L, a, b):
    def step(s, _):
        x, r, p, rs = s
        ap = a @ p
        t = rs / (p @ ap)
        x, r = x + t * p, r - t * ap
        new = r @ r
        return (x, r, r + new / rs * p, new), None

    return L.np.sum(L.lax.scan(step, (0.0 * b, b, b, b @ b), None, length=8)[0][0])


@program(ROOM, normal(12, 12))
def matrix_exponential_by_series(L, a):
    def step(s, k):
        total, term = s
        term = term @ (0.1 * a) / k
        return (total + term, term), None

    return L.np.sum(L.lax.scan(step, (np.eye(12), np.eye(12)), np.arange(1.0, 13.0))[0][0])


@program(ROOM, definite(6))
def logarithm_of_a_determinant(L, a):
    return L.np.linalg.slogdet(a)[1]


@program(ROOM, definite(6))
def inverse_and_determinant(L, a):
    return L.np.sum(L.np.linalg.inv(a)) * L.np.linalg.det(0.1 * a)


@program(ROOM, normal(8, 5))
def singular_values(L, a):
    return L.np.sum(L.np.sqrt(L.np.linalg.svd(a, compute_uv=False)))


@program(ROOM, definite(6))
def eigenvectors(L, a):
    return L.np.sum(L.np.abs(L.np.linalg.eigh(a)[1]) * np.arange(36.0).reshape(6, 6))


@program(ROOM, definite(12), normal(12))
def gaussian_density(L, a, x):
    c = L.np.linalg.cholesky(a)
    z = L.linalg.solve_triangular(c, x, lower=True)
    return -0.5 * L.np.sum(z * z) - L.np.sum(L.np.log(L.np.diagonal(c)))


@program(ROOM, positive(20), normal(20), normal(20))
def tridiagonal_solution(L, d, e, b):
    def down(s, v):
        c, y = s
        d, e, b = v
        w = d + 3.0 - 0.1 * e * c
        return (0.1 * e / w, (b - 0.1 * e * y) / w), (0.1 * e / w, (b - 0.1 * e * y) / w)

    c, y = L.lax.scan(down, (0.0, 0.0), (d, e, b))[1]
    return L.np.sum(L.lax.scan(lambda x, v: (v[1] - v[0] * x,) * 2, 0.0, (c, y), reverse=True)[1] ** 2)


@program(ROOM, normal(6, 6))
def kalman_filter(L, a):
    a = 0.3 * a
    h, q, r = np.eye(2, 6), 0.1 * np.eye(6), 0.2 * np.eye(2)

    def step(s, y):
        m, p = s
        m, p = a @ m, a @ p @ a.T + q
        k = L.np.linalg.solve(h @ p @ h.T + r, h @ p).T
        return (m + k @ (y - h @ m), p - k @ h @ p), None

    return L.np.sum(L.lax.scan(step, (np.ones(6), np.eye(6)), normal(40, 2))[0][0])


@program(ROOM, normal(6, 6))
def riccati_recursion(L, a):
    a, b = 0.3 * a, np.eye(6, 2)

    def step(p, _):
        k = L.np.linalg.solve(np.eye(2) + b.T @ p @ b, b.T @ p @ a)
        return np.eye(6) + a.T @ p @ (a - b @ k), None

    return L.np.trace(L.lax.scan(step, np.eye(6), None, length=30)[0])


@program(ROOM, normal(30, 6), normal(30))
def least_squares(L, a, b):
    return L.np.sum(L.np.linalg.lstsq(a, b)[0] ** 2)


@program(ROOM, normal(10, 10), normal(10, 10))
def kronecker_and_trace(L, a, b):
    return L.np.trace(L.np.kron(a, b) @ np.ones((100, 100)) * 0.01)


ROOM = "complex numbers"


@program(ROOM, normal(16))
def quantum_gates(L, x):
    def gate(state, angle):
        u = L.np.cos(angle) * np.eye(2) + 1j * L.np.sin(angle) * np.array([[0, 1], [1, 0]])
        return L.np.reshape(u @ L.np.reshape(state, (2, 8)), (16,)), None

    state = L.lax.scan(gate, L.np.asarray(np.eye(16)[0] + 0j), x)[0]
    return L.np.abs(state[0]) ** 2


@program(ROOM, normal(100))
def mandelbrot_orbits(L, x):
    c = x * 0.05 + 0.1j
    z = L.lax.scan(lambda z, _: (z * z + c, None), 0.0 * c, None, length=20)[0]
    return L.np.sum(L.np.abs(z) ** 2)


@program(ROOM, normal(200))
def phases(L, x):
    return L.np.abs(L.np.sum(L.np.exp(1j * x * np.arange(200)))) ** 2


@program(ROOM, normal(50))
def impedances(L, x):
    w = np.linspace(0.1, 2.0, 50)
    z = 1.0 + 1j * w * L.np.exp(x) + 1.0 / (1j * w)
    return L.np.sum(L.np.real(z / (1.0 + z)) + L.np.angle(z))


@program(ROOM, normal(4, 4))
def unitary_products(L, x):
    h = x + x.T
    u = np.eye(4) + 0.1j * h
    return L.np.sum(L.np.abs(L.lax.scan(lambda s, _: (u @ s / 1.05, None), np.eye(4) + 0j, None, length=30)[0]) ** 2)


ROOM = "Fourier transforms"


@program(ROOM, normal(1000))
def filter_by_fft(L, x):
    h = L.np.fft.rfft(x * 2.0)
    return L.np.sum(L.np.fft.irfft(h * L.np.exp(-0.01 * np.arange(501.0)), 1000) ** 2)


@program(ROOM, normal(1024))
def power_spectrum(L, x):
    return L.np.sum(L.np.log(1.0 + L.np.abs(L.np.fft.rfft(x * np.hanning(1024))) ** 2))


@program(ROOM, normal(32, 32))
def two_axes(L, x):
    return L.np.sum(L.np.abs(L.np.fft.fft2(L.np.tanh(x))))


@program(ROOM, normal(128))
def spectral_steps(L, u):
    k = np.fft.rfftfreq(128, 1 / 128)

    def step(u, _):
        v = L.np.fft.rfft(u)
        return L.np.fft.irfft(v * np.exp(-1e-3 * k * k), 128) - 0.01 * u ** 3, None

    return L.np.sum(L.lax.scan(step, u, None, length=20)[0] ** 2)


@program(ROOM, normal(8, 64))
def cepstra_under_vmap(L, x):
    return L.np.sum(L.f.vmap(lambda r: L.np.fft.irfft(L.np.log(1.0 + L.np.abs(L.np.fft.rfft(r)))))(x) ** 2)
