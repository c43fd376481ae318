"""opt_einsum on tensors: it finds its functions in the package that an array's type is of."""

import numpy as np
import opt_einsum
import pytest

import covector
import covector.compat.torch as torch

rng = np.random.default_rng(0)
FORMULAS = ["ij,jk,kl->il", "ij,ij->", "ij,kl->lkji", "ijk,jk,kl,lm->im", "ii,ij->j", "ab,cd,ef->fbdaec"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_contractions_of_tensors_are_tensors_with_gradients(formula):
    sizes = dict.fromkeys(formula, 3)
    arrays = [rng.normal(size=[sizes[c] for c in term]) for term in formula.partition("->")[0].split(",")]
    leaves = [torch.tensor(a, requires_grad=True) for a in arrays]
    out = opt_einsum.contract(formula, *leaves)
    assert type(out) is torch.Tensor
    expected, pull = covector.vjp(lambda *xs: covector.numpy.einsum(formula, *xs), *arrays)
    np.testing.assert_allclose(out.detach().numpy(), expected, rtol=1e-12)
    ct = rng.normal(size=expected.shape)
    for found, wanted in zip(torch.autograd.grad(out, leaves, torch.tensor(ct)), pull(ct)):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)


def test_expressions_take_tensors_too():
    a, b = torch.ones(2, 3), torch.ones(3, 4)
    out = opt_einsum.contract_expression("ij,jk->ik", (2, 3), (3, 4))(a, b)
    assert type(out) is torch.Tensor and out.tolist() == [[3.0] * 4] * 2


def test_arrays_and_traced_values_take_the_functions_of_arrays():
    a, b = rng.normal(size=(2, 3)), rng.normal(size=(3, 2))
    assert type(covector.tensordot(a, b, 1)) is np.ndarray
    slope = covector.grad(lambda a: opt_einsum.contract("ij,ji->", a, b))(a)
    np.testing.assert_allclose(slope, b.T)
    assert covector.transpose(a, (1, 0)).shape == (3, 2) and covector.einsum("ij->j", a).shape == (3,)
