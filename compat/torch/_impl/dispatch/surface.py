"""Names of torch that are not supported: asking for one says so; a name that torch has not is an AttributeError."""

import functools

from ..types.dtypes import NO_BFLOAT16
from .call import ROWS, owned
from .overriding import dispatching
from .signatures import Looked, check, explain, signatures, synonyms

# Operations of PyTorch's surface. One that has no row says that it is not supported when it is asked for.
NAMES = frozenset("""
add sub mul div neg pow abs exp log sqrt rsqrt reciprocal square sin cos tan tanh sigmoid atan atan2 floor ceil
round sign clamp maximum minimum floor_divide max min sum mean prod var std amax amin argmax argmin all any
cumsum cumprod logsumexp norm softmax log_softmax matmul mm bmm mv dot einsum outer tensordot trace cat stack
split chunk reshape view flatten permute transpose t T unsqueeze squeeze expand repeat broadcast_to gather
scatter scatter_add index_select where masked_fill masked_select sort argsort topk unique nonzero eq ne lt le gt
ge logical_and logical_or isnan isfinite allclose zeros ones full eye arange linspace zeros_like ones_like
full_like randn rand_like randn_like randint normal bernoulli triu tril diag diagonal flip movedim meshgrid
cdist float double long int bool to clone item linalg.inv linalg.solve linalg.det linalg.cholesky linalg.eigh
linalg.svd linalg.qr linalg.norm linalg.vector_norm nn.functional.relu nn.functional.gelu nn.functional.silu
nn.functional.softplus nn.functional.leaky_relu nn.functional.linear nn.functional.conv1d nn.functional.conv2d
nn.functional.max_pool2d nn.functional.pad nn.functional.batch_norm nn.functional.layer_norm
nn.functional.dropout nn.functional.embedding nn.functional.cross_entropy nn.functional.nll_loss
nn.functional.mse_loss nn.functional.l1_loss nn.functional.binary_cross_entropy
nn.functional.binary_cross_entropy_with_logits nn.functional.scaled_dot_product_attention nn.functional.one_hot
nn.functional.normalize nn.functional.cosine_similarity fft.fft fft.ifft fft.rfft fft.irfft real imag conj
true_divide log1p expm1 sinh cosh asin acos erf clamp_min clamp_max remainder lerp median addmm baddbmm kron
cross mT expand_as index_add index_put take_along_dim logical_not isinf isclose empty_like empty new_zeros
uniform multinomial diag_embed roll unbind narrow select repeat_interleave contiguous rsub linalg.slogdet
nn.functional.elu nn.functional.avg_pool2d nn.functional.adaptive_avg_pool2d nn.functional.group_norm
nn.functional.smooth_l1_loss nn.functional.kl_div nn.functional.logsigmoid nn.functional.interpolate asinh acosh
atanh log2 log10 exp2 erfc erfinv lgamma digamma polygamma logit sinc xlogy fmod hypot logaddexp nan_to_num
angle polar complex view_as_real view_as_complex fmax fmin bitwise_and bitwise_or bitwise_xor bitwise_not
logical_xor equal isin addcmul addcdiv vdot inner matrix_exp cummax diff trapezoid nansum nanmean quantile
kthvalue mode aminmax std_mean var_mean count_nonzero cov histc bincount bucketize searchsorted argwhere
index_fill scatter_reduce masked_scatter fill H tile ravel unflatten view_as atleast_1d atleast_2d
broadcast_tensors broadcast_shapes hstack vstack dstack tensor_split split_with_sizes rot90 unfold diagflat
block_diag tril_indices triu_indices new_ones new_full randint_like exponential half cfloat cdouble
cholesky_solve logdet linalg.pinv linalg.eig linalg.eigvals linalg.eigvalsh linalg.svdvals linalg.lstsq
linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.solve_triangular fft.fft2 fft.ifft2 fft.rfft2
fft.irfft2 fft.fftshift fft.ifftshift special.entr special.ndtr nn.functional.conv3d
nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.max_pool1d nn.functional.avg_pool1d
nn.functional.adaptive_avg_pool1d nn.functional.instance_norm nn.functional.rms_norm nn.functional.unfold
nn.functional.pixel_shuffle nn.functional.glu nn.functional.selu nn.functional.mish nn.functional.hardtanh
nn.functional.relu6 nn.functional.prelu nn.functional.hardswish nn.functional.hardsigmoid nn.functional.softmin
nn.functional.softsign nn.functional.huber_loss nn.functional.poisson_nll_loss nn.functional.gaussian_nll_loss
nn.functional.margin_ranking_loss nn.functional.triplet_margin_loss nn.functional.cosine_embedding_loss
nn.functional.pairwise_distance nn.functional.grid_sample nn.functional.dropout2d
nn.functional.multi_head_attention_forward cauchy geometric log_normal addmv addbmm addr bitwise_left_shift
bitwise_right_shift combinations cartesian_prod cholesky cholesky_inverse sum_to_size positive conj_physical
resolve_conj resolve_neg copysign corrcoef cummin deg2rad diagonal_scatter frac stft istft fliplr flipud i0
frexp geqrf gradient logspace ldexp logaddexp2 lu_unpack lu lu_solve nanmedian nanquantile heaviside lcm gcd
nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool1d nn.functional.adaptive_max_pool2d
nn.functional.adaptive_max_pool3d nn.functional.avg_pool3d nn.functional.conv_transpose3d
nn.functional.local_response_norm constant_pad_nd nn.functional.upsample_bilinear nn.functional.soft_margin_loss
nn.functional.upsample_nearest nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss
nn.functional.multilabel_soft_margin_loss nn.functional.max_pool3d nn.functional.max_unpool1d
nn.functional.max_unpool2d nn.functional.max_unpool3d nn.functional.bilinear nn.functional.celu
nn.functional.rrelu nn.functional.rrelu_ nn.functional.tanhshrink nn.functional.threshold
nn.functional.triplet_margin_with_distance_loss nextafter igamma igammac nn.functional.softshrink
nn.functional.hardshrink mvlgamma dist ormqr float_power qr rad2deg sgn select_scatter slice_scatter signbit
hsplit vsplit dsplit triangular_solve trunc isposinf isneginf isreal svd unravel_index reshape_as atleast_3d
column_stack pinverse index_reduce unique_consecutive put take byte char short new_empty scalar_tensor histogram
histogramdd msort renorm trapz cumulative_trapezoid zero_ mH logcumsumexp nn.functional.dropout3d
nn.functional.alpha_dropout nn.functional.feature_alpha_dropout nn.functional.embedding_bag
nn.functional.ctc_loss nn.functional.hinge_embedding_loss nn.functional.pdist nn.functional.pixel_unshuffle
nn.functional.channel_shuffle fft.fftn fft.hfft fft.hfft2 fft.hfftn fft.rfftn fft.ifftn fft.ihfft fft.ihfft2
fft.ihfftn fft.irfftn linalg.cross linalg.diagonal linalg.cholesky_ex linalg.vecdot linalg.cond
linalg.householder_product linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve linalg.multi_dot
linalg.vander linalg.lu_factor linalg.lu_factor_ex linalg.lu linalg.lu_solve linalg.inv_ex linalg.solve_ex
linalg.tensorinv linalg.tensorsolve signal.windows.hamming signal.windows.hann signal.windows.bartlett
signal.windows.blackman signal.windows.cosine signal.windows.exponential signal.windows.gaussian
signal.windows.kaiser signal.windows.general_cosine signal.windows.general_hamming signal.windows.nuttall
special.i0e special.i1 special.i1e special.polygamma special.xlog1py special.zeta special.ndtri special.log_ndtr
special.erfcx special.airy_ai special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1
special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v
special.chebyshev_polynomial_w special.hermite_polynomial_h special.hermite_polynomial_he
special.laguerre_polynomial_l special.legendre_polynomial_p special.modified_bessel_i0
special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1
special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.shifted_chebyshev_polynomial_t
special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v
special.shifted_chebyshev_polynomial_w special.spherical_bessel_j0 masked.sum masked.prod masked.cumsum
masked.cumprod masked.amax masked.amin masked.argmax masked.argmin masked.mean masked.median masked.norm
masked.var masked.std masked.softmax masked.log_softmax masked.softmin masked.normalize masked.logaddexp
masked.logsumexp
autograd.gradcheck autograd.gradgradcheck autograd.GradcheckError autograd.profiler
utils.data
utils.checkpoint.get_device_states utils.checkpoint.set_device_states
utils.checkpoint.DefaultDeviceType
optim distributions
nn.Module nn.Parameter nn.Sequential nn.Linear nn.init nn.utils
""".split())

FACTORIES = """arange empty empty_like eye full full_like linspace logspace ones ones_like scalar_tensor zeros
zeros_like bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm""".split()


def getter(prefix, module):
    """The `__getattr__` of a namespace of torch: `linalg.` for torch.linalg."""

    def __getattr__(name):  # noqa: N807
        row = ROWS.get(prefix + name)
        if row is not None:
            return public(row)
        if prefix + name == "bfloat16":
            raise AttributeError(NO_BFLOAT16)
        if prefix + name in NAMES:
            raise NotImplementedError(f"torch.{prefix}{name} is part of PyTorch's surface, but not implemented in this "
                                      "version of covector.compat.torch; see docs/compat_gaps.md for alternatives")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return __getattr__


@functools.cache
def public(row):
    """The function of a row, by its name.

    An operation asks `__torch_function__` where it computes. A function that may have made other arguments of those it
    got asks before.
    """
    if owned(row):
        if row.fun.__name__ == "fun":
            row.fun.__name__ = row.fun.__qualname__ = row.name.rpartition(".")[2]
        return row.fun
    row.fun = asking_first(row.name, row.fun)
    return row.fun


def names(prefix):
    """The public functions of a namespace."""
    return {name[len(prefix):]: public(row) for name, row in ROWS.items()
            if name.startswith(prefix) and "." not in name[len(prefix):]}


def asking_first(name, fun):
    """A function of tensors that asks `__torch_function__`, and gives torch's TypeError where no signature fits.

    Operations look at their arguments themselves. Of other functions, those of torch.nn.functional look before they
    compute; the rest compute at once, and what went wrong is looked for afterwards.
    """
    if hasattr(fun, "row") or hasattr(fun, "signed"):
        return dispatching(fun, name)
    if name.startswith("nn.functional.") and signatures(name):
        return dispatching(fun, name, functools.partial(check, Looked(name)))

    @functools.wraps(fun)
    def checked(*args, **named):
        try:
            return fun(*args, **synonyms(name, named) if named else named)
        except (AttributeError, TypeError, ValueError, IndexError):
            explain(name, args, named)
            raise

    return dispatching(checked, name)
