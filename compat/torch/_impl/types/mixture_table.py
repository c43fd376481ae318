"""Mixtures of dtypes that operations of PyTorch 2.13.0 refuse; tests/compat/tables/refused_dtypes.py writes it.

A line is names, each with the place of an operand, groups of letters of the first operand and of that one, the class
of the error and its message, or `-`: taken. An operation whose common dtype is refused alone is listed for others.
"""

MIXED = r"""
bmm@1 | ?Bbhileg:?Bbhileg f:?Bbhilegf d:?Bbhilegd F:?BbhilegF D:?BbhilegD | RuntimeError | expected m1 and m2 to have the same dtype, but got: {main_c} != {c}
bmm@1 | ?Bbhileg:fdFD f:dFD d:fFD F:fdD D:fdF | RuntimeError | expected scalar type {word} but found {main}
cdist@1 | ?BbhilFD:?BbhilegfdFD | RuntimeError | cdist only supports floating-point dtypes, X1 got: {main}
cdist@1 | egfd:?BbhilFD | RuntimeError | cdist only supports floating-point dtypes, X2 got: {word}
cholesky_solve@1 triangular_solve@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | Expected b and A to have the same dtype, but found b of type {main} and A of type {word} instead.
clamp@1 clamp@2 | ?Bbhilegfd:FD | NotImplementedError | "clamp_cpu" not implemented for '{common}'
complex@1 polar@1 | ?BbhilgFD:?BbhilgFD | RuntimeError | Expected both inputs to be Half, Float or Double tensors but got {main} and {word}
complex@1 polar@1 | ?BbhilgFD:e | RuntimeError | Expected both inputs to be {word}, Float or Double tensors but got {main} and {word}
complex@1 polar@1 | ?BbhilgFD:f | RuntimeError | Expected both inputs to be Half, {word} or Double tensors but got {main} and {word}
complex@1 polar@1 | ?BbhilgFD:d | RuntimeError | Expected both inputs to be Half, Float or {word} tensors but got {main} and {word}
complex@1 polar@1 | e:?BbhilgFD | RuntimeError | Expected both inputs to be {main}, Float or Double tensors but got {main} and {word}
complex@1 polar@1 | efd:efd | RuntimeError | Expected object of scalar type {main} but got scalar type {word} for second argument
complex@1 polar@1 | f:?BbhilgFD | RuntimeError | Expected both inputs to be Half, {main} or Double tensors but got {main} and {word}
complex@1 polar@1 | d:?BbhilgFD | RuntimeError | Expected both inputs to be Half, Float or {main} tensors but got {main} and {word}
cross@1 linalg.cross@1 | ?:BbhilegfdFD | NotImplementedError | "cross" not implemented for '{main}'
cross@1 linalg.cross@1 | BbhilegfdFD:?BbhilegfdFD | RuntimeError | expected scalar type {main} but found {word}
cumulative_trapezoid@1 | ?:BbhilegfdFD | RuntimeError | cumulative_trapezoid: received a {main_c} input for `x` or `y`, but {main_c} is not supported
cumulative_trapezoid@1 | BbhilegfdFD:? | RuntimeError | cumulative_trapezoid: received a {c} input for `x` or `y`, but {c} is not supported
dot@1 vdot@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | dot : expected both vectors to have same dtype, but found {main} and {word}
heaviside@1 | ?Bbhilegfd:?Bbhilegfd | RuntimeError | heaviside is not yet implemented for tensors with different dtypes.
heaviside@1 | ?Bbhilegfd:FD F:?BbhilegfdD D:?BbhilegfdF | RuntimeError | heaviside is not yet implemented for complex tensors.
histogram@1 histogramdd@1 | ?BbhilegFD:?BbhilegfdFD | NotImplementedError | "histogramdd" not implemented for '{main}'
histogram@1 histogramdd@1 | fd:?BbhilegfdFD | RuntimeError | torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input({main_c}), and weight({c})
index_add@2 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | index_add_(): self ({main}) and source ({word}) must have the same scalar type
index_copy@2 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | index_copy_(): self and source expected to have the same dtype, but got (self) {main} and (source) {word}
index_fill@2 | ?Bbhilegfd:FD | RuntimeError | index_fill_(): Converting complex Scalar to non-complex type is not supported
index_reduce@2 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | index_reduce_(): self ({main}) and source ({word}) must have the same scalar type
isclose@1 | ?:BbhilegfdFD B:?bhilegfdFD bhigfdFD:?Ble l:?BbhiegfdFD e:?BbhilgfdFD | RuntimeError | {main} did not match {word}
isin@1 | ?:BbhilegfdFD F:dD | RuntimeError | Unsupported input type encountered for isin(): {main}
isin@1 | Bbhilegf:? d:?F | RuntimeError | Unsupported input type encountered for isin(): {word}
ldexp@1 | egfd:? | NotImplementedError | "ldexp_cpu_exp" not implemented for '{word}'
lerp@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | expected dtype {main_c} for `end` but got dtype {c}
linalg.householder_product@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | torch.linalg.householder_product: tau dtype {word} does not match input dtype {main}
linalg.ldl_solve@2 | ?Bbhil:?BbhilegfdFD | RuntimeError | torch.linalg.ldl_solve: Expected a floating point or complex tensor as input. Got {main}
linalg.ldl_solve@2 | egfdFD:?BbhilegfdFD | RuntimeError | Expected b and A to have the same dtype, but found b of type {word} and A of type {main} instead.
linalg.lstsq@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {main} and other's dtype {word}
linalg.lu_solve@2 | ?Bbhil:?BbhilegfdFD | RuntimeError | torch.linalg.lu_solve: Expected a floating point or complex tensor as input. Got {main}
linalg.lu_solve@2 | egfdFD:?BbhilegfdFD | RuntimeError | linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {main} and B of type {word} instead
linalg.matrix_rank@1 | ?Bbhilegfd:FD F:D D:F | RuntimeError | torch.linalg.matrix_rank: atol tensor of complex type is not supported. Got {word}
linalg.multi_dot@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | multi_dot(): all tensors must have be the same dtype but tensor 0 is {main_c} and tensor 1 {c}
linalg.pinv@1 | ?:?Bbhileg Bb:Bbhileg h:hileg i:ileg l:leg eg:eg | RuntimeError | linalg.pinv({main}({shape})): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types
linalg.pinv@1 | ?Bbhileg:f | RuntimeError | linalg.pinv({main}({shape})): expected a tensor with 2 or more dimensions of {c}, double, cfloat or cdouble types
linalg.pinv@1 | ?Bbhileg:d | RuntimeError | linalg.pinv({main}({shape})): expected a tensor with 2 or more dimensions of float, {c}, cfloat or cdouble types
linalg.pinv@1 | ?Bbhilegfd:FD F:D D:F | RuntimeError | torch.linalg.pinv: rcond tensor of complex type is not supported. Got {word}
linalg.solve@1 linalg.solve_ex@1 linalg.tensorsolve@1 | ?Bbhil:?BbhilegfdFD | RuntimeError | linalg.solve: Expected a floating point or complex tensor as input. Got {main}
linalg.solve@1 linalg.solve_ex@1 linalg.tensorsolve@1 | egfdFD:?BbhilegfdFD | RuntimeError | linalg.solve: Expected A and B to have the same dtype, but found A of type {main} and B of type {word} instead
linalg.solve_triangular@1 | ?:?BbhilegfdFD Bb:BbhilegfdFD h:hilegfdFD i:ilegfdFD l:legfdFD eg:egfdFD | NotImplementedError | "triangular_solve_cpu" not implemented for '{main}'
linalg.vecdot@1 | ?Bbhil:?BbhilegfdFD | RuntimeError | linalg.vecdot: Expected a floating point or complex tensor as input. Got {main}
linalg.vecdot@1 | egfdFD:?BbhilegfdFD | RuntimeError | linalg.vecdot: Expected x and y to have the same dtype, but found x of type {main} and y of type {word} instead
lu_solve@1 | ?:Bbhil B:?bhil b:?Bhil h:?Bbil i:?Bbhl l:?Bbhi egfdFD:?Bbhil | RuntimeError | torch.linalg.lu_solve: Expected a floating point or complex tensor as input. Got {word}
lu_solve@1 | ?Bbhil:egfdFD e:gfdFD g:efdFD f:egdFD d:egfFD F:egfdD D:egfdF | RuntimeError | linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {word} and B of type {main} instead
masked_scatter@2 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | masked_scatter: expected self and source to have same dtypes but got{main} and {word}
mm@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | expected m1 and m2 to have the same dtype, but got: {main_c} != {c}
mv@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | addmv input tensors must have the same dtype, but got {word}, {main}, and {word}
nn.functional.batch_norm@3 nn.functional.batch_norm@4 | ?BbhilFD:?BbhilegfdFD | NotImplementedError | "batch_norm" not implemented for '{main}'
nn.functional.binary_cross_entropy@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | Found dtype {word} but expected {main}
nn.functional.binary_cross_entropy_with_logits@1 | egfd:? | RuntimeError | Subtraction, the `-` operator, with two {c} tensors is not supported. Use the `^` or `logical_xor()` operator instead.
nn.functional.binary_cross_entropy_with_logits@1 | egfd:Bbhil | RuntimeError | result type {main} can't be cast to the desired output type {word}
nn.functional.binary_cross_entropy_with_logits@1 nn.functional.instance_norm@1 nn.functional.multilabel_soft_margin_loss@1 nn.functional.gaussian_nll_loss@1 | egfd:FD | - | taken
nn.functional.binary_cross_entropy_with_logits@1 nn.functional.multilabel_soft_margin_loss@1 | ?:?BbhilegfdFD Bb:BbhilegfdFD h:hilegfdFD i:ilegfdFD l:legfdFD F:dFD | NotImplementedError | "log_sigmoid_cpu" not implemented for '{main}'
nn.functional.conv1d@1 nn.functional.conv2d@1 | ?:BbhilegfdFD | NotImplementedError | "slow_conv2d_cpu" not implemented for '{main}'
nn.functional.conv1d@1 nn.functional.conv2d@1 nn.functional.conv3d@1 | Bbhilefd:?BbhilegfdFD | RuntimeError | expected scalar type {main} but found {word}
nn.functional.conv1d@2 | ?BbhigfFD:?BbhilegfdFD | RuntimeError | Input type ({main_c}) and bias type ({c}) should be the same
nn.functional.conv2d@2 nn.functional.conv3d@2 | ?gFD:?BbhilegfdFD | RuntimeError | Input type ({main_c}) and bias type ({c}) should be the same
nn.functional.conv3d@1 | ?:BbhilegfdFD | NotImplementedError | "compute_columns3d" not implemented for '{main}'
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose1d@2 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose2d@2 | ?Bbhi:?BbhilegfdFD | NotImplementedError | "slow_conv_transpose2d_out_cpu" not implemented for '{main}'
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose3d@1 nn.functional.conv1d@1 nn.functional.conv2d@1 nn.functional.conv3d@1 | g:? | RuntimeError | Input type ({main_type}) and weight type (CPUBoolType) should be the same or input should be a MKLDNN tensor and weight is a dense tensor
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose3d@1 nn.functional.conv1d@1 nn.functional.conv2d@1 nn.functional.conv3d@1 | g:BbhilefdFD | RuntimeError | Input type ({main_type}) and weight type ({type}) should be the same or input should be a MKLDNN tensor and weight is a dense tensor
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose3d@1 nn.functional.conv1d@1 nn.functional.conv2d@1 nn.functional.conv3d@1 | FD:? | RuntimeError | Input type ({main_type}) and weight type (CPUBoolType) should be the same
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose3d@1 nn.functional.conv1d@1 nn.functional.conv2d@1 nn.functional.conv3d@1 | FD:BbhilegfdFD | RuntimeError | Input type ({main_type}) and weight type ({type}) should be the same
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose3d@1 nn.functional.conv_transpose3d@2 | lefd:?BbhilegfdFD | RuntimeError | expected scalar type {main} but found {word}
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose2d@2 | l:egfdFD ef:FD d:D | RuntimeError | result type {word} can't be cast to the desired output type {main}
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose2d@2 | d:F | RuntimeError | result type ComplexDouble can't be cast to the desired output type {main}
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose2d@2 nn.functional.conv_transpose3d@2 | FD:? | RuntimeError | Input type ({main_type}) and bias type (CPUBoolType) should be the same
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose2d@2 nn.functional.conv_transpose3d@2 | FD:BbhilegfdFD | RuntimeError | Input type ({main_type}) and bias type ({type}) should be the same
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose3d@2 | g:? | RuntimeError | Input type ({main_type}) and bias type (CPUBoolType) should be the same or input should be a MKLDNN tensor and bias is a dense tensor
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose3d@2 | g:BbhilefdFD | RuntimeError | Input type ({main_type}) and bias type ({type}) should be the same or input should be a MKLDNN tensor and bias is a dense tensor
nn.functional.conv_transpose2d@2 | g:FD | RuntimeError | Input type ({main_type}) and bias type ({type}) should be the same or input should be a MKLDNN tensor and bias is a dense tensor
nn.functional.conv_transpose3d@1 nn.functional.conv_transpose3d@2 | ?Bbhi:?BbhilegfdFD | NotImplementedError | "slow_conv_transpose3d_out_cpu" not implemented for '{main}'
nn.functional.cosine_embedding_loss@2 | ?Bbhilegfd:FD | - | taken
nn.functional.embedding_bag@3 | egfd:? | RuntimeError | Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type {main_type} does not equal CPUBoolType (while checking arguments for embedding_bag)
nn.functional.embedding_bag@3 | egfd:BbhilegfdFD | RuntimeError | Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type {main_type} does not equal {type} (while checking arguments for embedding_bag)
nn.functional.gaussian_nll_loss@1 | ?:?BbhilegdFD Bb:BbhilFD h:hilFD i:ilFD l:lFD | RuntimeError | result type Float can't be cast to the desired output type {main_c}
nn.functional.gaussian_nll_loss@1 | ?:f | RuntimeError | result type {word} can't be cast to the desired output type {main_c}
nn.functional.gaussian_nll_loss@1 | F:D | NotImplementedError | "lt_cpu" not implemented for '{main}'
nn.functional.gaussian_nll_loss@2 | FD:egfd | - | taken
nn.functional.gaussian_nll_loss@2 | ?:egfd | RuntimeError | Subtraction, the `-` operator, with two {main_c} tensors is not supported. Use the `^` or `logical_xor()` operator instead.
nn.functional.gaussian_nll_loss@2 | B:?b b:?B h:?Bb i:?Bbh l:?Bbhi egdFD:?Bbhil | RuntimeError | result type Float can't be cast to the desired output type {c}
nn.functional.gaussian_nll_loss@2 | f:?Bbhil | RuntimeError | result type {main} can't be cast to the desired output type {c}
nn.functional.gaussian_nll_loss@2 | dD:F | NotImplementedError | "lt_cpu" not implemented for '{word}'
nn.functional.grid_sample@1 | ?BbhilFD:?BbhilegfdFD | NotImplementedError | "grid_sampler_2d_cpu_kernel_impl" not implemented for '{main}'
nn.functional.grid_sample@1 nn.functional.nll_loss@2 | egfd:?BbhilegfdFD | RuntimeError | expected scalar type {main} but found {word}
nn.functional.group_norm@1 nn.functional.instance_norm@3 nn.functional.layer_norm@1 nn.functional.batch_norm@3 | f:?BbhilegdFD | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of {main}
nn.functional.group_norm@1 nn.functional.layer_norm@1 | ?BbhilegdFD:?BbhilegdFD | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of Float
nn.functional.group_norm@1 nn.functional.layer_norm@1 | ?BbhildFD:f | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of {word}
nn.functional.group_norm@2 | ?BbhilFD:?BbhilegfdFD | NotImplementedError | "GroupNormKernelImpl" not implemented for '{main}'
nn.functional.group_norm@2 nn.functional.instance_norm@4 nn.functional.layer_norm@2 nn.functional.batch_norm@4 | eg:?BbhilegdFD fd:?BbhilegfdFD | RuntimeError | expected scalar type {main} but found {word}
nn.functional.hinge_embedding_loss@1 | Bbhilegfd:FD | - | taken
nn.functional.huber_loss@1 | ?:BbhilegfdFD Bbhil:egfdFD egfd:FD | RuntimeError | result type {common} can't be cast to the desired output type {main}
nn.functional.instance_norm@1 nn.functional.instance_norm@2 nn.functional.instance_norm@3 nn.functional.instance_norm@4 | ?:?BbhilegfdFD Bb:BbhilegfdFD h:hilegfdFD i:ilegfdFD l:legfdFD F:dFD | NotImplementedError | "batch_norm" not implemented for '{main}'
nn.functional.instance_norm@3 nn.functional.batch_norm@3 | egd:?BbhilegdFD | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of Float
nn.functional.instance_norm@3 nn.functional.batch_norm@3 | d:f | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of {word}
nn.functional.kl_div@1 | ?Bbhil:egfd egfd:?Bbhil | RuntimeError | kl_div: Integral inputs not supported.
nn.functional.layer_norm@2 | ?BbhilFD:?BbhilegfdFD | NotImplementedError | "LayerNormKernelImpl" not implemented for '{main}'
nn.functional.margin_ranking_loss@2 | BbhilegfdFD:? | RuntimeError | Negation, the `-` operator, on a {c} tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.
nn.functional.margin_ranking_loss@2 nn.functional.triplet_margin_loss@2 nn.functional.triplet_margin_with_distance_loss@2 nn.functional.hinge_embedding_loss@1 | ?:BbhilegfdFD | RuntimeError | Subtraction, the `-` operator, with two {main_c} tensors is not supported. Use the `^` or `logical_xor()` operator instead.
nn.functional.multi_head_attention_forward@1 nn.functional.multi_head_attention_forward@2 | egfd:?BbhilegfdFD | RuntimeError | mat1 and mat2 must have the same dtype, but got {word} and {main}
nn.functional.multi_head_attention_forward@1 nn.functional.multi_head_attention_forward@2 nn.functional.multi_head_attention_forward@5 nn.functional.multi_head_attention_forward@6 nn.functional.multi_head_attention_forward@7 nn.functional.multi_head_attention_forward@8 | ?:BbhilegfdFD | NotImplementedError | "addmm_impl_cpu_" not implemented for '{main}'
nn.functional.multi_head_attention_forward@3 | ?egfd:?BbhilegfdFD | RuntimeError | self and mat2 must have the same dtype, but got {main} and {word}
nn.functional.multi_head_attention_forward@4 | ?egfd:?BbhilegfdFD | RuntimeError | self and mat2 must have the same dtype, but got {word} and {main}
nn.functional.multi_head_attention_forward@5 nn.functional.multi_head_attention_forward@6 | eg:egfdFD f:fdFD d:dFD | RuntimeError | expected scalar type {main} but found {common}
nn.functional.multi_head_attention_forward@7 | egfd:?BbhilegfdFD | RuntimeError | self and mat2 must have the same dtype, but got {main} and {word}
nn.functional.multi_head_attention_forward@8 | egfd:?BbhilegfdFD | RuntimeError | self and mat2 must have the same dtype, but got {word} and {main}
nn.functional.multi_margin_loss@2 | ?BbhilegFD:?BbhilegfdFD | NotImplementedError | "multi_margin_loss_cpu_kernel" not implemented for '{main}'
nn.functional.multi_margin_loss@2 | fd:?BbhilegfdFD | RuntimeError | expected scalar type {main} but found {word}
nn.functional.multilabel_soft_margin_loss@1 nn.functional.gaussian_nll_loss@1 | egfd:? | RuntimeError | Subtraction, the `-` operator, with a {c} tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.
nn.functional.nll_loss@2 | ?BbhilFD:?BbhilegfdFD | NotImplementedError | "nll_loss_out_frame" not implemented for '{main}'
nn.functional.prelu@1 | ?:BbhilegfdFD B:?bhilegfdFD bhigfdFD:?Ble l:?BbhiegfdFD e:?BbhilgfdFD | RuntimeError | prelu: Type promoting not supported. Got {main} and {word}
nn.functional.rms_norm@1 | ?:?BbhilegfdFD Bb:BbhilegfdFD h:hilegfdFD i:ilegfdFD l:legfdFD | NotImplementedError | "rms_norm" not implemented for '{main}'
nn.functional.scaled_dot_product_attention@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | Expected query, key, and value to have the same dtype, but got query.dtype: {main_c} key.dtype: {c} and value.dtype: {main_c} instead.
nn.functional.scaled_dot_product_attention@2 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | Expected query, key, and value to have the same dtype, but got query.dtype: {main_c} key.dtype: {main_c} and value.dtype: {c} instead.
nn.functional.smooth_l1_loss@1 | ?:FD FD:? | NotImplementedError | "smooth_l1_cpu" not implemented for '{common}'
nn.functional.soft_margin_loss@1 | ?:BbhilegfdFD | RuntimeError | Negation, the `-` operator, on a {main_c} tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.
nn.functional.soft_margin_loss@1 | Bb:Bbhil h:hil i:il | RuntimeError | result type Float can't be cast to the desired output type {main}
nn.functional.soft_margin_loss@1 | Bbhil:egfdFD egfd:FD | RuntimeError | result type {common} can't be cast to the desired output type {main}
ormqr@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | torch.ormqr: Expected input and tau to have the same dtype, but input has dtype{main} and tau has dtype {word}
ormqr@2 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | torch.ormqr: Expected input and other to have the same dtype, but input has dtype{main} and other has dtype {word}
put@2 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | put_(): self and source expected to have the same dtype, but got self.dtype = {main} and source.dtype = {word}
quantile@1 nanquantile@1 | ?BbhilegFD:?BbhilegFD | RuntimeError | quantile() input tensor must be either float or double dtype
quantile@1 nanquantile@1 | ?BbhilegFD:f | RuntimeError | quantile() input tensor must be either {c} or double dtype
quantile@1 nanquantile@1 | ?BbhilegFD:d | RuntimeError | quantile() input tensor must be either float or {c} dtype
quantile@1 nanquantile@1 | fd:?BbhilegfdFD | RuntimeError | quantile() q tensor must be same dtype as the input tensor
scatter@2 scatter_add@2 scatter_reduce@2 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | scatter(): Expected self.dtype to be equal to src.dtype
stft@1 | ?:BbhilegfdFD | NotImplementedError | "reflection_pad1d" not implemented for '{main}'
stft@1 | Bbhil:? | RuntimeError | stft({main_type}{shape}, n_fft=16, hop_length=4, win_length=16, window=CPUBoolType({shape}), normalized=0, onesided=None, return_complex=1, align_to_window=None) : expected a tensor of floating point or complex values
stft@1 | Bbhil:BbhilegfdFD | RuntimeError | stft({main_type}{shape}, n_fft=16, hop_length=4, win_length=16, window={type}({shape}), normalized=0, onesided=None, return_complex=1, align_to_window=None) : expected a tensor of floating point or complex values
sub@1 nn.functional.margin_ranking_loss@1 nn.functional.triplet_margin_loss@1 nn.functional.triplet_margin_loss@2 nn.functional.triplet_margin_with_distance_loss@1 nn.functional.triplet_margin_with_distance_loss@2 dist@1 rsub@1 nn.functional.l1_loss@1 nn.functional.pairwise_distance@1 | BbhilegfdFD:? | RuntimeError | Subtraction, the `-` operator, with a {c} tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.
sub@1 nn.functional.margin_ranking_loss@1 nn.functional.triplet_margin_loss@1 nn.functional.triplet_margin_with_distance_loss@1 dist@1 rsub@1 nn.functional.l1_loss@1 nn.functional.pairwise_distance@1 | ?:BbhilegfdFD | RuntimeError | Subtraction, the `-` operator, with a {main_c} tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.
tensordot@1 | ?BbhilegfdFD:?BbhilegfdFD | RuntimeError | both inputs should have same dtype
trapz@1 trapezoid@1 | ?:BbhilegfdFD | RuntimeError | trapezoid: received a {main_c} input for `x` or `y`, but {main_c} is not supported
trapz@1 trapezoid@1 | BbhilegfdFD:? | RuntimeError | trapezoid: received a {c} input for `x` or `y`, but {c} is not supported
"""
