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
    "dropout of complex numbers": (lambda: F.dropout(COMPLEX), NotImplementedError, "bernoulli_scalar_cpu_\" not"),
    "cholesky in half precision": (lambda: torch.linalg.cholesky(torch.eye(2).half()),
                                   NotImplementedError, "cholesky_cpu\" not implemented for 'Half'"),
    "a complex factor beside integers": (lambda: torch.xlogy(TWO, COMPLEX), NotImplementedError,
                                         "xlogy_cpu\" not implemented for 'ComplexFloat'"),
    "a grid of bytes": (lambda: F.grid_sample(IMAGE, GRID.byte(), align_corners=False), RuntimeError,
                        "expected scalar type Float but found Byte"),
    "booleans beside bytes": (lambda: torch.dot(BOOL, BOOL.byte()), RuntimeError, "dtype, but found Bool and Byte"),
    "a mask as a shift of exponents": (lambda: torch.ldexp(torch.ones(2), BOOL), NotImplementedError,
                                       "ldexp_cpu_exp\" not implemented for 'Bool'"),
    "one boolean in a bucket": (lambda: torch.bucketize(BOOL[0], BOOL), NotImplementedError,
                                "searchsorted_out_cpu\" not implemented for 'Bool'"),
    "products of booleans by a formula": (lambda: torch.einsum("i,i", BOOL, BOOL), NotImplementedError,
                                          "bmm\" not implemented for 'Bool'"),
    "counts of bytes": (lambda: torch.repeat_interleave(TWO, TWO.byte()), NotImplementedError,
                        "repeat_interleave_cpu\" not implemented for 'Byte'"),
    "places of cuts in 32 bits": (lambda: torch.tensor_split(TWO, TWO.int()), RuntimeError,
                                  "to have dtype of long, but got Int"),
    "a complex sum without NaN": (lambda: torch.nansum(torch.ones(2), dtype=torch.complex64), NotImplementedError,
                                  "nansum_cpu\" not implemented for 'ComplexFloat'"),
    "a range of booleans": (lambda: torch.linspace(0, 1, 2, dtype=torch.bool), NotImplementedError,
                            "linspace_cpu\" not implemented for 'Bool'"),
}
WHOLE, HALF, COARSE = torch.tensor([[1, 2], [3, 4]]), torch.eye(2).half(), torch.eye(2).bfloat16()
IMAGE = torch.ones(1, 1, 4, 4)
TWO = torch.tensor([0, 1])
FORMS = {  # what only some forms of a call refuse, with the same dtype in a form that is taken
    "a fraction of an outer product": (
        lambda: torch.addr(WHOLE, TWO, TWO, beta=0.5),
        RuntimeError, "argument beta must not",
        lambda: torch.addr(WHOLE, TWO, TWO, beta=2)),
    "whole quotients of booleans": (
        lambda: torch.div(BOOL, BOOL | True, rounding_mode="floor"),
        NotImplementedError, "div_floor_cpu\" not",
        lambda: torch.div(BOOL, 2, rounding_mode="floor")),
    "the same in place": (
        lambda: BOOL.clone().div_(BOOL | True, rounding_mode="trunc"),
        NotImplementedError, "div_trunc_cpu\" not",
        lambda: TWO.clone().div_(2, rounding_mode="trunc")),
    "a largest complex number of several": (
        lambda: torch.scatter_reduce(COMPLEX, 0, TWO, COMPLEX, "amax"),
        NotImplementedError, "reduce_amax\" not implemented for 'ComplexFloat'",
        lambda: torch.scatter_reduce(COMPLEX, 0, TWO, COMPLEX, "sum")),
    "reduced booleans": (
        lambda: torch.index_reduce(BOOL, 0, TWO, BOOL, "amax"),
        NotImplementedError, "index_func_\" not",
        lambda: torch.index_reduce(TWO, 0, TWO, TWO, "amax")),
    "distances in half precision": (
        lambda: torch.cdist(HALF, HALF),
        NotImplementedError, "cdist\" not implemented for 'H",
        lambda: torch.cdist(HALF, HALF, compute_mode="use_mm_for_euclid_dist")),
    "a norm of singular values": (
        lambda: torch.linalg.matrix_norm(COARSE, "nuc"),
        RuntimeError, "Low precision dtypes",
        lambda: torch.linalg.matrix_norm(COARSE, "fro")),
    "an inverse of integers": (
        lambda: torch.linalg.matrix_power(WHOLE, -1),
        RuntimeError, "linalg.inv: Expected a float",
        lambda: torch.linalg.matrix_power(WHOLE, 3)),
    "rounding integers to decimals": (
        lambda: torch.round(WHOLE, decimals=1),
        NotImplementedError, "round_cpu\" not",
        lambda: torch.round(WHOLE)),
    "means of complex windows": (
        lambda: F.adaptive_avg_pool2d(IMAGE + 0j, 2),
        NotImplementedError, "pool2d\" not",
        lambda: F.adaptive_avg_pool2d(IMAGE + 0j, 1)),
    "means of windows of integers": (
        lambda: F.adaptive_avg_pool2d(IMAGE.long(), 1),
        RuntimeError, "could not infer output",
        lambda: F.adaptive_avg_pool2d(IMAGE.half(), 1)),
    "windows with gaps": (
        lambda: F.conv2d(IMAGE.int(), IMAGE[..., :2, :2].int(), dilation=2),
        NotImplementedError, "slow_conv_dilated<>\" not",
        lambda: F.conv2d(IMAGE.int(), IMAGE[..., :2, :2].int())),
    "bytes along one axis": (
        lambda: F.interpolate(IMAGE[0].byte(), 8, mode="linear"),
        NotImplementedError, "compute_indices_weights_linear\" not",
        lambda: F.interpolate(IMAGE.byte(), 8, mode="bilinear")),
    "reflected booleans": (
        lambda: F.pad(IMAGE.bool(), (1, 1, 1, 1), "reflect"),
        NotImplementedError, "reflection_pad2d\" not",
        lambda: F.pad(IMAGE.bool(), (1, 1, 1, 1), "circular")),
    "limits below unsigned numbers": (
        lambda: F.hardtanh(WHOLE.byte()),
        RuntimeError, "unsigned type with negative limits",
        lambda: F.hardtanh(WHOLE.byte(), 0, 2)),
    "integers dropped": (
        lambda: F.dropout(WHOLE, 0.5),
        RuntimeError, "result type Float can't be cast to the desired output",
        lambda: F.dropout(WHOLE, 0.5, training=False)),
    "labels for probabilities": (
        lambda: F.cross_entropy(WHOLE, WHOLE),
        RuntimeError, "Expected floating point type for",
        lambda: F.cross_entropy(WHOLE.float(), WHOLE.bfloat16())),
    "equal complex numbers": (
        lambda: torch.unique(COMPLEX),
        NotImplementedError, "unique\" not implemented for 'ComplexFloa",
        lambda: torch.unique(BOOL)),
    "complex tolerances": (
        lambda: torch.linalg.pinv(torch.eye(2), COMPLEX[0]),
        RuntimeError, "rcond tensor of complex type",
        lambda: torch.linalg.pinv(torch.eye(2) + 0j, 0.1)),
}
TAKEN = {
    "an integer beside a float": lambda: torch.hypot(torch.ones(2).long(), torch.ones(2)),
    "a number that raises the kind": lambda: torch.xlogy(torch.ones(2).long(), 2.0),
    "half precision with parameters in single": lambda: F.layer_norm(
        torch.ones(2, 3).half(), (3,), torch.ones(3), torch.ones(3)),
    "a power of booleans by a number": lambda: BOOL**2.0,
    "weights of classes beside probabilities": lambda: F.cross_entropy(torch.ones(2, 2), torch.ones(2, 2)),
    "a norm in more precision": lambda: torch.linalg.norm(torch.ones(2), dtype=torch.float64),
    "an exponential of a matrix in half precision": lambda: torch.linalg.matrix_exp(HALF),
    "a tolerance by place": lambda: torch.linalg.pinv(torch.eye(2), 0.1, True),
    "a tolerance by its old name": lambda: torch.linalg.pinv(torch.eye(2), rcond=torch.tensor(0.1)),
    "distances of many points in half precision": lambda: torch.cdist(*[torch.ones(30, 2).half()] * 2),
    "labels": lambda: F.nll_loss(torch.ones(2, 3), torch.tensor([0, 1])),
    "half precision beside bfloat16": lambda: torch.maximum(HALF, COARSE) + torch.fmod(COARSE, HALF),
    "a loss of half precision beside bfloat16": lambda: F.smooth_l1_loss(HALF, COARSE),
    "a complex argument where its dtype is given": lambda: torch.softmax(torch.ones(2, 2), 0, dtype=torch.float64),
}


def test_half_precision_beside_bfloat16_is_single():
    for fun in (torch.sub, torch.maximum, torch.atan2, torch.logaddexp, torch.lt, F.l1_loss):
        assert fun(HALF, COARSE).dtype in (torch.float32, torch.bool)
    assert torch.hypot(HALF, torch.tensor(1.0).bfloat16()).dtype == torch.float16  # a number changes no precision


def test_numbers_count_in_the_dtype_of_a_loss():
    with pytest.warns(UserWarning, match="different to the input size"):
        assert F.mse_loss(torch.ones(2), torch.tensor(2.0).double()).dtype == torch.float64


def test_sums_of_booleans_that_a_formula_takes_first_are_counted():
    assert torch.einsum("i,j->j", BOOL, BOOL).tolist() == [1, 0]
    assert torch.einsum("i,j->ij", BOOL, BOOL).dtype == torch.bool
    assert torch.repeat_interleave(TWO.int()).dtype == torch.int32


def test_a_softmax_without_elements_keeps_any_dtype():
    for dtype in (torch.int64, torch.bool, torch.complex64):
        assert F.softmax(torch.empty(2, 0, dtype=dtype), 1).dtype == dtype


@pytest.mark.parametrize("name", REFUSED)
def test_a_dtype_that_pytorch_refuses_is_refused(name):
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message.replace("(", r"\(").replace(")", r"\)")) as found:
        call()
    assert found.type is error


@pytest.mark.parametrize("name", FORMS)
def test_a_dtype_is_refused_in_the_forms_that_pytorch_refuses(name):
    call, error, message, taken = FORMS[name]
    with pytest.raises(error) as found:
        call()
    assert found.type is error
    assert message in str(found.value)
    taken()


@pytest.mark.parametrize("name", TAKEN)
def test_what_pytorch_takes_is_taken(name):
    assert TAKEN[name]().dtype.is_floating_point
