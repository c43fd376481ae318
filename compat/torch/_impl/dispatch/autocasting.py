"""Operations under autocast: some cast their floating-point operands to the smaller type, some to float32."""

from ..modes.modes import MODES, restore, set_modes
from ..types import dtypes
from ..types.tensor_type import TensorBase

SMALL = frozenset("""
    addbmm addmm baddbmm bmm conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
    linalg.multi_dot linalg.vecdot linear matmul mm multi_head_attention_forward prelu rnn_relu_step
    rnn_tanh_step scaled_dot_product_attention tensordot
""".split())
SINGLE = frozenset("""
    adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy binary_cross_entropy_with_logits
    cdist cholesky cholesky_inverse cholesky_solve cosine_embedding_loss cross_entropy ctc_loss fft.fft fft.fft2
    fft.fftn fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2
    fft.rfftn geqrf grid_sample gru_step hinge_embedding_loss huber_loss inverse kl_div l1_loss linalg.cholesky
    linalg.cholesky_ex linalg.cond linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
    linalg.householder_product linalg.inv linalg.inv_ex linalg.lstsq linalg.matrix_rank linalg.qr linalg.solve
    linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve lstm_sequence lstm_step lu_solve
    margin_ranking_loss max_pool3d max_unpool1d max_unpool2d max_unpool3d mse_loss multi_margin_loss
    multilabel_margin_loss nanquantile nll_loss orgqr ormqr pinverse poisson_nll_loss polar prod qr quantile
    smooth_l1_loss soft_margin_loss stft svd trace triangular_solve triplet_margin_loss view_as_complex
""".split())
PROMOTED = frozenset(("cat", "stack", "index_copy"))
ROUNDED = frozenset(("corrcoef", "cov", "linalg.pinv", "lstm_sequence"))  # computed in float32, small as a whole
PADS = frozenset(("reflect", "replicate"))


def run(row, args, kwargs, m, compute):
    """The output of `compute(args, kwargs)` with its operands cast as PyTorch casts those of the operation."""
    small = small_type(m)
    name = row.name.removeprefix("nn.functional.")
    before = MODES.get()
    try:
        set_modes(autocast=None)
        if kwargs and kwargs.get("out") is not None:
            target = None  # where the output goes is given
        elif name in SMALL:
            target = small
        elif name in SINGLE or name == "pad" and (args[2] if len(args) > 2 else kwargs.get("mode")) in PADS:
            target = dtypes.float32
        elif name in PROMOTED and any(t.dtype is dtypes.float32 for t in floats((args, tuple(kwargs.values())))):
            target = dtypes.float32
        else:
            target = None
        if target is not None:
            args = cast(args, target)
            kwargs = {k: cast(x, target) for k, x in kwargs.items()} if kwargs else kwargs
        out = compute(args, kwargs)
        return cast(out, small) if name in ROUNDED else out
    finally:
        restore(before)


def of_product(operands):
    """The operands of a sum of products; under autocast in the smaller type."""
    m = MODES.get()
    if m is None or m.autocast is None or "cpu" not in m.autocast.on:
        return operands
    return cast(tuple(operands), small_type(m))


def small_type(m):
    """The smaller type of the CPU."""
    return dict(m.autocast.small).get("cpu", dtypes.bfloat16)


def eligible(x):
    """Tell whether autocast casts a value: floating-point tensors of the CPU up to float32."""
    return isinstance(x, TensorBase) and x.dtype.is_floating_point and x.dtype is not dtypes.float64


def floats(x):
    """The tensors of a nest that autocast casts."""
    if isinstance(x, tuple | list):
        return [t for v in x for t in floats(v)]
    return [x] if eligible(x) else []


def cast(x, dtype):
    """A value, or a list of them, with what autocast casts in another type."""
    if type(x) in (tuple, list):
        return type(x)([cast(v, dtype) for v in x])
    return x.to(dtype) if eligible(x) and x.dtype is not dtype else x
