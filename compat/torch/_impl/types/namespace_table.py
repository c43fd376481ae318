"""Functions of torch's namespaces, or in Python; tests/compat/tables/generate.py writes them.

The lines are as those of `operation_table.py`.
"""

OF_NAMESPACES = """\
fft.fft: Tensor input, size? n=, int dim=, str? norm=, *, out? > FftC2C0
fft.fft2 fft.ifft2: Tensor input, sizes1? s=, ints1 dim=, str? norm=, *, out? > FftC2C0
fft.fftn fft.ifftn: Tensor input, sizes1? s=, ints1? dim=, str? norm=, *, out? > FftC2C0
fft.fftshift fft.ifftshift: Tensor input, ints1? dim= > Roll0
fft.hfft fft.irfft: Tensor input, size? n=, int dim=, str? norm=, *, out? > FftC2R0
fft.hfft2 fft.irfft2: Tensor input, sizes1? s=, ints1 dim=, str? norm=, *, out? > FftC2R0
fft.hfftn fft.irfftn: Tensor input, sizes1? s=, ints1? dim=, str? norm=, *, out? > FftC2R0
fft.ifft: Tensor input, size? n=, int dim=, str? norm=, *, out!^ > FftC2C0
fft.ihfft: Tensor input, size? n=, int dim=, str? norm=, *, out!^ > ConjPhysical0
fft.ihfft2: Tensor input, sizes1? s=, ints1 dim=, str? norm=, *, out? > ConjPhysical0
fft.ihfftn: Tensor input, sizes1? s=, ints1? dim=, str? norm=, *, out? > ConjPhysical0
fft.rfft: Tensor input, size? n=, int dim=, str? norm=, *, out? > FftR2C0
fft.rfft2: Tensor input, sizes1? s=, ints1 dim=, str? norm=, *, out? > FftR2C0
fft.rfftn: Tensor input, sizes1? s=, ints1? dim=, str? norm=, *, out? > FftR2C0
linalg.cholesky: Tensor input, *, bool upper=, out! > LinalgCholeskyEx0
linalg.cholesky_ex: Tensor input, *, bool upper=, bool check_errors=, out! > LinalgCholeskyEx0
linalg.cond: Tensor input, Number? p=, *, out?^ > Div0 | Tensor input, str p, *, out?^ > Div0
linalg.cross: Tensor input, Tensor other, *, int dim=, out! > LinalgCross0
linalg.det: Tensor A, *, out! > LinalgDet0
linalg.diagonal: Tensor A, *, int offset=, int dim1=, int dim2= > Diagonal0
linalg.eig: Tensor input, *, out? > LinalgEig0
linalg.eigh linalg.eigvalsh: Tensor input, str UPLO=, *, out! > LinalgEigh0
linalg.eigvals: Tensor input, *, out?^ > LinalgEig0
linalg.householder_product: Tensor input, Tensor tau, *, out? > LinalgHouseholderProduct0
linalg.inv: Tensor A, *, out! > LinalgInvEx0
linalg.inv_ex: Tensor A, *, bool check_errors=, out! > LinalgInvEx0
linalg.ldl_factor: Tensor input, *, bool hermitian=, out!^
linalg.ldl_factor_ex: Tensor input, *, bool hermitian=, bool check_errors=, out!^
linalg.ldl_solve: Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=, out!^
linalg.lstsq: Tensor input, Tensor b, float? rcond=, *, str? driver=, out? > LinalgLstsq0
linalg.lu: Tensor A, *, bool pivot=, out! > LinalgLu0
linalg.lu_factor: Tensor A, *, bool pivot=, out! > LinalgLuFactorEx0
linalg.lu_factor_ex: Tensor A, *, bool pivot=, bool check_errors=, out! > LinalgLuFactorEx0
linalg.lu_solve: Tensor LU, Tensor pivots, Tensor B, *, bool left=, bool adjoint=, out! > LinalgLuSolve0
linalg.matrix_exp: Tensor input > LinalgMatrixExp0
linalg.matrix_norm: Tensor input, Number ord, ints dim=, bool keepdim=, *, dtype? dtype=, out!^ | Tensor input, str ord=, ints dim=, bool keepdim=, *, dtype? dtype=, out!^
linalg.matrix_power: Tensor input, int n, *, out! > Mm0
linalg.matrix_rank: Tensor input, *, Tensor? atol=, Tensor? rtol=, bool hermitian=, out?^ | Tensor input, *, float? atol=, float? rtol=, bool hermitian=, out? | Tensor input, Tensor tol, bool hermitian=, *, out? | Tensor input, float tol, bool hermitian=, *, out?
linalg.multi_dot: Tensors tensors, *, out! > Mm0
linalg.norm: Tensor input, Number? ord=, ints1? dim=, bool keepdim=, *, dtype? dtype=, out!^ > LinalgVectorNorm0 | Tensor input, str ord, ints1? dim=, bool keepdim=, *, dtype? dtype=, out!^ > LinalgVectorNorm0
linalg.pinv: Tensor input, *, Tensor? atol=, Tensor? rtol=, bool hermitian=, out? > LinalgPinv0 | Tensor input, *, float? atol=, float? rtol=, bool hermitian=, out? > LinalgPinv0 | Tensor input, Tensor rcond, bool hermitian=, *, out? > LinalgPinv0 | Tensor input, float rcond, bool hermitian=, *, out? > LinalgPinv0
linalg.qr: Tensor A, str mode=, *, out! > LinalgQr0
linalg.slogdet: Tensor A, *, out! > LinalgSlogdet0
linalg.solve: Tensor A, Tensor B, *, bool left=, out! > LinalgSolveEx0
linalg.solve_ex: Tensor A, Tensor B, *, bool left=, bool check_errors=, out! > LinalgSolveEx0
linalg.solve_triangular: Tensor input, Tensor B, *, bool upper, bool left=, bool unitriangular=, out! > LinalgSolveTriangular0
linalg.svd: Tensor A, bool full_matrices=, *, str? driver=, out! > LinalgSvd0
linalg.svdvals: Tensor A, *, str? driver=, out! > LinalgSvd0
linalg.tensorinv: Tensor input, int ind=, *, out?^
linalg.tensorsolve: Tensor input, Tensor other, ints? dims=, *, out?^
linalg.vander: Tensor x, *, size? N= > Cumprod0
linalg.vecdot: Tensor x, Tensor y, *, int dim=, out! > Sum1
linalg.vector_norm: Tensor input, Number ord=, ints1? dim=, bool keepdim=, *, dtype? dtype=, out! > LinalgVectorNorm0
nn.functional.adaptive_avg_pool1d: Tensor input, ints1 output_size > Squeeze1
nn.functional.avg_pool1d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool count_include_pad= > Squeeze1
nn.functional.avg_pool2d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool count_include_pad=, int? divisor_override=, *, out! > AvgPool2D0
nn.functional.avg_pool3d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool count_include_pad=, int? divisor_override=, *, out! > AvgPool3D0
nn.functional.bilinear: Tensor input1, Tensor input2, Tensor weight, Tensor? bias= > Add0
nn.functional.celu_: Tensor input, Number alpha= > Celu1
nn.functional.channel_shuffle: Tensor input, size groups > ChannelShuffle0
nn.functional.conv1d: Tensor input, Tensor weight, Tensor? bias=, sizes1 stride=, sizes1 padding=, sizes1 dilation=, size groups= > Convolution0 | Tensor input, Tensor weight, Tensor? bias=, sizes1 stride=, str padding=, sizes1 dilation=, size groups= > Convolution0
nn.functional.conv2d nn.functional.conv3d: Tensor input, Tensor weight, Tensor? bias=, sizes1 stride=, sizes1 padding=, sizes1 dilation=, size groups= > Convolution0 | Tensor input, Tensor weight, Tensor? bias=, sizes1 stride=, str padding=, sizes1 dilation=, size groups=
nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d: Tensor input, Tensor weight, Tensor? bias=, sizes1 stride=, sizes1 padding=, sizes1 output_padding=, size groups=, sizes1 dilation= > Convolution0
nn.functional.cosine_similarity: Tensor x1, Tensor x2, int dim=, float eps= > Sum1
nn.functional.elu_: Tensor input, Number alpha=, Number scale=, Number input_scale= > Elu1
nn.functional.gelu: Tensor input, *, str approximate=, out! > Gelu0
nn.functional.hardshrink: Tensor input, Number lambd=, *, out! > Hardshrink0
nn.functional.hardtanh_: Tensor input, Number min_val=, Number max_val= > Hardtanh0
nn.functional.leaky_relu_: Tensor input, Number negative_slope= > LeakyRelu1
nn.functional.linear: Tensor input, Tensor weight, Tensor? bias=, *, out! > Addmm0
nn.functional.logsigmoid: Tensor input, *, out! > LogSigmoid0
nn.functional.one_hot: Tensor input, int num_classes=
nn.functional.pairwise_distance: Tensor x1, Tensor x2, float p=, float eps=, bool keepdim= > LinalgVectorNorm0
nn.functional.pdist: Tensor input, float p= > Pdist0
nn.functional.pixel_shuffle: Tensor input, int upscale_factor > PixelShuffle0
nn.functional.pixel_unshuffle: Tensor input, int downscale_factor > PixelUnshuffle0
nn.functional.prelu: Tensor input, Tensor weight > PreluKernel0
nn.functional.relu_: Tensor input > Relu0
nn.functional.rrelu_: Tensor input, Number lower=, Number upper=, bool training=, any? generator=
nn.functional.scaled_dot_product_attention: Tensor query, Tensor key, Tensor value, Tensor? attn_mask=, float dropout_p=, bool is_causal=, *, float? scale=, bool enable_gqa=
nn.functional.selu_: Tensor input
nn.functional.softplus: Tensor input, Number beta=, Number threshold=, *, out! > Softplus0
nn.functional.softshrink: Tensor input, Number lambd=, *, out! > Softshrink0
nn.functional.threshold_: Tensor input, Number threshold, Number value > Threshold1
special.airy_ai special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.spherical_bessel_j0: Tensor x, *, out?^
special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.modified_bessel_i0 special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1: Tensor input, *, out?^
special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v special.chebyshev_polynomial_w special.hermite_polynomial_h special.hermite_polynomial_he special.laguerre_polynomial_l special.legendre_polynomial_p special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w: Tensor x, Tensor n, *, out?^ | Number x, Tensor n, *, out? | Tensor x, Number n, *, out?^
special.digamma special.erf special.erfc special.erfinv special.exp2 special.expit special.expm1 special.gammaln special.i0 special.log1p special.psi special.sinc: Tensor input, *, out?
special.entr: Tensor input, *, out? > SpecialEntr0
special.erfcx: Tensor input, *, out? > SpecialErfcx0
special.gammainc special.gammaincc: Tensor input, Tensor other, *, out?
special.i0e: Tensor input, *, out? > SpecialI0E0
special.i1: Tensor input, *, out? > SpecialI10
special.i1e: Tensor input, *, out? > SpecialI1E0
special.log_ndtr: Tensor input, *, out? > SpecialLogNdtr0
special.log_softmax: Tensor input, int dim, *, dtype? dtype=
special.logit: Tensor input, float? eps=, *, out?
special.logsumexp: Tensor input, ints1 dim, bool keepdim=, *, out?
special.multigammaln: Tensor input, int p, *, out?
special.ndtr: Tensor input, *, out?^ > Mul1
special.ndtri: Tensor input, *, out? > SpecialNdtri0
special.polygamma: int n, Tensor input, *, out? > Polygamma0
special.round: Tensor input, *, int decimals=, out?
special.softmax: Tensor input, int dim, dtype? dtype=
special.xlog1py: Tensor input, Tensor other, *, out? > SpecialXlog1Py0 | Number input, Tensor other, *, out? > SpecialXlog1Py1 | Tensor input, Number other, *, out? > SpecialXlog1Py2
special.xlogy: Tensor input, Tensor other, *, out? | Number input, Tensor other, *, out? | Tensor input, Number other, *, out?
special.zeta: Tensor input, Tensor other, *, out? > SpecialZeta0 | Number input, Tensor other, *, out? > SpecialZeta1 | Tensor input, Number other, *, out? > SpecialZeta2
"""

# Functions in Python, which do not take NumPy's names of arguments.
PYTHON = """\
cdist: Tensor x1, Tensor x2, float p=, any? compute_mode= > Cdist0
lu: Tensor A, bool pivot=, any? get_infos=, *, out?^ > LinalgLuFactorEx0
nn.functional.adaptive_avg_pool2d: duck input, any? output_size > AdaptiveAvgPool2D0
nn.functional.adaptive_avg_pool3d: duck input, any? output_size > AdaptiveAvgPool3D0
nn.functional.adaptive_max_pool1d nn.functional.adaptive_max_pool1d_with_indices: Tensor input, any? output_size, any? return_indices= > Squeeze1
nn.functional.adaptive_max_pool2d nn.functional.adaptive_max_pool2d_with_indices: duck input, any? output_size, any? return_indices= > AdaptiveMaxPool2D0
nn.functional.adaptive_max_pool3d nn.functional.adaptive_max_pool3d_with_indices: duck input, any? output_size, any? return_indices= > AdaptiveMaxPool3D0
nn.functional.affine_grid: Tensor theta, ints size, bool? align_corners= > AffineGridGenerator0
nn.functional.alpha_dropout nn.functional.feature_alpha_dropout: Tensor input, float p=, bool training=, any? inplace=
nn.functional.batch_norm: Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=, Tensor? bias=, bool training=, float momentum=, float eps= > NativeBatchNorm0
nn.functional.binary_cross_entropy: duck input, duck target, duck? weight=, any? size_average=, any? reduce=, any? reduction= > BinaryCrossEntropy0
nn.functional.binary_cross_entropy_with_logits: duck input, duck target, Tensor? weight=, any? size_average=, any? reduce=, any? reduction=, Tensor? pos_weight= > BinaryCrossEntropyWithLogits0
nn.functional.celu: Tensor input, float alpha=, any? inplace= > Celu0
nn.functional.cosine_embedding_loss: Tensor input1, Tensor input2, Tensor target, float margin=, any? size_average=, any? reduce=, any? reduction= > Mean0
nn.functional.cross_entropy: Tensor input, Tensor target, Tensor? weight=, any? size_average=, size ignore_index=, any? reduce=, any? reduction=, float label_smoothing= > NllLoss0
nn.functional.ctc_loss: Tensor log_probs, Tensor targets, any? input_lengths, any? target_lengths, size blank=, any? reduction=, bool zero_infinity=
nn.functional.dropout: Tensor input, float p=, bool training=, any? inplace= > Mul0
nn.functional.dropout1d: Tensor input, float p=, bool training=, bool inplace=
nn.functional.dropout2d nn.functional.dropout3d: duck input, float p=, bool training=, any? inplace=
nn.functional.elu: Tensor input, float alpha=, any? inplace= > Elu0
nn.functional.embedding: Tensor input, Tensor weight, size? padding_idx=, float? max_norm=, any? norm_type=, bool scale_grad_by_freq=, bool sparse= > Embedding0
nn.functional.embedding_bag: duck input, duck weight, any? offsets=, float? max_norm=, any? norm_type=, bool scale_grad_by_freq=, any? mode=, bool sparse=, any? per_sample_weights=, any? include_last_offset=, size? padding_idx= > EmbeddingBag0
nn.functional.fold: Tensor input, any? output_size, any? kernel_size, any? dilation=, any? padding=, any? stride= > Col2Im0
nn.functional.gaussian_nll_loss: duck input, any? target, any? var, any? full=, float eps=, str reduction= > Mean0
nn.functional.glu: duck input, size dim= > Glu0
nn.functional.grid_sample: Tensor input, Tensor grid, any? mode=, any? padding_mode=, bool? align_corners= > GridSampler2D0
nn.functional.group_norm: duck input, size num_groups, Tensor? weight=, Tensor? bias=, float eps= > NativeGroupNorm0
nn.functional.gumbel_softmax: Tensor logits, float tau=, bool hard=, float eps=, size dim=
nn.functional.hardsigmoid: Tensor input, any? inplace= > Hardsigmoid0
nn.functional.hardswish: Tensor input, any? inplace= > Hardswish0
nn.functional.hardtanh: Tensor input, float min_val=, float max_val=, any? inplace= > Hardtanh0
nn.functional.hinge_embedding_loss: Tensor input, Tensor target, float margin=, any? size_average=, any? reduce=, any? reduction= > Mean0
nn.functional.huber_loss: duck input, duck target, any? reduction=, float delta=, any? weight= > HuberLoss0
nn.functional.instance_norm: duck input, Tensor? running_mean=, Tensor? running_var=, Tensor? weight=, Tensor? bias=, bool use_input_stats=, float momentum=, float eps= > NativeBatchNorm0
nn.functional.interpolate: duck input, any? size=, any? scale_factor=, any? mode=, bool? align_corners=, any? recompute_scale_factor=, any? antialias= > Upsample0
nn.functional.kl_div: Tensor input, Tensor target, any? size_average=, any? reduce=, any? reduction=, bool log_target= > KlDiv0
nn.functional.l1_loss: duck input, duck target, any? size_average=, any? reduce=, any? reduction=, any? weight= > Mean0
nn.functional.layer_norm: Tensor input, ints normalized_shape, Tensor? weight=, Tensor? bias=, float eps= > NativeLayerNorm0
nn.functional.leaky_relu: Tensor input, float negative_slope=, any? inplace= > LeakyRelu0
nn.functional.local_response_norm: duck input, size size, float alpha=, float beta=, float k= > Div0
nn.functional.log_softmax nn.functional.softmax: Tensor input, size? dim=, size _stacklevel=, dtype? dtype=
nn.functional.lp_pool1d: Tensor input, any? norm_type, size kernel_size, any? stride=, bool ceil_mode= > Pow0
nn.functional.lp_pool2d nn.functional.lp_pool3d: Tensor input, any? norm_type, any? kernel_size, any? stride=, bool ceil_mode= > Pow0
nn.functional.margin_ranking_loss: duck input1, duck input2, duck target, float margin=, any? size_average=, any? reduce=, any? reduction= > Mean0
nn.functional.max_pool1d nn.functional.max_pool1d_with_indices: Tensor input, any? kernel_size, any? stride=, any? padding=, any? dilation=, bool ceil_mode=, any? return_indices= > Squeeze1
nn.functional.max_pool2d nn.functional.max_pool2d_with_indices: Tensor input, any? kernel_size, any? stride=, any? padding=, any? dilation=, bool ceil_mode=, any? return_indices= > MaxPool2DWithIndices0
nn.functional.max_pool3d: Tensor input, any? kernel_size, any? stride=, any? padding=, any? dilation=, bool ceil_mode=, any? return_indices= > MaxPool3DWithIndices0
nn.functional.max_pool3d_with_indices: duck input, any? kernel_size, any? stride=, any? padding=, any? dilation=, bool ceil_mode=, any? return_indices= > MaxPool3DWithIndices0
nn.functional.max_unpool1d: duck input, duck indices, any? kernel_size, any? stride=, any? padding=, any? output_size= > Squeeze1
nn.functional.max_unpool2d: duck input, Tensor indices, any? kernel_size, any? stride=, any? padding=, any? output_size= > MaxUnpool2D0
nn.functional.max_unpool3d: duck input, Tensor indices, any? kernel_size, any? stride=, any? padding=, any? output_size= > MaxUnpool3D0
nn.functional.mish: Tensor input, any? inplace= > Mish0
nn.functional.mse_loss: duck input, duck target, any? size_average=, any? reduce=, any? reduction=, any? weight= > MseLoss0
nn.functional.multi_head_attention_forward: duck query, duck key, duck value, any? embed_dim_to_check, size num_heads, duck? in_proj_weight, duck? in_proj_bias, any? bias_k, any? bias_v, any? add_zero_attn, float dropout_p, Tensor out_proj_weight, Tensor? out_proj_bias, any? training=, any? key_padding_mask=, any? need_weights=, any? attn_mask=, any? use_separate_proj_weight=, any? q_proj_weight=, any? k_proj_weight=, any? v_proj_weight=, any? static_k=, any? static_v=, any? average_attn_weights=, any? is_causal= > View0
nn.functional.multi_margin_loss: Tensor input, Tensor target, any? p=, float margin=, any? weight=, any? size_average=, any? reduce=, any? reduction= > MultiMarginLoss0
nn.functional.multilabel_margin_loss: Tensor input, Tensor target, any? size_average=, any? reduce=, any? reduction= > MultilabelMarginLoss0
nn.functional.multilabel_soft_margin_loss: Tensor input, any? target, Tensor? weight=, any? size_average=, any? reduce=, str reduction= > Mean0
nn.functional.nll_loss: Tensor input, Tensor target, Tensor? weight=, any? size_average=, size ignore_index=, any? reduce=, any? reduction= > NllLoss0
nn.functional.normalize: duck input, any? p=, any? dim=, float eps=, operand? out= > Div0
nn.functional.pad: Tensor input, ints pad, str mode=, float? value= > ConstantPadNd0
nn.functional.poisson_nll_loss: Tensor input, Tensor target, bool log_input=, bool full=, any? size_average=, float eps=, any? reduce=, str reduction= > Mean0
nn.functional.relu: Tensor input, any? inplace= > Relu0
nn.functional.relu6: Tensor input, any? inplace= > Hardtanh0
nn.functional.rms_norm: Tensor input, ints normalized_shape, Tensor? weight=, float? eps=
nn.functional.rrelu: Tensor input, float lower=, float upper=, bool training=, any? inplace= > RreluWithNoise0
nn.functional.selu: Tensor input, any? inplace= > Elu0
nn.functional.sigmoid nn.functional.tanh: any? input
nn.functional.silu: Tensor input, any? inplace= > Silu0
nn.functional.smooth_l1_loss: duck input, duck target, any? size_average=, any? reduce=, any? reduction=, float beta= > SmoothL1Loss0
nn.functional.soft_margin_loss: Tensor input, Tensor target, any? size_average=, any? reduce=, any? reduction=
nn.functional.softmin: Tensor input, size? dim=, any? _stacklevel=, dtype? dtype= > Softmax0
nn.functional.softsign: duck input > Div0
nn.functional.tanhshrink: duck input > Sub0
nn.functional.threshold: Tensor input, float threshold, float value, any? inplace= > Threshold0
nn.functional.triplet_margin_loss: Tensor anchor, Tensor positive, Tensor negative, float margin=, float p=, float eps=, bool swap=, any? size_average=, any? reduce=, any? reduction= > Mean0
nn.functional.triplet_margin_with_distance_loss: duck anchor, duck positive, duck negative, *, any? distance_function=, float margin=, any? swap=, any? reduction= > Mean0
nn.functional.unfold: Tensor input, any? kernel_size, any? dilation=, any? padding=, any? stride= > Im2Col0
nn.functional.upsample: any? input, any? size=, any? scale_factor=, any? mode=, any? align_corners=
nn.functional.upsample_bilinear nn.functional.upsample_nearest: duck input, any? size=, any? scale_factor= > Upsample0
norm: duck input, any? p=, any? dim=, bool keepdim=, *, dtype? dtype=, out! > LinalgVectorNorm0
stft: duck input, size n_fft, size? hop_length=, size? win_length=, Tensor? window=, any? center=, str pad_mode=, bool normalized=, bool? onesided=, bool? return_complex=, bool? align_to_window= > Transpose0
tensordot: duck a, duck b, any? dims=, *, out!^
unique: Tensor input, bool sorted=, bool return_inverse=, bool return_counts=, int? dim=
unique_consecutive: Tensor input, bool return_inverse=, bool return_counts=, int? dim=
unravel_index: duck indices, any? shape
"""
