"""The signatures of the functions of torch.linalg, torch.fft, torch.special and torch.nn.functional.

A line is names, a colon, and the ways to call them: kinds and names of parameters, `=` where one may be left out, `?`
where None may be given. `ints1` takes one integer as well, `options` are those of factories; there is `out?` where
`out=` may be given, or `out!` where it has to have the dtype of the answer. `duck` is a tensor whose attributes are
asked for before its type.
"""

LINES = """\
nn.functional.logsigmoid: Tensor input, *, out!
nn.functional.dropout: Tensor input, float p=, bool training=, bool inplace=
nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d: Tensor input, ints1 kernel_size, ints1?
    stride=, ints1 padding=, ints1 dilation=, bool ceil_mode=, bool return_indices=
linalg.eig: Tensor input, *, out!
linalg.matrix_exp: Tensor input
linalg.eigvals special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1
    special.digamma special.entr special.erf special.erfc special.erfcx special.erfinv special.exp2 special.expit
    special.expm1 special.gammaln special.i0 special.i0e special.i1 special.i1e special.log1p special.log_ndtr
    special.modified_bessel_i0 special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1
    special.ndtr special.ndtri special.psi special.sinc: Tensor input, *, out?
nn.functional.relu_ nn.functional.selu_: Tensor input
special.gammainc special.gammaincc: Tensor input, Tensor other, *, out?
special.xlog1py special.xlogy special.zeta: Tensor input, Tensor other, *, out? | Tensor input, Number other, *,
    out? | Number input, Tensor other, *, out?
special.logit: Tensor input, float? eps=, *, out?
special.logsumexp: Tensor input, ints1 dim, bool keepdim=, *, out?
special.multigammaln: Tensor input, int p, *, out?
special.polygamma: int n, Tensor input, *, out?
nn.functional.glu: duck input, int dim=
linalg.multi_dot: Tensors tensors, *, out!
fft.fft fft.hfft fft.ifft fft.ihfft fft.irfft fft.rfft: Tensor input, int? n=, int dim=, str? norm=, *, out?
fft.fft2 fft.hfft2 fft.ifft2 fft.ihfft2 fft.irfft2 fft.rfft2: Tensor input, ints1? s=, ints1 dim=, str? norm=, *,
    out?
fft.fftn fft.hfftn fft.ifftn fft.ihfftn fft.irfftn fft.rfftn: Tensor input, ints1? s=, ints1? dim=, str? norm=, *,
    out?
fft.fftshift fft.ifftshift: Tensor input, ints1? dim=
linalg.cholesky: Tensor input, *, bool upper=, out!
linalg.cholesky_ex: Tensor input, *, bool upper=, bool check_errors=, out!
linalg.cond: Tensor input, Number? p=, *, out? | Tensor input, str p, *, out?
linalg.cross: Tensor input, Tensor other, *, int dim=, out!
linalg.det linalg.inv linalg.slogdet: Tensor A, *, out!
linalg.diagonal: Tensor A, *, int offset=, int dim1=, int dim2=
linalg.eigh linalg.eigvalsh: Tensor input, str UPLO=, *, out!
linalg.householder_product: Tensor input, Tensor tau, *, out?
linalg.inv_ex: Tensor A, *, bool check_errors=, out!
linalg.ldl_factor: Tensor input, *, bool hermitian=, out!
linalg.ldl_factor_ex: Tensor input, *, bool hermitian=, bool check_errors=, out!
linalg.ldl_solve: Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=, out!
linalg.lstsq: Tensor input, Tensor b, float? rcond=, *, str? driver=, out?
linalg.lu linalg.lu_factor: Tensor A, *, bool pivot=, out!
linalg.lu_factor_ex: Tensor A, *, bool pivot=, bool check_errors=, out!
linalg.lu_solve: Tensor LU, Tensor pivots, Tensor B, *, bool left=, bool adjoint=, out!
linalg.matrix_norm: Tensor input, Number ord, ints dim=, bool keepdim=, *, dtype? dtype=, out! | Tensor input, str
    ord=, ints dim=, bool keepdim=, *, dtype? dtype=, out!
linalg.matrix_power: Tensor input, int n, *, out!
linalg.matrix_rank: Tensor input, float tol, bool hermitian=, *, out? | Tensor input, Tensor tol, bool hermitian=,
    *, out? | Tensor input, *, Tensor? atol=, Tensor? rtol=, bool hermitian=, out? | Tensor input, *, float? atol=,
    float? rtol=, bool hermitian=, out?
linalg.norm: Tensor input, Number? ord=, ints1? dim=, bool keepdim=, *, dtype? dtype=, out! | Tensor input, str ord,
    ints1? dim=, bool keepdim=, *, dtype? dtype=, out!
linalg.pinv: Tensor input, float rcond, bool hermitian=, *, out? | Tensor input, *, float? atol=, float? rtol=, bool
    hermitian=, out? | Tensor input, *, Tensor? atol=, Tensor? rtol=, bool hermitian=, out? | Tensor input, Tensor
    rcond, bool hermitian=, *, out?
linalg.qr: Tensor A, str mode=, *, out!
linalg.solve: Tensor A, Tensor B, *, bool left=, out!
linalg.solve_ex: Tensor A, Tensor B, *, bool left=, bool check_errors=, out!
linalg.solve_triangular: Tensor input, Tensor B, *, bool upper, bool left=, bool unitriangular=, out!
linalg.svd: Tensor A, bool full_matrices=, *, str? driver=, out!
linalg.svdvals: Tensor A, *, str? driver=, out!
linalg.tensorinv: Tensor input, int ind=, *, out?
linalg.tensorsolve: Tensor input, Tensor other, ints? dims=, *, out?
linalg.vander: Tensor x, *, int? N=
linalg.vecdot: Tensor x, Tensor y, *, int dim=, out!
linalg.vector_norm: Tensor input, Number ord=, ints1? dim=, bool keepdim=, *, dtype? dtype=, out!
nn.functional.adaptive_avg_pool1d: Tensor input, ints1 output_size
nn.functional.avg_pool1d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool
    count_include_pad=
nn.functional.avg_pool2d: Tensor input, ints1 kernel_size, ints1 stride=, ints1 padding=, bool ceil_mode=, bool
    count_include_pad=, int? divisor_override=, *, out!
nn.functional.avg_pool3d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool
    count_include_pad=, int? divisor_override=, *, out!
nn.functional.bilinear: Tensor input1, Tensor input2, Tensor weight, Tensor? bias=
nn.functional.celu_: Tensor input, Number alpha=
nn.functional.channel_shuffle: Tensor input, int groups
nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d: Tensor input, Tensor weight, Tensor? bias=, ints1
    stride=, ints1 padding=, ints1 dilation=, int groups= | Tensor input, Tensor weight, Tensor? bias=, ints1
    stride=, str padding=, ints1 dilation=, int groups=
nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d: Tensor input, Tensor
    weight, Tensor? bias=, ints1 stride=, ints1 padding=, ints1 output_padding=, int groups=, ints1 dilation=
nn.functional.cosine_similarity: Tensor x1, Tensor x2, int dim=, float eps=
nn.functional.elu_: Tensor input, Number alpha=, Number scale=, Number input_scale=
nn.functional.gelu: Tensor input, *, str approximate=, out!
nn.functional.hardshrink nn.functional.softshrink: Tensor input, Number lambd=, *, out!
nn.functional.hardtanh_: Tensor input, Number min_val=, Number max_val=
nn.functional.leaky_relu_: Tensor input, Number negative_slope=
nn.functional.linear: Tensor input, Tensor weight, Tensor? bias=, *, out!
nn.functional.one_hot: Tensor input, int num_classes=
nn.functional.pairwise_distance: Tensor x1, Tensor x2, float p=, float eps=, bool keepdim=
nn.functional.pdist: Tensor input, float p=
nn.functional.pixel_shuffle: Tensor input, int upscale_factor
nn.functional.pixel_unshuffle: Tensor input, int downscale_factor
nn.functional.prelu: Tensor input, Tensor weight
nn.functional.scaled_dot_product_attention: Tensor query, Tensor key, Tensor value, Tensor? attn_mask=, float
    dropout_p=, bool is_causal=, *, float? scale=, bool enable_gqa=
nn.functional.softplus: Tensor input, Number beta=, Number threshold=, *, out!
nn.functional.threshold_: Tensor input, Number threshold, Number value
special.airy_ai special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.spherical_bessel_j0:
    Tensor x, *, out?
special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v
    special.chebyshev_polynomial_w special.hermite_polynomial_h special.hermite_polynomial_he
    special.laguerre_polynomial_l special.legendre_polynomial_p special.shifted_chebyshev_polynomial_t
    special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v
    special.shifted_chebyshev_polynomial_w: Tensor x, Tensor n, *, out? | Number x, Tensor n, *, out? | Tensor x,
    Number n, *, out?
special.log_softmax: Tensor input, int dim, *, dtype? dtype=
special.round: Tensor input, *, int decimals=, out?
special.softmax: Tensor input, int dim, dtype? dtype=
nn.functional.adaptive_avg_pool2d nn.functional.adaptive_avg_pool3d: duck input, any? output_size
nn.functional.adaptive_max_pool1d_with_indices: Tensor input, any? output_size, bool return_indices=
nn.functional.adaptive_max_pool2d_with_indices nn.functional.adaptive_max_pool3d_with_indices:
    duck input, any? output_size, bool return_indices=
nn.functional.affine_grid: Tensor theta, ints size, bool? align_corners=
nn.functional.alpha_dropout nn.functional.dropout nn.functional.dropout1d nn.functional.feature_alpha_dropout:
    Tensor input, float p=, bool training=, bool inplace=
nn.functional.dropout2d nn.functional.dropout3d: duck input, float p=, bool training=, bool inplace=
nn.functional.batch_norm: Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=, Tensor? bias=,
    bool training=, float momentum=, float eps=
nn.functional.binary_cross_entropy: duck input, duck target, duck? weight=, bool? size_average=, bool? reduce=, any?
    reduction=
nn.functional.multilabel_soft_margin_loss: Tensor input, any? target, Tensor? weight=, bool? size_average=, bool?
    reduce=, str reduction=
nn.functional.binary_cross_entropy_with_logits: duck input, duck target, Tensor? weight=, bool? size_average=, bool?
    reduce=, any? reduction=, Tensor? pos_weight=
nn.functional.celu nn.functional.elu: Tensor input, float alpha=, bool inplace=
nn.functional.cosine_embedding_loss: Tensor input1, Tensor input2, Tensor target, float margin=, bool?
    size_average=, bool? reduce=, any? reduction=
nn.functional.margin_ranking_loss: any input1, any input2, duck target, float margin=, bool? size_average=, bool?
    reduce=, any? reduction=
nn.functional.cross_entropy: Tensor input, Tensor target, Tensor? weight=, bool? size_average=, int ignore_index=,
    bool? reduce=, any? reduction=, float label_smoothing=
nn.functional.ctc_loss: Tensor log_probs, Tensor targets, any? input_lengths, any? target_lengths, int blank=, str
    reduction=, bool zero_infinity=
nn.functional.embedding: Tensor input, Tensor weight, int? padding_idx=, float? max_norm=, float norm_type=, bool
    scale_grad_by_freq=, bool sparse=
nn.functional.embedding_bag: duck input, duck weight, Tensor? offsets=, float? max_norm=, float norm_type=, bool
    scale_grad_by_freq=, any? mode=, bool sparse=, Tensor? per_sample_weights=, bool include_last_offset=, int?
    padding_idx=
nn.functional.fold: Tensor input, any? output_size, any? kernel_size, any? dilation=, any? padding=, any? stride=
nn.functional.gaussian_nll_loss: duck input, any? target, any? var, any? full=, float eps=, str reduction=
nn.functional.grid_sample: Tensor input, Tensor grid, any? mode=, any? padding_mode=, bool? align_corners=
nn.functional.group_norm: duck input, int num_groups, Tensor? weight=, Tensor? bias=, float eps=
nn.functional.gumbel_softmax: Tensor logits, float tau=, bool hard=, float eps=, int dim=
nn.functional.hardsigmoid nn.functional.hardswish nn.functional.mish nn.functional.relu nn.functional.relu6
    nn.functional.selu nn.functional.silu: Tensor input, bool inplace=
nn.functional.hardtanh: Tensor input, float min_val=, float max_val=, bool inplace=
nn.functional.hinge_embedding_loss: Tensor input, Tensor target, float margin=, bool? size_average=, bool? reduce=,
    any? reduction=
nn.functional.huber_loss: duck input, duck target, any? reduction=, float delta=, Tensor? weight=
nn.functional.instance_norm: duck input, Tensor? running_mean=, Tensor? running_var=, Tensor? weight=, Tensor? bias=,
    bool use_input_stats=, float momentum=, float eps=
nn.functional.interpolate: duck input, any? size=, any? scale_factor=, any? mode=, bool? align_corners=, bool?
    recompute_scale_factor=, bool antialias=
nn.functional.kl_div: Tensor input, Tensor target, bool? size_average=, bool? reduce=, any? reduction=, bool
    log_target=
nn.functional.l1_loss nn.functional.mse_loss: duck input, duck target, bool? size_average=, bool? reduce=, any?
    reduction=, Tensor? weight=
nn.functional.layer_norm: Tensor input, ints normalized_shape, Tensor? weight=, Tensor? bias=, float eps=
nn.functional.leaky_relu: Tensor input, float negative_slope=, bool inplace=
nn.functional.local_response_norm: duck input, int size, float alpha=, float beta=, float k=
nn.functional.log_softmax nn.functional.softmax: Tensor input, int? dim=, int _stacklevel=, dtype? dtype=
nn.functional.softmin: any? input, int? dim=, int _stacklevel=, dtype? dtype=
nn.functional.lp_pool1d: Tensor input, int norm_type, int kernel_size, any? stride=, bool ceil_mode=
nn.functional.lp_pool2d nn.functional.lp_pool3d: Tensor input, int norm_type, any? kernel_size, any? stride=, bool
    ceil_mode=
nn.functional.max_pool1d_with_indices nn.functional.max_pool2d_with_indices nn.functional.max_pool3d_with_indices:
    Tensor input, any? kernel_size, any? stride=, any? padding=, any? dilation=, bool ceil_mode=, bool
    return_indices=
nn.functional.max_unpool1d: duck input, duck indices, any? kernel_size, any? stride=, any? padding=, any? output_size=
nn.functional.max_unpool2d nn.functional.max_unpool3d: duck input, Tensor indices, any? kernel_size, any? stride=,
    any? padding=, any? output_size=
nn.functional.multi_head_attention_forward: any? query, any? key, any? value, any? embed_dim_to_check, any? num_heads,
    any? in_proj_weight, any? in_proj_bias, any? bias_k, any? bias_v, any? add_zero_attn, any? dropout_p, any?
    out_proj_weight, any? out_proj_bias, any? training=, any? key_padding_mask=, any? need_weights=, any? attn_mask=,
    any? use_separate_proj_weight=, any? q_proj_weight=, any? k_proj_weight=, any? v_proj_weight=, any? static_k=, any?
    static_v=, any? average_attn_weights=, any? is_causal=
nn.functional.multi_margin_loss: Tensor input, Tensor target, any? p=, float margin=, Tensor? weight=, bool?
    size_average=, bool? reduce=, any? reduction=
nn.functional.multilabel_margin_loss: Tensor input, Tensor target, bool? size_average=, bool? reduce=, str
    reduction=
nn.functional.soft_margin_loss: Tensor input, Tensor target, bool? size_average=, bool? reduce=, any? reduction=
nn.functional.nll_loss: Tensor input, Tensor target, Tensor? weight=, bool? size_average=, int ignore_index=, bool?
    reduce=, any? reduction=
nn.functional.normalize: duck input, any? p=, any? dim=, float eps=, operand? out=
nn.functional.pad: Tensor input, ints pad, str mode=, float? value=
nn.functional.poisson_nll_loss: Tensor input, Tensor target, bool log_input=, bool full=, bool? size_average=, float
    eps=, bool? reduce=, str reduction=
nn.functional.rms_norm: Tensor input, ints normalized_shape, Tensor? weight=, float? eps=
nn.functional.rrelu: Tensor input, float lower=, float upper=, bool training=, bool inplace=
nn.functional.sigmoid nn.functional.tanh nn.functional.tanhshrink: any? input
nn.functional.softsign: duck input
nn.functional.smooth_l1_loss: duck input, duck target, bool? size_average=, bool? reduce=, any? reduction=, float
    beta=
nn.functional.threshold: Tensor input, float threshold, float value, bool inplace=
nn.functional.triplet_margin_loss: Tensor anchor, Tensor positive, Tensor negative, float margin=, float p=, float
    eps=, bool swap=, bool? size_average=, bool? reduce=, str reduction=
nn.functional.triplet_margin_with_distance_loss: duck anchor, duck positive, duck negative, *, any?
    distance_function=, any? margin=, any? swap=, any? reduction=
nn.functional.unfold: Tensor input, any? kernel_size, any? dilation=, any? padding=, any? stride=
nn.functional.upsample: any? input, any? size=, any? scale_factor=, any? mode=, any? align_corners=
nn.functional.upsample_bilinear nn.functional.upsample_nearest: duck input, any? size=, any? scale_factor=
"""
