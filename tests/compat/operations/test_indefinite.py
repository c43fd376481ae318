"""Factors of symmetric and Hermitian matrices: exchanges and numbers, solutions, derivatives by differences."""

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt


def matrices(torch, *shape, complex_=False, hermitian=False, bare=False, seed=0):
    """Symmetric or Hermitian matrices; with zeros on the diagonal all pivots are of two rows."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=shape) + (1j * rng.normal(size=shape) if complex_ else 0.0)
    turned = np.swapaxes(a, -1, -2)
    a = a + (turned.conj() if hermitian else turned)
    return torch.tensor(a * (1 - np.eye(shape[-1])) if bare else a)


def plain(torch, t):
    """The same numbers in the order of their axes."""
    return torch.stack([t])[0]


KINDS = [{}, {"complex_": True}, {"complex_": True, "hermitian": True}]


def script_factors_and_exchanges(torch):
    found = []
    for seed, kind in enumerate(KINDS * 3):
        for bare in (False, True):
            a = matrices(torch, 2, 6, 6, bare=bare, seed=seed, **kind)
            found += torch.linalg.ldl_factor_ex(a, hermitian=kind.get("hermitian", False))
    found = [plain(torch, t) for t in found]
    return [*found, *torch.linalg.ldl_factor(matrices(torch, 3, 3).float()), plain(torch, torch.linalg.ldl_factor(
        matrices(torch, 0, 2, 2)).LD), torch.linalg.ldl_factor(matrices(torch, 4, 4)).LD.stride()]


def script_matrices_without_factors(torch):
    linalg = torch.linalg
    return [*linalg.ldl_factor_ex(torch.zeros(2, 3, 3)),
            *[attempt(f)[:2] for f in (
                lambda: linalg.ldl_factor_ex(torch.ones(3)), lambda: linalg.ldl_factor(torch.ones(3, 2)),
                lambda: linalg.ldl_factor(torch.ones(3, 3).long()))]]


def script_solutions(torch):
    found = []
    for seed, kind in enumerate(KINDS):
        herm = kind.get("hermitian", False)
        a = matrices(torch, 2, 4, 4, seed=seed, **kind)
        packed, pivots = torch.linalg.ldl_factor(a, hermitian=herm)
        solve = torch.linalg.ldl_solve
        for b in (a[:, :, :2], a[0, :, :1], a[:1]):
            found.append(solve(packed, pivots, b, hermitian=herm))
        found += [solve(packed[0], pivots[0].long(), a[:, :, :3], hermitian=herm),
                  solve(packed[:0], pivots[:0], a[:0], hermitian=herm)]
    found = [plain(torch, t) for t in found]
    odd = [lambda: solve(packed, pivots, a[0, 0]), lambda: solve(packed, pivots, a[:, :3]),
           lambda: solve(packed, pivots.double(), a), lambda: solve(packed, pivots[0], a),
           lambda: solve(packed, pivots, a.real), lambda: solve(packed[:, :2], pivots, a)]
    return found + [attempt(f)[:2] for f in odd]


def script_mapped_matrices(torch):
    a = matrices(torch, 3, 4, 4, seed=2)
    return [plain(torch, t) for t in torch.func.vmap(lambda x: tuple(torch.linalg.ldl_factor_ex(x)))(a)[:2]]


@pytest.mark.parametrize("kind", KINDS, ids=["real", "symmetric", "hermitian"])
@pytest.mark.parametrize("bare", [False, True], ids=["any", "pairs"])
def test_derivatives_agree_with_differences(kind, bare):
    herm = kind.get("hermitian", False)
    a = matrices(compat, 3, 3, bare=bare, **kind)
    a.requires_grad_()
    b = matrices(compat, *a.shape, seed=9, **kind).requires_grad_()
    linalg = compat.linalg

    def factor(x):
        return linalg.ldl_factor(x, hermitian=herm).LD

    def solved(x, y):
        return linalg.ldl_solve(*linalg.ldl_factor(x, hermitian=herm), y, hermitian=herm)

    check = compat.autograd.gradcheck
    assert check(factor, (a,), check_forward_ad=True, check_batched_grad=True)
    assert check(solved, (a, b), check_forward_ad=True)
    assert compat.autograd.gradgradcheck(solved, (a, b), fast_mode=True)


def test_derivatives_where_there_is_no_factor_are_refused():
    zero = compat.zeros(3, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"ldl_factor_ex: the factor D of a matrix is singular: its pivot 1 is 0"):
        compat.linalg.ldl_factor_ex(zero)
