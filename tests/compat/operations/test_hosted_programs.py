"""Programs with what NumPy alone computes, and with checks of elements: the general path's answers for any elements."""

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.dispatch import staged_calls
from covector.compat.torch._impl.dispatch.call import ROWS

F = torch.nn.functional
NAN, INF = float("nan"), float("inf")
VECTORS = [[0.5, -1.0, 2.0, 2.0, 0.0, -0.0], [NAN, 1.0, INF, -INF, NAN, 3.0], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
           [-3.0, NAN, NAN, NAN, 0.25, 0.75]]
OF_VECTORS = {
    "median": lambda x: [x.median()], "median of rows": lambda x: [*x.view(2, 3).median(1)],
    "nanmedian": lambda x: [x.nanmedian()], "sort": lambda x: [*x.sort(), *x.sort(descending=True)],
    "kthvalue": lambda x: [*x.kthvalue(2)], "topk": lambda x: [*x.topk(3)], "mode": lambda x: [*x.mode()],
    "cummax": lambda x: [*x.cummax(0), *x.cummin(0), *x.view(2, 3).cummax(1)],
    "searchsorted": lambda x: [torch.searchsorted(torch.tensor([0.0, 1.0, 2.0], dtype=x.dtype), x),
                               torch.bucketize(x, torch.tensor([0.0, 1.0], dtype=x.dtype), right=True)],
    "isin": lambda x: [torch.isin(x, torch.tensor([1.0, 2.0], dtype=x.dtype))],
    "scatter_reduce": lambda x: [torch.scatter_reduce(torch.ones_like(x), 0, torch.tensor([0, 0, 1, 5, 5, 2]), x,
                                                      "sum")],
    "diag": lambda x: [torch.diag(x), torch.diag_embed(x.view(2, 3)), x.view(2, 3).diagonal(1), x.unfold(0, 3, 2)],
}


@pytest.fixture
def general(monkeypatch):
    """A function that runs another one by the general path."""

    def run(fun, *args):
        with monkeypatch.context() as patch:
            patch.setattr(staged_calls, "PATIENCE", [10**9])
            kept = [(row, dict(row.programs)) for row in ROWS.values()]
            for row, _ in kept:
                row.programs.clear()
            found = fun(*args)
            for row, programs in kept:
                row.programs.clear()
                row.programs.update(programs)
        return found

    return run


def plain(found):
    return [None if t is None else t.detach().double().numpy() for t in found]


@pytest.mark.parametrize("name", OF_VECTORS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_of_vectors(general, name, dtype):
    for _ in range(3):
        for values in VECTORS:
            x = torch.tensor(np.nan_to_num(values) if dtype is torch.int64 else values).to(dtype)
            np.testing.assert_equal(plain(OF_VECTORS[name](x)), plain(general(OF_VECTORS[name], x)))


@pytest.mark.parametrize("name", sorted(OF_VECTORS.keys() - {"searchsorted", "isin"}))
def test_gradients(general, name):
    def gradient(values):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        found = [t for t in OF_VECTORS[name](x) if t.requires_grad]
        sum([(t * torch.arange(1.0, t.numel() + 1).view(t.shape)).nan_to_num().sum() for t in found]).backward()
        return [x.grad]

    for _ in range(3):
        for values in VECTORS:
            np.testing.assert_equal(plain(gradient(values)), plain(general(gradient, values)))


@pytest.mark.parametrize("recorded", [False, True])
def test_decompositions(general, recorded):
    def work(matrix):
        a = torch.tensor(matrix, requires_grad=recorded)
        found = [torch.linalg.cholesky(a), *torch.linalg.cholesky_ex(a), *torch.linalg.eigh(a), torch.linalg.svdvals(a),
                 torch.linalg.eigvalsh(a), *torch.linalg.qr(a), *torch.linalg.svd(a), *torch.linalg.lu_factor(a),
                 torch.linalg.matrix_rank(a)]
        if recorded:
            sum([t.sum() for t in (found[0], found[3], found[5], found[7])]).backward()
        return [*found, a.grad]

    rng = np.random.default_rng(0)
    for _ in range(4):
        m = rng.normal(size=(3, 3))
        matrix = m @ m.T + np.eye(3)
        for a, b in zip(plain(work(matrix)), plain(general(work, matrix)), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12) if a is not None else None


def test_elements_that_are_refused_when_a_program_is_known():
    good, bad = np.eye(3), np.diag([1.0, -1.0, 1.0])
    for _ in range(4):
        torch.linalg.cholesky(torch.tensor(good)), torch.linalg.cholesky_ex(torch.tensor(good))
        torch.linalg.lu_factor(torch.tensor(good))
        F.binary_cross_entropy(torch.tensor([0.0, 1.0]), torch.tensor([0.0, 1.0]))
        F.gaussian_nll_loss(torch.ones(2), torch.ones(2), torch.ones(2))
        torch.scatter_reduce(torch.ones(3), 0, torch.tensor([0, 2]), torch.ones(2), "sum")
    for matrix in (bad, np.full((3, 3), NAN)):
        with pytest.raises(torch.linalg.LinAlgError):
            torch.linalg.cholesky(torch.tensor(matrix))
        assert torch.linalg.cholesky_ex(torch.tensor(matrix)).info > 0
    with pytest.raises(RuntimeError, match="is zero and using it on lu_solve"):
        torch.linalg.lu_factor(torch.tensor(np.diag([1.0, 0.0, 1.0])))
    for probability in (1.5, -0.5, NAN):
        with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
            F.binary_cross_entropy(torch.tensor([0.5, probability]), torch.tensor([0.0, 1.0]))
    with pytest.raises(ValueError, match="var has negative"):
        F.gaussian_nll_loss(torch.ones(2), torch.ones(2), torch.tensor([1.0, -1.0]))
    with pytest.raises(RuntimeError, match="index 3 is out of bounds"):
        torch.scatter_reduce(torch.ones(3), 0, torch.tensor([0, 3]), torch.ones(2), "sum")
