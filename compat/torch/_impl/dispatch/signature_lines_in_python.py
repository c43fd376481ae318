"""The signatures of the functions that PyTorch has in Python: they do not take NumPy's names of arguments.

The lines are those of `signature_lines.py`.
"""

LINES = """\
norm: duck input, any? p=, any? dim=, bool keepdim=, dtype? dtype=, *, out!
unique: Tensor input, bool sorted=, bool return_inverse=, bool return_counts=, int? dim=
nn.functional.logsigmoid: Tensor input, *, out!
nn.functional.dropout: Tensor input, float p=, bool training=, bool inplace=
nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d: Tensor input, ints1 kernel_size, ints1?
    stride=, ints1 padding=, ints1 dilation=, bool ceil_mode=, bool return_indices=
nn.functional.relu_ nn.functional.selu_: Tensor input
nn.functional.glu: duck input, int dim=
nn.functional.adaptive_avg_pool1d: Tensor input, ints1 output_size
nn.functional.avg_pool1d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool
    count_include_pad=
nn.functional.avg_pool2d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool
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
nn.functional.lp_pool1d: Tensor input, float norm_type, int kernel_size, any? stride=, bool ceil_mode=
nn.functional.lp_pool2d nn.functional.lp_pool3d: Tensor input, float norm_type, any? kernel_size, any? stride=, bool
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
