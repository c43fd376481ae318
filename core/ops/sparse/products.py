"""Products with sparse matrices, and their transposes: sums over columns at the places of values."""

import math

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...errors import BackendError, at_user_line
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ..dependence import Pairs, numbered
from ..samples import Sample
from ..shaping import broadcast_to, reshape, transpose
from .patterns import SparsePattern

# The three operations are the trilinear form Σ u[i, k] a[e] v[j, k] over the values e = (i, j) of the matrix, with one
# argument taken away. `turned` exchanges the roles of rows and columns.


def only_numpy(xp, name):
    """Raise for arrays of other libraries."""
    if xp is not np:
        raise BackendError(f"{name} computes with scipy.sparse, on NumPy's arrays alone; convert them to NumPy first"
                           f"{at_user_line()}")


def in_batches(run, lead, *operands):
    """`run` on each example of operands that have the same leading axes, if there are any."""
    if not lead:
        return run(*operands)
    flat = [x.reshape((math.prod(lead), *x.shape[len(lead) :])) for x in operands]
    rows = [run(*each) for each in zip(*flat)]
    return np.stack(rows).reshape((*lead, *rows[0].shape)) if rows else None


def _product(xp, data, x, pattern, turned):
    only_numpy(xp, "sparse_matmul")
    lead = np.shape(data)[:-1]
    out = in_batches(lambda d, v: np.asarray(pattern.matrix(d, turned) @ v), lead, np.asarray(data), np.asarray(x))
    if out is None:
        return np.zeros((*lead, pattern.shape[turned], x.shape[-1]), np.result_type(data, x))
    return out.astype(np.result_type(data, x), copy=False)


def side_by_side(fun, x, size):
    """`fun` of a batch of matrices (size, n, k) as one matrix (n, size k)."""
    n, k = x.shape[1:]
    out = fun(reshape(transpose(x, (1, 0, 2)), (n, size * k)))
    return transpose(reshape(out, (out.shape[0], size, k)), (1, 0, 2))


def alike(values, batched, size):
    """Operands that all have the batch axis in front."""
    return [x if b else broadcast_to(x, (size, *x.shape)) for x, b in zip(values, batched)]


def _batch(data, x, pattern, turned, batched, size):
    if not batched[0] and data.ndim == 1 and size:
        return side_by_side(lambda v: sparse_matmul(data, v, pattern, turned), x, size)
    return sparse_matmul(*alike((data, x), batched, size), pattern, turned)


def _depends(data, x, pattern, turned):
    if data.ndim > 1:
        return {}
    rows, columns = (pattern.columns, pattern.rows) if turned else (pattern.rows, pattern.columns)
    k = np.arange(x.shape[1])
    return {0: (rows, np.repeat(np.arange(pattern.shape[turned])[:, None], x.shape[1], 1)),
            1: Pairs((columns[:, None] * len(k) + k).ravel(), (rows[:, None] * len(k) + k).ravel())}


def _patterns():
    """Patterns for samples: square, wide, and without values."""
    for m, n, places in ((3, 3, [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)]), (2, 4, [(0, 3), (1, 0), (1, 2)]), (2, 3,
        [])):
        starts = np.concatenate([[0], np.cumsum(np.bincount([i for i, _ in places], minlength=m))]).astype(int)
        yield SparsePattern(starts, np.array([j for _, j in places], int), (m, n))


def _samples(rng):
    out = []
    for pattern in _patterns():
        for turned in (False, True):
            for c in (0.0, 1j):
                n = pattern.shape[not turned]
                params = {"pattern": pattern, "turned": turned}
                out.append(Sample(rng.normal(size=pattern.size) + c, rng.normal(size=(n, 2)) + c, params=params))
    pattern = next(_patterns())
    params = {"pattern": pattern, "turned": False}
    out.append(Sample(rng.normal(size=(2, 5)), rng.normal(size=(2, 3, 1)), params=params))
    out.append(Sample(rng.normal(size=5).astype(np.float32), rng.normal(size=(3, 2)).astype(np.float32), params=params))
    return out


ABSENT = {"()": "its operands are vectors and matrices", "broadcast": "the pattern says the shapes"}

sparse_matmul = primitive(
    "sparse_matmul",  # data: (*b, values), x: (*b, n, k) -> (*b, m, k): the matrix with these values, or its transpose
    host=True,
    impl=lambda xp, data, x, *, pattern, turned: _product(xp, data, x, pattern, turned),
    shape=lambda data, x, pattern, turned: make_aval(
        (*data.shape[:-1], pattern.shape[turned], x.shape[-1]), result_dtype(data, x)),
    jvp={"data": lambda dx, x, pattern, turned: sparse_matmul(dx, x, pattern, turned),
         "x": lambda dx, data, pattern, turned: sparse_matmul(data, dx, pattern, turned)},
    vjp={"data": lambda ct, x, pattern, turned: sparse_sampled(conj(x), ct, pattern) if turned else sparse_sampled(
        ct, conj(x), pattern),
        "x": lambda ct, data, pattern, turned: sparse_matmul(conj(data), ct, pattern, not turned)},
    batch=_batch,
    linear=("data", "x"),
    depends=_depends,
    absent=ABSENT,
    samples=_samples,
)


def _sampled(xp, u, v, pattern):
    only_numpy(xp, "sparse_sampled")
    lead = np.shape(u)[:-2]

    def run(u, v):
        return np.einsum("ek,ek->e", u[pattern.rows], v[pattern.columns])

    out = in_batches(run, lead, np.asarray(u), np.asarray(v))
    return np.zeros((*lead, pattern.size), np.result_type(u, v)) if out is None else out


def _sampled_batch(u, v, pattern, batched, size):
    return sparse_sampled(*alike((u, v), batched, size), pattern)


def _sampled_depends(u, v, pattern):
    if u.ndim > 2:
        return {}
    return {0: (numbered((u.shape[0], 1)).repeat(u.shape[1], 1), pattern.rows),
            1: (numbered((v.shape[0], 1)).repeat(v.shape[1], 1), pattern.columns)}


def _sampled_samples(rng):
    out = []
    for pattern in _patterns():
        m, n = pattern.shape
        for c in (0.0, 1j):
            out.append(Sample(rng.normal(size=(m, 2)) + c, rng.normal(size=(n, 2)) + c, params={"pattern": pattern}))
    pattern = next(_patterns())
    out.append(Sample(rng.normal(size=(2, 3, 1)), rng.normal(size=(2, 3, 1)), params={"pattern": pattern}))
    out.append(Sample(*[rng.normal(size=(3, 2)).astype(np.float32) for _ in range(2)], params={"pattern": pattern}))
    return out


sparse_sampled = primitive(
    "sparse_sampled",  # u: (*b, m, k), v: (*b, n, k) -> (*b, values): u @ v.T at the places of the values
    host=True,
    impl=lambda xp, u, v, *, pattern: _sampled(xp, u, v, pattern),
    shape=lambda u, v, pattern: make_aval((*u.shape[:-2], pattern.size), result_dtype(u, v)),
    jvp={"u": lambda du, v, pattern: sparse_sampled(du, v, pattern),
         "v": lambda dv, u, pattern: sparse_sampled(u, dv, pattern)},
    vjp={"u": lambda ct, v, pattern: sparse_matmul(ct, conj(v), pattern, False),
         "v": lambda ct, u, pattern: sparse_matmul(ct, conj(u), pattern, True)},
    batch=_sampled_batch,
    linear=("u", "v"),
    depends=_sampled_depends,
    absent=ABSENT,
    samples=_sampled_samples,
)
