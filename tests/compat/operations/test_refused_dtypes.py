"""Dtypes that PyTorch refuses, alone and together, in the table that was measured of it."""

import pytest

import covector.compat.torch as torch

F = torch.nn.functional
BOOL, COMPLEX = torch.tensor([True, False]), torch.tensor([1 + 1j, 2 + 0j])
GRID = torch.zeros(1, 2, 2, 2)
REFUSED = {
    "grid_sample of integers": (lambda: F.grid_sample(torch.ones(1, 1, 2, 2).long(), GRID, align_corners=False),
                                NotImplementedError, "grid_sampler_2d_cpu_kernel_impl\" not implemented for 'Long'"),
    "grid_sample of a double grid": (lambda: F.grid_sample(torch.ones(1, 1, 2, 2), GRID.double(), align_corners=False),
                                     RuntimeError, "expected"),
    "affine_grid of integers": (lambda: F.affine_grid(torch.ones(1, 2, 3).long(), (1, 1, 2, 2)), ValueError,
                                "Expected theta to have floating point type, but got torch.int64"),
    "layer_norm with a double weight": (lambda: F.layer_norm(torch.ones(2, 3), (3,), torch.ones(3).double()),
                                        RuntimeError, "expect parameter to have scalar type of Float"),
    "instance_norm with a double weight": (lambda: F.instance_norm(torch.ones(2, 3, 4), weight=torch.ones(3).double()),
                                           RuntimeError, "expect parameter to have scalar type of Float"),
    "a product of booleans": (lambda: torch.mm(torch.ones(2, 2).bool(), torch.ones(2, 2).bool()),
                              NotImplementedError, "addmm_impl_cpu_\" not implemented for 'Bool'"),
    "smooth_l1_loss of integers": (lambda: F.smooth_l1_loss(torch.ones(2).long(), torch.ones(2).long()),
                                   NotImplementedError, "smooth_l1_cpu\" not implemented for 'Long'"),
    "softmax of complex numbers": (lambda: torch.softmax(torch.ones(2, 2) + 0j, 0), NotImplementedError,
                                   "softmax_kernel_impl\" not implemented for 'ComplexFloat'"),
    "a pool of booleans": (lambda: F.max_pool2d(torch.ones(1, 1, 2, 2).bool(), 2, return_indices=True),
                           NotImplementedError, "max_pool2d\" not implemented for 'Bool'"),
    "hypot of integers": (lambda: torch.hypot(torch.ones(2).long(), torch.ones(2).long()), NotImplementedError,
                          "hypot_cpu\" not implemented for 'Long'"),
    "the same in place": (lambda: torch.ones(2).long().hypot_(torch.ones(2).long()), NotImplementedError,
                          "hypot_cpu\" not implemented for 'Long'"),
    "a power of booleans": (lambda: BOOL**BOOL, NotImplementedError, "pow\" not implemented for 'Bool'"),
    "a power of booleans in place": (lambda: BOOL.clone().pow_(BOOL), NotImplementedError, "pow\" not implemented"),
    "fmod of booleans": (lambda: torch.fmod(BOOL, True), NotImplementedError, "fmod_cpu\" not implemented for 'Bool'"),
    "fmod in place": (lambda: BOOL.clone().fmod_(BOOL), NotImplementedError, "fmod_cpu\" not implemented for 'Bool'"),
    "a largest complex number": (lambda: torch.max(COMPLEX), NotImplementedError, "max_all\" not implemented"),
    "the same along an axis": (lambda: COMPLEX.min(dim=0), RuntimeError, "min(): does not support complex input"),
    "the same of two": (lambda: torch.max(COMPLEX, COMPLEX), RuntimeError, "maximum not implemented for complex"),
    "limits of booleans": (lambda: torch.clamp(BOOL, True, True), NotImplementedError, "clamp_cpu\" not implemented"),
    "batch_norm of complex numbers": (lambda: F.batch_norm(COMPLEX[None] * torch.ones(3, 1), None, None, training=True),
                                      NotImplementedError, "batch_norm\" not implemented for 'ComplexFloat'"),
    "batch_norm of integers": (lambda: F.batch_norm(torch.ones(3, 2).long(), None, None, training=True),
                               NotImplementedError, "batch_norm\" not implemented for 'Long'"),
    "a pool of integers": (lambda: F.max_pool1d(torch.ones(1, 4).long(), 2), NotImplementedError,
                           "max_pool1d_impl\" not implemented for 'Long'"),
    "weights of classes in another precision": (
        lambda: F.cross_entropy(torch.ones(2, 2), torch.tensor([0, 1]), torch.ones(2).double()), RuntimeError,
        "expected scalar type Float but found Double"),
    "places in 16 bits": (lambda: torch.ones(2).index_put((torch.tensor([0]).short(),), torch.ones(1)), IndexError,
                          "tensors used as indices must be long, int, byte or bool tensors"),
    "an index in 8 bits": (lambda: torch.ones(2)[torch.tensor([0]).to(torch.int8)], IndexError,
                           "tensors used as indices must be long, int, byte or bool tensors"),
    "a write of another dtype": (lambda: torch.index_put(torch.ones(2), (torch.tensor([0]),), torch.ones(1).double()),
                                 RuntimeError, "got Float for the destination and Double for the source"),
    "reflections in bfloat16": (lambda: torch.ormqr(torch.eye(2).bfloat16(), torch.ones(2).bfloat16(),
                                                    torch.eye(2).bfloat16()),
                                NotImplementedError, "ormqr_cpu\" not implemented for 'BFloat16'"),
    "a norm in less precision": (lambda: torch.linalg.norm(torch.ones(2).double(), dtype=torch.float32), RuntimeError,
                                 "convertible without narrowing to the specified dtype (Float)"),
    "distances in half precision": (lambda: torch.cdist(torch.ones(2, 2).half(), torch.ones(2, 2).half()),
                                    NotImplementedError, "cdist\" not implemented for 'Half'"),
    "dropout of complex numbers": (lambda: F.dropout(COMPLEX), NotImplementedError, "bernoulli_scalar_cpu_\" not"),
    "cholesky in half precision": (lambda: torch.linalg.cholesky(torch.eye(2).half()),
                                   NotImplementedError, "cholesky_cpu\" not implemented for 'Half'"),
}
TAKEN = {
    "an integer beside a float": lambda: torch.hypot(torch.ones(2).long(), torch.ones(2)),
    "a number that raises the kind": lambda: torch.xlogy(torch.ones(2).long(), 2.0),
    "half precision with parameters in single": lambda: F.layer_norm(
        torch.ones(2, 3).half(), (3,), torch.ones(3), torch.ones(3)),
    "a power of booleans by a number": lambda: BOOL**2.0,
    "weights of classes beside probabilities": lambda: F.cross_entropy(torch.ones(2, 2), torch.ones(2, 2)),
    "a norm in more precision": lambda: torch.linalg.norm(torch.ones(2), dtype=torch.float64),
    "labels": lambda: F.nll_loss(torch.ones(2, 3), torch.tensor([0, 1])),
    "a complex argument where its dtype is given": lambda: torch.softmax(torch.ones(2, 2), 0, dtype=torch.float64),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_dtype_that_pytorch_refuses_is_refused(name):
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message.replace("(", r"\(").replace(")", r"\)")) as found:
        call()
    assert found.type is error


@pytest.mark.parametrize("name", TAKEN)
def test_what_pytorch_takes_is_taken(name):
    assert TAKEN[name]().dtype.is_floating_point
