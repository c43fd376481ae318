"""Dtypes that operations of PyTorch 2.13.0 refuse; tests/compat/tables/refused_dtypes.py writes it.

A line is names, letters of dtypes, the class of the error and its message. Behind a name, `*` says that the common
dtype of its operands counts, else that of one: the first, or of the place behind an `@`; `~` that tensors without
elements are computed, `^` that those without axes are.
"""

REFUSED = r"""
abs nn.functional.softsign | ? | NotImplementedError | "abs_cpu" not implemented for '{word}'
addcdiv* | ?Bbhil | RuntimeError | Integer division with {name} is no longer supported, and in a future  release {name} will perform a true division of tensor1 and tensor2. The historic {name} behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future {name} behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.
addcmul* | ? | NotImplementedError | "addcmul_cpu_out" not implemented for '{word}'
addmm addbmm bmm matmul~ nn.functional.linear~ mm~ nn.functional.multi_head_attention_forward linalg.multi_dot~ | ? | NotImplementedError | "addmm_impl_cpu_" not implemented for '{word}'
addmv mv | ? | NotImplementedError | "addmv_impl_cpu" not implemented for '{word}'
amax | FD | NotImplementedError | "max_values_cpu" not implemented for '{word}'
amin | FD | NotImplementedError | "min_values_cpu" not implemented for '{word}'
aminmax | FD | NotImplementedError | "aminmax_cpu" not implemented for '{word}'
argmax argmin | ? | RuntimeError | {name}(): does not support {c} input
argmax argmin | FD | RuntimeError | {name}(): does not support complex input
atan2* | FD | NotImplementedError | "atan2_cpu" not implemented for '{word}'
baddbmm dot cross trace linalg.cross | ? | NotImplementedError | "{name}" not implemented for '{word}'
bucketize~* searchsorted~* | ?FD | NotImplementedError | "searchsorted_out_cpu" not implemented for '{word}'
cdist | ?BbhilFD | RuntimeError | {name} only supports floating-point dtypes, X1 got: {word}
ceil | ? | NotImplementedError | "ceil_vml_cpu" not implemented for '{word}'
ceil floor trunc | FD | NotImplementedError | {name} is not supported for complex inputs
cholesky_inverse | ?Bbhileg | NotImplementedError | "cholesky_inverse_out_cpu" not implemented for '{word}'
cholesky_solve | ?Bbhileg | NotImplementedError | "cholesky_solve_cpu" not implemented for '{word}'
cholesky~ | ?Bbhileg | NotImplementedError | "cholesky_cpu" not implemented for '{word}'
clamp* | FD | NotImplementedError | {name} is not supported for complex types
clamp_max* | FD | NotImplementedError | "minimum_cpu" not implemented for '{word}'
clamp_min* | FD | NotImplementedError | "maximum_cpu" not implemented for '{word}'
complex polar | ?BbhilgFD | RuntimeError | Expected both inputs to be Half, Float or Double tensors but got {word} and {word}
copysign* | FD | NotImplementedError | "copysign_cpu" not implemented for '{word}'
corrcoef | ? | RuntimeError | cov(): {c} dtype is not supported for input
cummax^ | FD | NotImplementedError | "cummax_cpu" not implemented for '{word}'
cummin^ | FD | NotImplementedError | "cummin_cpu" not implemented for '{word}'
deg2rad rad2deg | FD | RuntimeError | {name} is not supported for complex tensors.
digamma | FD | NotImplementedError | "{name}" not implemented for '{word}'
dist* | Bbhil | RuntimeError | norm(): input dtype should be either floating point or complex. Got {word} instead.
erf special.ndtr | FD | NotImplementedError | "erf_vml_cpu" not implemented for '{word}'
erfc | FD | NotImplementedError | "erfc_vml_cpu" not implemented for '{word}'
erfinv | FD | NotImplementedError | "erfinv_vml_cpu" not implemented for '{word}'
fft.fft fft.fft2 fft.fftn fft.hfft fft.hfft2 fft.hfftn fft.rfft fft.rfft2 fft.rfftn fft.ifft fft.ifft2 fft.ifftn fft.ihfft fft.ihfft2 fft.ihfftn fft.irfft fft.irfft2 fft.irfftn | eg | RuntimeError | Unsupported dtype {word}
fft.ihfft2 fft.ihfftn | FD | RuntimeError | Only supports floating-point dtypes, but found: {word}
floor | ? | NotImplementedError | "floor_vml_cpu" not implemented for '{word}'
floor_divide* | ?FD | NotImplementedError | "div_floor_cpu" not implemented for '{word}'
fmax* fmin* maximum* minimum* | FD | RuntimeError | {name} not implemented for complex tensors.
frac | ?BbhilFD | NotImplementedError | "frac_cpu" not implemented for '{word}'
frexp | ?BbhilFD | RuntimeError | torch.{name}() only supports floating-point dtypes
ge* | FD | NotImplementedError | "ge_cpu" not implemented for '{word}'
geqrf | ?Bbhileg | NotImplementedError | "geqrf_cpu" not implemented for '{word}'
gt* | FD | NotImplementedError | "gt_cpu" not implemented for '{word}'
heaviside | FD | RuntimeError | {name} is not yet implemented for complex tensors.
histc | ? | NotImplementedError | "linspace_cpu" not implemented for '{word}'
histc | bhilFD | NotImplementedError | "histogram_cpu" not implemented for '{word}'
histogram | ?BbhilegFD | NotImplementedError | "histogramdd" not implemented for '{word}'
histogramdd | ?BbhilegFD | NotImplementedError | "{name}" not implemented for '{word}'
hypot* | ?BbhilFD | NotImplementedError | "hypot_cpu" not implemented for '{word}'
i0 | FD | NotImplementedError | "i0_vml_cpu" not implemented for '{word}'
igamma* | ?BbhilFD | NotImplementedError | "igamma_cpu" not implemented for '{word}'
igammac* | ?BbhilFD | NotImplementedError | "igammac_cpu" not implemented for '{word}'
isin* | ?FD | RuntimeError | Unsupported input type encountered for {name}(): {word}
isposinf isneginf | FD | RuntimeError | {name} does not support complex inputs.
kthvalue^ | ?FD | NotImplementedError | "kthvalue_cpu" not implemented for '{word}'
le* | FD | NotImplementedError | "le_cpu" not implemented for '{word}'
lerp | ?Bbhil | NotImplementedError | "lerp_kernel_tensor" not implemented for '{word}'
lgamma | FD | NotImplementedError | "lgamma_vml_cpu" not implemented for '{word}'
linalg.cholesky_ex | ?Bbhil | RuntimeError | linalg.cholesky: Expected a floating point or complex tensor as input. Got {word}
linalg.cholesky~ linalg.cholesky_ex~ | eg | NotImplementedError | "cholesky_cpu" not implemented for '{word}'
linalg.cond linalg.svdvals | ?Bbhil | RuntimeError | linalg.svd: Expected a floating point or complex tensor as input. Got {word}
linalg.det~ linalg.solve~ linalg.solve_ex~ linalg.tensorsolve | eg | NotImplementedError | "lu_cpu" not implemented for '{word}'
linalg.eig linalg.eigvals | ?Bl | RuntimeError | Unknown Complex ScalarType for {word}
linalg.eig linalg.eigvals | eg | NotImplementedError | "linalg_eig_out_cpu" not implemented for '{word}'
linalg.eigh~ linalg.eigvalsh~ | ?Bbhileg | NotImplementedError | "linalg_eigh_cpu" not implemented for '{word}'
linalg.householder_product | ?Bbhileg | NotImplementedError | "orgqr_cpu" not implemented for '{word}'
linalg.inv_ex linalg.tensorinv | ?Bbhil | RuntimeError | linalg.inv: Expected a floating point or complex tensor as input. Got {word}
linalg.inv_ex linalg.tensorinv | eg | RuntimeError | linalg.inv: Low precision dtypes not supported. Got {word}
linalg.ldl_factor | ?Bbhil | RuntimeError | torch.linalg.ldl_factor_ex: Expected a floating point or complex tensor as input. Got {word}
linalg.ldl_factor~ linalg.ldl_factor_ex~ | eg | NotImplementedError | "ldl_factor_kernel_cpu" not implemented for '{word}'
linalg.ldl_solve~ | eg | NotImplementedError | "ldl_solve_kernel_cpu" not implemented for '{word}'
linalg.lstsq linalg.matrix_rank~* | ?Bbhileg | RuntimeError | This function doesn't handle types other than float and double
linalg.lu_factor~ linalg.lu_factor_ex~ linalg.lu~ | ?Bbhileg | NotImplementedError | "lu_cpu" not implemented for '{word}'
linalg.pinv* | ?Bbhileg | RuntimeError | linalg.{name}({word}({shape})): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types
linalg.slogdet linalg.inv | eg | RuntimeError | linalg.{name}: Low precision dtypes not supported. Got {word}
linalg.solve_ex linalg.tensorsolve | ?Bbhil | RuntimeError | linalg.solve: Expected a floating point or complex tensor as input. Got {word}
linalg.vander | ?eg | RuntimeError | linalg.{name} supports floating point, complex, and integer tensors, but got {word}
logaddexp* | ?Bbhil | NotImplementedError | "logaddexp_cpu" not implemented for '{word}'
logaddexp2* | ?BbhilFD | NotImplementedError | "logaddexp2_cpu" not implemented for '{word}'
logcumsumexp | ?Bbhil | NotImplementedError | "logcumsumexp_out_cpu" not implemented for '{word}'
logdet | ?Bbhil | RuntimeError | {name}: Expected a floating point or complex tensor as input. Got {word}
logdet | eg | RuntimeError | {name}: Low precision dtypes not supported. Got {word}
logit | FD | NotImplementedError | "logit_cpu" not implemented for '{word}'
lt* nn.functional.gaussian_nll_loss* | FD | NotImplementedError | "lt_cpu" not implemented for '{word}'
lu_solve linalg.ldl_factor_ex linalg.ldl_solve linalg.lu_solve | ?Bbhil | RuntimeError | torch.linalg.{name}: Expected a floating point or complex tensor as input. Got {word}
lu_solve~ linalg.lu_solve~ | eg | NotImplementedError | "linalg.lu_solve_cpu" not implemented for '{word}'
matrix_exp qr svd linalg.det linalg.cholesky linalg.vecdot linalg.matrix_norm linalg.qr linalg.slogdet linalg.vector_norm linalg.inv linalg.solve linalg.svd | ?Bbhil | RuntimeError | linalg.{name}: Expected a floating point or complex tensor as input. Got {word}
mode^ | FD | NotImplementedError | "mode_cpu" not implemented for '{word}'
mvlgamma | ? | RuntimeError | The input tensor may not be a boolean tensor.
mvlgamma | FD | NotImplementedError | "arange_cpu" not implemented for '{word}'
nanmean | ?Bbhil | RuntimeError | {name}(): expected input to have floating point or complex dtype but got {word}
nanmean | FD | RuntimeError | nansum on CPU does not support complex inputs
nanquantile | ?BbhilegFD | RuntimeError | quantile() input tensor must be either float or double dtype
nansum | FD | RuntimeError | {name} on CPU does not support complex inputs
nextafter* | ?BbhilFD | NotImplementedError | "nextafter_cpu" not implemented for '{word}'
nn.functional.adaptive_avg_pool1d~ | ?Bbhil | NotImplementedError | "adaptive_avg_pool2d" not implemented for '{word}'
nn.functional.adaptive_avg_pool2d nn.functional.adaptive_max_pool2d nn.functional.max_unpool2d nn.functional.max_unpool3d nn.functional.binary_cross_entropy | ?BbhilFD | NotImplementedError | "{name}" not implemented for '{word}'
nn.functional.adaptive_avg_pool3d | ?Bbhil | NotImplementedError | "adaptive_avg_pool3d_cpu" not implemented for '{word}'
nn.functional.adaptive_max_pool1d | ?BbhilFD | NotImplementedError | "adaptive_max_pool2d" not implemented for '{word}'
nn.functional.adaptive_max_pool3d | ?BbhilFD | NotImplementedError | "adaptive_max_pool3d_cpu" not implemented for '{word}'
nn.functional.avg_pool1d nn.functional.local_response_norm~ | ?BbhiFD | NotImplementedError | "avg_pool2d" not implemented for '{word}'
nn.functional.avg_pool2d | ?BbhiFD | NotImplementedError | "{name}" not implemented for '{word}'
nn.functional.avg_pool3d | ?BbhiegFD | NotImplementedError | "avg_pool3d_out_frame" not implemented for '{word}'
nn.functional.bilinear~ | ? | NotImplementedError | "bmm" not implemented for '{word}'
nn.functional.binary_cross_entropy_with_logits* nn.functional.multilabel_soft_margin_loss* nn.functional.logsigmoid | ?BbhilFD | NotImplementedError | "log_sigmoid_cpu" not implemented for '{word}'
nn.functional.conv1d nn.functional.conv2d | ? | NotImplementedError | "slow_conv2d_cpu" not implemented for '{word}'
nn.functional.conv3d | ? | NotImplementedError | "compute_columns3d" not implemented for '{word}'
nn.functional.conv_transpose1d nn.functional.conv_transpose2d | ?Bbhi | NotImplementedError | "slow_conv_transpose2d_out_cpu" not implemented for '{word}'
nn.functional.conv_transpose3d | ?Bbhi | NotImplementedError | "slow_conv_transpose3d_out_cpu" not implemented for '{word}'
nn.functional.cosine_similarity* | ?BbhilFD | RuntimeError | expected common dtype to be floating point, yet common dtype is {word}
nn.functional.elu nn.functional.celu nn.functional.selu | ?BbhilFD | NotImplementedError | "elu_cpu" not implemented for '{word}'
nn.functional.gaussian_nll_loss* | ?Bbhil | RuntimeError | result type Float can't be cast to the desired output type {c}
nn.functional.gelu | ?BbhilFD | NotImplementedError | "GeluKernelImpl" not implemented for '{word}'
nn.functional.glu | ?BbhilFD | NotImplementedError | "glu_cpu" not implemented for '{word}'
nn.functional.grid_sample | ?BbhilFD | NotImplementedError | "grid_sampler_2d_cpu_kernel_impl" not implemented for '{word}'
nn.functional.group_norm | ?BbhilFD | NotImplementedError | "GroupNormKernelImpl" not implemented for '{word}'
nn.functional.hardshrink | ?BbhilFD | NotImplementedError | "hardshrink_cpu" not implemented for '{word}'
nn.functional.hardsigmoid | ?BbhilFD | NotImplementedError | "hardsigmoid_cpu" not implemented for '{word}'
nn.functional.hardswish | ?BbhilFD | NotImplementedError | "hardswish_cpu" not implemented for '{word}'
nn.functional.hardtanh | ? | RuntimeError | {word} inputs not supported for {name}
nn.functional.huber_loss* | ?BbhilFD | NotImplementedError | "huber_cpu" not implemented for '{word}'
nn.functional.instance_norm* | ?BbhilFD | NotImplementedError | "batch_norm" not implemented for '{word}'
nn.functional.interpolate | ?bhilFD | NotImplementedError | "compute_indices_weights_linear" not implemented for '{word}'
nn.functional.kl_div* | ?Bbhil | RuntimeError | {name}: Integral inputs not supported.
nn.functional.layer_norm | ?BbhilFD | NotImplementedError | "LayerNormKernelImpl" not implemented for '{word}'
nn.functional.leaky_relu nn.functional.rrelu | ?BbhilFD | NotImplementedError | "leaky_relu_cpu" not implemented for '{word}'
nn.functional.max_pool2d nn.functional.max_pool3d | ?FD | NotImplementedError | "{name}" not implemented for '{word}'
nn.functional.max_unpool1d | ?BbhilFD | NotImplementedError | "max_unpool2d" not implemented for '{word}'
nn.functional.mish | ?BbhilFD | NotImplementedError | "mish_cpu" not implemented for '{word}'
nn.functional.mse_loss* | ?BbhilFD | NotImplementedError | "mse_cpu" not implemented for '{word}'
nn.functional.multi_margin_loss | ?BbhilegFD | NotImplementedError | "multi_margin_loss_cpu_kernel" not implemented for '{word}'
nn.functional.multilabel_margin_loss | ?BbhilegFD | NotImplementedError | "multilabel_margin_loss_forward_out_frame" not implemented for '{word}'
nn.functional.nll_loss | ?BbhilFD | NotImplementedError | "nll_loss_out_frame" not implemented for '{word}'
nn.functional.normalize renorm norm | ?Bbhil | RuntimeError | linalg.vector_norm: Expected a floating point or complex tensor as input. Got {word}
nn.functional.pdist | ?BbhilFD | RuntimeError | {name} only supports floating-point dtypes
nn.functional.prelu | ?BbhilFD | NotImplementedError | "prelu_cpu" not implemented for '{word}'
nn.functional.relu | ? | RuntimeError | Boolean inputs not supported for {name}
nn.functional.relu nn.functional.margin_ranking_loss* nn.functional.hardtanh nn.functional.relu6 nn.functional.cosine_embedding_loss* nn.functional.hinge_embedding_loss* | FD | NotImplementedError | clamp is not supported for complex types
nn.functional.relu6 | ? | RuntimeError | {word} inputs not supported for hardtanh
nn.functional.rms_norm* | ?Bbhil | NotImplementedError | "{name}" not implemented for '{word}'
nn.functional.scaled_dot_product_attention | ?Bbhil | RuntimeError | expected scalar type Float but found {word}
nn.functional.scaled_dot_product_attention | FD | NotImplementedError | "softmax_lastdim_kernel_impl" not implemented for '{word}'
nn.functional.silu | ?Bbhil | NotImplementedError | "silu_cpu" not implemented for '{word}'
nn.functional.smooth_l1_loss* | ?Bbhil | NotImplementedError | "smooth_l1_cpu" not implemented for '{word}'
nn.functional.soft_margin_loss* | Bbhil | RuntimeError | result type Float can't be cast to the desired output type {word}
nn.functional.softmin nn.functional.soft_margin_loss* neg | ? | RuntimeError | Negation, the `-` operator, on a {c} tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.
nn.functional.softplus | ?BbhilFD | NotImplementedError | "softplus_cpu" not implemented for '{word}'
nn.functional.softshrink | ?BbhilFD | NotImplementedError | "softshrink_check" not implemented for '{word}'
nn.functional.tanhshrink nn.functional.poisson_nll_loss* | ? | RuntimeError | Subtraction, the `-` operator, with a {c} tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.
nn.functional.threshold | ?FD | NotImplementedError | "threshold_cpu" not implemented for '{word}'
nn.functional.unfold | Bbhil | NotImplementedError | "im2col_out_cpu" not implemented for '{word}'
nn.functional.upsample_bilinear | ?bhilFD | NotImplementedError | "upsample_bilinear2d_channels_last" not implemented for '{word}'
nn.functional.upsample_nearest | ?bhilFD | NotImplementedError | "compute_indices_weights_nearest" not implemented for '{word}'
ormqr^~ | ?Bbhileg | NotImplementedError | "ormqr_cpu" not implemented for '{word}'
pinverse | ?Bbhileg | RuntimeError | linalg.pinv({word}({shape})): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types
polar | e | NotImplementedError | "polar_cpu" not implemented for '{word}'
positive | ? | RuntimeError | The `+` operator, on a {c} tensor is not supported.
qr linalg.qr | eg | NotImplementedError | "geqrf_cpu" not implemented for '{word}'
quantile | ?BbhilegFD | RuntimeError | {name}() input tensor must be either float or double dtype
remainder* | ?FD | NotImplementedError | "remainder_cpu" not implemented for '{word}'
round | ?FD | NotImplementedError | "round_vml_cpu" not implemented for '{word}'
sign | FD | NotImplementedError | Unlike NumPy, torch.{name} is not intended to support complex numbers. Please use torch.sgn instead.
signbit | FD | NotImplementedError | {name} is not implemented for complex tensors.
sort msort argsort | FD | RuntimeError | Sort does not support complex dtypes on CPU
special.airy_ai | egFD | NotImplementedError | "airy_ai_cpu" not implemented for '{word}'
special.bessel_j0 | egFD | NotImplementedError | "bessel_j0_cpu" not implemented for '{word}'
special.bessel_j1 | egFD | NotImplementedError | "bessel_j1_cpu" not implemented for '{word}'
special.bessel_y0 | egFD | NotImplementedError | "bessel_y0_cpu" not implemented for '{word}'
special.bessel_y1 | egFD | NotImplementedError | "bessel_y1_cpu" not implemented for '{word}'
special.chebyshev_polynomial_t* | egFD | NotImplementedError | "chebyshev_polynomial_t_cpu" not implemented for '{word}'
special.chebyshev_polynomial_u* | egFD | NotImplementedError | "chebyshev_polynomial_u_cpu" not implemented for '{word}'
special.chebyshev_polynomial_v* | egFD | NotImplementedError | "chebyshev_polynomial_v_cpu" not implemented for '{word}'
special.chebyshev_polynomial_w* | egFD | NotImplementedError | "chebyshev_polynomial_w_cpu" not implemented for '{word}'
special.entr | FD | NotImplementedError | "entr_cpu" not implemented for '{word}'
special.erfcx | egFD | NotImplementedError | "erfcx_cpu" not implemented for '{word}'
special.hermite_polynomial_h* | egFD | NotImplementedError | "hermite_polynomial_h_cpu" not implemented for '{word}'
special.hermite_polynomial_he* | egFD | NotImplementedError | "hermite_polynomial_he_cpu" not implemented for '{word}'
special.i0e | FD | NotImplementedError | "i0e_cpu" not implemented for '{word}'
special.i1 | FD | NotImplementedError | "i1_cpu" not implemented for '{word}'
special.i1e | FD | NotImplementedError | "i1e_cpu" not implemented for '{word}'
special.laguerre_polynomial_l* | egFD | NotImplementedError | "laguerre_polynomial_l_cpu" not implemented for '{word}'
special.legendre_polynomial_p* | egFD | NotImplementedError | "legendre_polynomial_p_cpu" not implemented for '{word}'
special.log_ndtr | egFD | NotImplementedError | "log_ndtr_cpu" not implemented for '{word}'
special.modified_bessel_i0 | egFD | NotImplementedError | "modified_bessel_i0_cpu" not implemented for '{word}'
special.modified_bessel_i1 | egFD | NotImplementedError | "modified_bessel_i1_cpu" not implemented for '{word}'
special.modified_bessel_k0 | egFD | NotImplementedError | "modified_bessel_k0_cpu" not implemented for '{word}'
special.modified_bessel_k1 | egFD | NotImplementedError | "modified_bessel_k1_cpu" not implemented for '{word}'
special.ndtri | egFD | NotImplementedError | "ndtri_cpu" not implemented for '{word}'
special.scaled_modified_bessel_k0 | egFD | NotImplementedError | "scaled_modified_bessel_k0_cpu" not implemented for '{word}'
special.scaled_modified_bessel_k1 | egFD | NotImplementedError | "scaled_modified_bessel_k1_cpu" not implemented for '{word}'
special.shifted_chebyshev_polynomial_t* | egFD | NotImplementedError | "shifted_chebyshev_polynomial_t_cpu" not implemented for '{word}'
special.shifted_chebyshev_polynomial_u* | egFD | NotImplementedError | "shifted_chebyshev_polynomial_u_cpu" not implemented for '{word}'
special.shifted_chebyshev_polynomial_v* | egFD | NotImplementedError | "shifted_chebyshev_polynomial_v_cpu" not implemented for '{word}'
special.shifted_chebyshev_polynomial_w* | egFD | NotImplementedError | "shifted_chebyshev_polynomial_w_cpu" not implemented for '{word}'
special.spherical_bessel_j0 | egFD | NotImplementedError | "spherical_bessel_j0_cpu" not implemented for '{word}'
special.xlog1py* | FD | NotImplementedError | "xlog1py_cpu" not implemented for '{word}'
special.zeta* | egFD | NotImplementedError | "zeta_cpu" not implemented for '{word}'
std | ?Bbhil | RuntimeError | {name} and var only support floating point and complex dtypes
stft* | ? | NotImplementedError | "reflection_pad1d" not implemented for '{word}'
stft* | Bbhil | RuntimeError | {name}({type}{shape}, n_fft=7, hop_length=1, win_length=7, window=None, normalized=0, onesided=None, return_complex=1, align_to_window=None) : expected a tensor of floating point or complex values
stft* | eg | RuntimeError | MKL FFT doesn't support tensors of type: {word}
sub* nn.functional.margin_ranking_loss* nn.functional.triplet_margin_loss* nn.functional.triplet_margin_with_distance_loss* dist* rsub* nn.functional.l1_loss* nn.functional.hinge_embedding_loss* nn.functional.pairwise_distance* | ? | RuntimeError | Subtraction, the `-` operator, with two {c} tensors is not supported. Use the `^` or `logical_xor()` operator instead.
svd~ linalg.cond linalg.svd~ linalg.svdvals~ | eg | NotImplementedError | "linalg_svd_cpu" not implemented for '{word}'
topk | ? | RuntimeError | {name} does not support {c} dtypes on CPU
topk | FD | RuntimeError | {name} does not support complex dtypes on CPU
trapezoid* cumulative_trapezoid* | ? | RuntimeError | {name}: received a {c} input for `x` or `y`, but {c} is not supported
trapz* | ? | RuntimeError | trapezoid: received a {c} input for `x` or `y`, but {c} is not supported
triangular_solve linalg.solve_triangular* | ?Bbhileg | NotImplementedError | "triangular_solve_cpu" not implemented for '{word}'
trunc | ? | NotImplementedError | "trunc_vml_cpu" not implemented for '{word}'
var | ?Bbhil | RuntimeError | std and {name} only support floating point and complex dtypes
var_mean std_mean | ?Bbhil | RuntimeError | {name} only support floating point and complex dtypes
vdot inner^* | ? | NotImplementedError | "dot" not implemented for '{word}'
view_as_complex | ?BbhilgFD | RuntimeError | {name} is only supported for half, float and double tensors, but got a tensor of scalar type: {word}
xlogy* | FD | NotImplementedError | "xlogy_cpu" not implemented for '{word}'
"""
