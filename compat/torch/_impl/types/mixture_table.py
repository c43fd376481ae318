"""Mixtures of dtypes that operations of PyTorch 2.13.0 refuse; tests/compat/tables/refused_dtypes.py writes it.

A line is names, each with the place of an operand, pairs of letters, that of the first operand and of that one, the
class of the error and its message.
"""

MIXED = r"""
atan2@1 | lFeFgFfF | NotImplementedError | "atan2_cpu" not implemented for '{word}'
atan2@1 | dFFd | NotImplementedError | "atan2_cpu" not implemented for 'ComplexDouble'
atan2@1 | FlFeFf | NotImplementedError | "atan2_cpu" not implemented for '{main}'
bmm@1 | leelglgeflfedldeFlFe | RuntimeError | expected m1 and m2 to have the same dtype, but got: {main_c} != {c}
bmm@1 | lfldlFefedeFgfgdgFfdfFdfdFFfFd | RuntimeError | expected scalar type {word} but found {main}
bucketize@1 | lFeFgFfF | NotImplementedError | "searchsorted_out_cpu" not implemented for '{word}'
bucketize@1 | dFFd | NotImplementedError | "searchsorted_out_cpu" not implemented for 'ComplexDouble'
bucketize@1 | FlFeFf | NotImplementedError | "searchsorted_out_cpu" not implemented for '{main}'
cdist@1 | lelfldlFFlFeFfFd | RuntimeError | cdist only supports floating-point dtypes, X1 got: {main}
cdist@1 | eleFglgFflfFdldF | RuntimeError | cdist only supports floating-point dtypes, X2 got: {word}
cholesky_solve@1 triangular_solve@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | Expected b and A to have the same dtype, but found b of type {main} and A of type {word} instead.
clamp@1 clamp@2 | lFeFgFfF | NotImplementedError | "clamp_cpu" not implemented for '{word}'
clamp@1 clamp@2 | dF | NotImplementedError | "clamp_cpu" not implemented for 'ComplexDouble'
clamp@1 clamp@2 nn.functional.cosine_embedding_loss@2 nn.functional.hinge_embedding_loss@1 | FlFeFfFd | NotImplementedError | clamp is not supported for complex types
clamp_max@1 | lFeFgFfF | NotImplementedError | "minimum_cpu" not implemented for '{word}'
clamp_max@1 | dFFd | NotImplementedError | "minimum_cpu" not implemented for 'ComplexDouble'
clamp_max@1 | FlFeFf | NotImplementedError | "minimum_cpu" not implemented for '{main}'
clamp_min@1 | lFeFgFfF | NotImplementedError | "maximum_cpu" not implemented for '{word}'
clamp_min@1 | dFFd | NotImplementedError | "maximum_cpu" not implemented for 'ComplexDouble'
clamp_min@1 | FlFeFf | NotImplementedError | "maximum_cpu" not implemented for '{main}'
complex@1 polar@1 | legeFe | RuntimeError | Expected both inputs to be {word}, Float or Double tensors but got {main} and {word}
complex@1 polar@1 | lfgfFf | RuntimeError | Expected both inputs to be Half, {word} or Double tensors but got {main} and {word}
complex@1 polar@1 | ldgdFd | RuntimeError | Expected both inputs to be Half, Float or {word} tensors but got {main} and {word}
complex@1 polar@1 | lFglgFFl | RuntimeError | Expected both inputs to be Half, Float or Double tensors but got {main} and {word}
complex@1 polar@1 | eleF | RuntimeError | Expected both inputs to be {main}, Float or Double tensors but got {main} and {word}
complex@1 polar@1 | efedfefddedf | RuntimeError | Expected object of scalar type {main} but got scalar type {word} for second argument
complex@1 polar@1 | flfF | RuntimeError | Expected both inputs to be Half, {main} or Double tensors but got {main} and {word}
complex@1 polar@1 | dldF | RuntimeError | Expected both inputs to be Half, Float or {main} tensors but got {main} and {word}
copysign@1 | lFeFgFfF | NotImplementedError | "copysign_cpu" not implemented for '{word}'
copysign@1 | dFFd | NotImplementedError | "copysign_cpu" not implemented for 'ComplexDouble'
copysign@1 | FlFeFf | NotImplementedError | "copysign_cpu" not implemented for '{main}'
cross@1 linalg.cross@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | expected scalar type {main} but found {word}
dot@1 vdot@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | dot : expected both vectors to have same dtype, but found {main} and {word}
floor_divide@1 | lFeFgFfF | NotImplementedError | "div_floor_cpu" not implemented for '{word}'
floor_divide@1 | dFFd | NotImplementedError | "div_floor_cpu" not implemented for 'ComplexDouble'
floor_divide@1 | FlFeFf | NotImplementedError | "div_floor_cpu" not implemented for '{main}'
fmax@1 | lFeFgFfFdFFlFeFfFd | RuntimeError | fmax not implemented for complex tensors.
fmin@1 | lFeFgFfFdFFlFeFfFd | RuntimeError | fmin not implemented for complex tensors.
ge@1 | lFeFgFfF | NotImplementedError | "ge_cpu" not implemented for '{word}'
ge@1 | dFFd | NotImplementedError | "ge_cpu" not implemented for 'ComplexDouble'
ge@1 | FlFeFf | NotImplementedError | "ge_cpu" not implemented for '{main}'
gt@1 | lFeFgFfF | NotImplementedError | "gt_cpu" not implemented for '{word}'
gt@1 | dFFd | NotImplementedError | "gt_cpu" not implemented for 'ComplexDouble'
gt@1 | FlFeFf | NotImplementedError | "gt_cpu" not implemented for '{main}'
heaviside@1 | lelfldelefedglgegfgdflfefddldedf | RuntimeError | heaviside is not yet implemented for tensors with different dtypes.
heaviside@1 | lFeFgFfFdFFlFeFfFd | RuntimeError | heaviside is not yet implemented for complex tensors.
histogram@1 histogramdd@1 | lelfldlFelefedeFglgegfgdgFFlFeFfFd | NotImplementedError | "histogramdd" not implemented for '{main}'
histogram@1 histogramdd@1 | flfefdfFdldedfdF | RuntimeError | torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input({main_c}), and weight({c})
hypot@1 | lFeFgFfF | NotImplementedError | "hypot_cpu" not implemented for '{word}'
hypot@1 | dFFd | NotImplementedError | "hypot_cpu" not implemented for 'ComplexDouble'
hypot@1 | FlFeFf | NotImplementedError | "hypot_cpu" not implemented for '{main}'
igamma@1 | lFeFgFfF | NotImplementedError | "igamma_cpu" not implemented for '{word}'
igamma@1 | dFFd | NotImplementedError | "igamma_cpu" not implemented for 'ComplexDouble'
igamma@1 | FlFeFf | NotImplementedError | "igamma_cpu" not implemented for '{main}'
igammac@1 | lFeFgFfF | NotImplementedError | "igammac_cpu" not implemented for '{word}'
igammac@1 | dFFd | NotImplementedError | "igammac_cpu" not implemented for 'ComplexDouble'
igammac@1 | FlFeFf | NotImplementedError | "igammac_cpu" not implemented for '{main}'
index_add@2 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | index_add_(): self ({main}) and source ({word}) must have the same scalar type
index_copy@2 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | index_copy_(): self and source expected to have the same dtype, but got (self) {main} and (source) {word}
index_fill@2 | lFeFgFfFdF | RuntimeError | index_fill_(): Converting complex Scalar to non-complex type is not supported
index_reduce@2 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | index_reduce_(): self ({main}) and source ({word}) must have the same scalar type
isclose@1 | lelfldlFelefedeFglgeflfedldeFlFe | RuntimeError | {main} did not match {word}
isin@1 | lFeFgFfFdF | RuntimeError | Unsupported input type encountered for isin(): {word}
isin@1 | FlFeFfFd | RuntimeError | Unsupported input type encountered for isin(): {main}
le@1 | lFeFgFfF | NotImplementedError | "le_cpu" not implemented for '{word}'
le@1 | dFFd | NotImplementedError | "le_cpu" not implemented for 'ComplexDouble'
le@1 | FlFeFf | NotImplementedError | "le_cpu" not implemented for '{main}'
lerp@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | expected dtype {main_c} for `end` but got dtype {c}
linalg.householder_product@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | torch.linalg.householder_product: tau dtype {word} does not match input dtype {main}
linalg.ldl_solve@2 | lelfldlF | RuntimeError | torch.linalg.ldl_solve: Expected a floating point or complex tensor as input. Got {main}
linalg.ldl_solve@2 | elefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | Expected b and A to have the same dtype, but found b of type {word} and A of type {main} instead.
linalg.lstsq@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {main} and other's dtype {word}
linalg.lu_solve@2 | lelfldlF | RuntimeError | torch.linalg.lu_solve: Expected a floating point or complex tensor as input. Got {main}
linalg.lu_solve@2 | elefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {main} and B of type {word} instead
linalg.matrix_rank@1 | lFeFgFfFdF | RuntimeError | torch.linalg.matrix_rank: atol tensor of complex type is not supported. Got {word}
linalg.multi_dot@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | multi_dot(): all tensors must have be the same dtype but tensor 0 is {main_c} and tensor 1 {c}
linalg.pinv@1 | leelglge | RuntimeError | linalg.pinv({main}({shape})): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types
linalg.pinv@1 | lfefgf | RuntimeError | linalg.pinv({main}({shape})): expected a tensor with 2 or more dimensions of {c}, double, cfloat or cdouble types
linalg.pinv@1 | ldedgd | RuntimeError | linalg.pinv({main}({shape})): expected a tensor with 2 or more dimensions of float, {c}, cfloat or cdouble types
linalg.pinv@1 | lFeFgFfFdF | RuntimeError | torch.linalg.pinv: rcond tensor of complex type is not supported. Got {word}
linalg.solve@1 linalg.solve_ex@1 linalg.tensorsolve@1 | lelfldlF | RuntimeError | linalg.solve: Expected a floating point or complex tensor as input. Got {main}
linalg.solve@1 linalg.solve_ex@1 linalg.tensorsolve@1 | elefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | linalg.solve: Expected A and B to have the same dtype, but found A of type {main} and B of type {word} instead
linalg.solve_triangular@1 | lelfldlFelefedeFglgegfgdgF | NotImplementedError | "triangular_solve_cpu" not implemented for '{main}'
linalg.vecdot@1 | lelfldlF | RuntimeError | linalg.vecdot: Expected a floating point or complex tensor as input. Got {main}
linalg.vecdot@1 | elefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | linalg.vecdot: Expected x and y to have the same dtype, but found x of type {main} and y of type {word} instead
logaddexp2@1 | lFeFgFfF | NotImplementedError | "logaddexp2_cpu" not implemented for '{word}'
logaddexp2@1 | dFFd | NotImplementedError | "logaddexp2_cpu" not implemented for 'ComplexDouble'
logaddexp2@1 | FlFeFf | NotImplementedError | "logaddexp2_cpu" not implemented for '{main}'
lt@1 | lFeFgFfF | NotImplementedError | "lt_cpu" not implemented for '{word}'
lt@1 | dFFd | NotImplementedError | "lt_cpu" not implemented for 'ComplexDouble'
lt@1 | FlFeFf | NotImplementedError | "lt_cpu" not implemented for '{main}'
lu_solve@1 | lelfldlFefedeFgegfgdgFfefdfFdedfdFFeFfFd | RuntimeError | linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {word} and B of type {main} instead
lu_solve@1 | elglfldlFl | RuntimeError | torch.linalg.lu_solve: Expected a floating point or complex tensor as input. Got {word}
masked_scatter@2 | lelfldlF | RuntimeError | masked_scatter: expected self and source to have same dtypes but gotLong and {word}
masked_scatter@2 | elefedeF | RuntimeError | masked_scatter: expected self and source to have same dtypes but gotHalf and {word}
masked_scatter@2 | glgegfgdgF | RuntimeError | masked_scatter: expected self and source to have same dtypes but gotBFloat16 and {word}
masked_scatter@2 | flfefdfF | RuntimeError | masked_scatter: expected self and source to have same dtypes but gotFloat and {word}
masked_scatter@2 | dldedfdF | RuntimeError | masked_scatter: expected self and source to have same dtypes but gotDouble and {word}
masked_scatter@2 | FlFeFfFd | RuntimeError | masked_scatter: expected self and source to have same dtypes but gotComplexFloat and {word}
maximum@1 | lFeFgFfFdFFlFeFfFd | RuntimeError | maximum not implemented for complex tensors.
minimum@1 | lFeFgFfFdFFlFeFfFd | RuntimeError | minimum not implemented for complex tensors.
mm@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | expected m1 and m2 to have the same dtype, but got: {main_c} != {c}
mv@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | addmv input tensors must have the same dtype, but got {word}, {main}, and {word}
nextafter@1 | lFeFgFfF | NotImplementedError | "nextafter_cpu" not implemented for '{word}'
nextafter@1 | dFFd | NotImplementedError | "nextafter_cpu" not implemented for 'ComplexDouble'
nextafter@1 | FlFeFf | NotImplementedError | "nextafter_cpu" not implemented for '{main}'
nn.functional.binary_cross_entropy@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | Found dtype {word} but expected {main}
nn.functional.binary_cross_entropy_with_logits@1 | elglfldl | RuntimeError | result type {main} can't be cast to the desired output type {word}
nn.functional.binary_cross_entropy_with_logits@1 nn.functional.multilabel_soft_margin_loss@1 | lelfldlFFlFeFfFd | NotImplementedError | "log_sigmoid_cpu" not implemented for '{main}'
nn.functional.conv1d@2 | glgegfgdgFflfefdfFFlFeFfFd | RuntimeError | Input type ({main_c}) and bias type ({c}) should be the same
nn.functional.conv2d@2 nn.functional.conv3d@2 | glgegfgdgFFlFeFfFd | RuntimeError | Input type ({main_c}) and bias type ({c}) should be the same
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose3d@1 nn.functional.conv1d@1 nn.functional.conv2d@1 nn.functional.conv3d@1 | glgegfgdgF | RuntimeError | Input type ({main_type}) and weight type ({type}) should be the same or input should be a MKLDNN tensor and weight is a dense tensor
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose3d@1 nn.functional.conv1d@1 nn.functional.conv2d@1 nn.functional.conv3d@1 | FlFeFfFd | RuntimeError | Input type ({main_type}) and weight type ({type}) should be the same
nn.functional.conv_transpose1d@1 nn.functional.conv_transpose2d@1 nn.functional.conv_transpose3d@1 nn.functional.conv_transpose3d@2 nn.functional.conv1d@1 nn.functional.conv2d@1 nn.functional.conv3d@1 | lelfldlFelefedeFflfefdfFdldedfdF | RuntimeError | expected scalar type {main} but found {word}
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose2d@2 | lelfldlFeFfF | RuntimeError | result type {word} can't be cast to the desired output type {main}
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose2d@2 nn.functional.conv_transpose3d@2 | FlFeFfFd | RuntimeError | Input type ({main_type}) and bias type ({type}) should be the same
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose2d@2 nn.functional.soft_margin_loss@1 nn.functional.huber_loss@1 | dF | RuntimeError | result type ComplexDouble can't be cast to the desired output type {main}
nn.functional.conv_transpose1d@2 nn.functional.conv_transpose3d@2 | glgegfgdgF | RuntimeError | Input type ({main_type}) and bias type ({type}) should be the same or input should be a MKLDNN tensor and bias is a dense tensor
nn.functional.conv_transpose2d@2 | gF | RuntimeError | Input type ({main_type}) and bias type ({type}) should be the same or input should be a MKLDNN tensor and bias is a dense tensor
nn.functional.cosine_similarity@1 | lFeFgFfF | RuntimeError | expected common dtype to be floating point, yet common dtype is {word}
nn.functional.cosine_similarity@1 | dFFd | RuntimeError | expected common dtype to be floating point, yet common dtype is ComplexDouble
nn.functional.cosine_similarity@1 | FlFeFf | RuntimeError | expected common dtype to be floating point, yet common dtype is {main}
nn.functional.embedding_bag@3 | elefedeFglgegfgdgFflfefdfFdldedfdF | RuntimeError | Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type {main_type} does not equal {type} (while checking arguments for embedding_bag)
nn.functional.gaussian_nll_loss@1 | lF | RuntimeError | result type Float can't be cast to the desired output type {main_c}
nn.functional.gaussian_nll_loss@1 | Fl | NotImplementedError | "lt_cpu" not implemented for '{main}'
nn.functional.gaussian_nll_loss@2 | lFeFgFfFdF | NotImplementedError | "lt_cpu" not implemented for '{word}'
nn.functional.gaussian_nll_loss@2 | elgldlFl | RuntimeError | result type Float can't be cast to the desired output type {c}
nn.functional.gaussian_nll_loss@2 | fl | RuntimeError | result type {main} can't be cast to the desired output type {c}
nn.functional.grid_sample@1 | lelfldlFFlFeFfFd | NotImplementedError | "grid_sampler_2d_cpu_kernel_impl" not implemented for '{main}'
nn.functional.grid_sample@1 nn.functional.nll_loss@2 | elefedeFglgegfgdgFflfefdfFdldedfdF | RuntimeError | expected scalar type {main} but found {word}
nn.functional.group_norm@1 nn.functional.instance_norm@3 nn.functional.layer_norm@1 nn.functional.batch_norm@3 | flfefdfF | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of {main}
nn.functional.group_norm@1 nn.functional.layer_norm@1 | leldlFeledeFglgegdgFdldedFFlFeFd | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of Float
nn.functional.group_norm@1 nn.functional.layer_norm@1 | lfdfFf | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of {word}
nn.functional.group_norm@2 | lelfldlFFlFeFfFd | NotImplementedError | "GroupNormKernelImpl" not implemented for '{main}'
nn.functional.group_norm@2 nn.functional.instance_norm@4 nn.functional.layer_norm@2 nn.functional.batch_norm@4 | eledeFglgegdgFflfefdfFdldedfdF | RuntimeError | expected scalar type {main} but found {word}
nn.functional.huber_loss@1 | FlFeFf | NotImplementedError | "huber_cpu" not implemented for '{main}'
nn.functional.huber_loss@1 | Fd | NotImplementedError | "huber_cpu" not implemented for 'ComplexDouble'
nn.functional.instance_norm@1 nn.functional.instance_norm@2 nn.functional.instance_norm@3 nn.functional.instance_norm@4 nn.functional.batch_norm@3 nn.functional.batch_norm@4 | lelfldlFFlFeFfFd | NotImplementedError | "batch_norm" not implemented for '{main}'
nn.functional.instance_norm@3 nn.functional.batch_norm@3 | eledeFglgegdgFdldedF | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of Float
nn.functional.instance_norm@3 nn.functional.batch_norm@3 | df | RuntimeError | mixed dtype (CPU): expect parameter to have scalar type of {word}
nn.functional.kl_div@1 | lelfldelglfldl | RuntimeError | kl_div: Integral inputs not supported.
nn.functional.layer_norm@2 | lelfldlFFlFeFfFd | NotImplementedError | "LayerNormKernelImpl" not implemented for '{main}'
nn.functional.margin_ranking_loss@1 nn.functional.margin_ranking_loss@2 nn.functional.cosine_embedding_loss@1 | lFeFgFfFdFFlFeFfFd | NotImplementedError | clamp is not supported for complex types
nn.functional.mse_loss@1 | lFeFgFfF | NotImplementedError | "mse_cpu" not implemented for '{word}'
nn.functional.mse_loss@1 | dFFd | NotImplementedError | "mse_cpu" not implemented for 'ComplexDouble'
nn.functional.mse_loss@1 | FlFeFf | NotImplementedError | "mse_cpu" not implemented for '{main}'
nn.functional.multi_head_attention_forward@1 nn.functional.multi_head_attention_forward@2 | elefedeFglgegfgdgFflfefdfFdldedfdF | RuntimeError | mat1 and mat2 must have the same dtype, but got {word} and {main}
nn.functional.multi_head_attention_forward@3 nn.functional.multi_head_attention_forward@7 | elefedeFglgegfgdgFflfefdfFdldedfdF | RuntimeError | self and mat2 must have the same dtype, but got {main} and {word}
nn.functional.multi_head_attention_forward@4 nn.functional.multi_head_attention_forward@8 | elefedeFglgegfgdgFflfefdfFdldedfdF | RuntimeError | self and mat2 must have the same dtype, but got {word} and {main}
nn.functional.multi_head_attention_forward@5 nn.functional.multi_head_attention_forward@6 | efedeFgfgdgFfdfF | RuntimeError | expected scalar type {main} but found {word}
nn.functional.multi_head_attention_forward@5 nn.functional.multi_head_attention_forward@6 | ge | RuntimeError | expected scalar type {main} but found Float
nn.functional.multi_head_attention_forward@5 nn.functional.multi_head_attention_forward@6 | dF | RuntimeError | expected scalar type {main} but found ComplexDouble
nn.functional.multi_margin_loss@2 | lelfldlFelefedeFglgegfgdgFFlFeFfFd | NotImplementedError | "multi_margin_loss_cpu_kernel" not implemented for '{main}'
nn.functional.multi_margin_loss@2 | flfefdfFdldedfdF | RuntimeError | expected scalar type {main} but found {word}
nn.functional.nll_loss@2 | lelfldlFFlFeFfFd | NotImplementedError | "nll_loss_out_frame" not implemented for '{main}'
nn.functional.prelu@1 | lelfldlFelefedeFglgeflfedldeFlFe | RuntimeError | prelu: Type promoting not supported. Got {main} and {word}
nn.functional.rms_norm@1 | lelfldlF | NotImplementedError | "rms_norm" not implemented for '{main}'
nn.functional.scaled_dot_product_attention@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | Expected query, key, and value to have the same dtype, but got query.dtype: {main_c} key.dtype: {c} and value.dtype: {main_c} instead.
nn.functional.scaled_dot_product_attention@2 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | Expected query, key, and value to have the same dtype, but got query.dtype: {main_c} key.dtype: {main_c} and value.dtype: {c} instead.
nn.functional.soft_margin_loss@1 nn.functional.huber_loss@1 | lelfldlFeFgFfF | RuntimeError | result type {word} can't be cast to the desired output type {main}
ormqr@1 | lelfldlF | RuntimeError | torch.ormqr: Expected input and tau to have the same dtype, but input has dtypeLong and tau has dtype {word}
ormqr@1 | elefedeF | RuntimeError | torch.ormqr: Expected input and tau to have the same dtype, but input has dtypeHalf and tau has dtype {word}
ormqr@1 | glgegfgdgF | RuntimeError | torch.ormqr: Expected input and tau to have the same dtype, but input has dtypeBFloat16 and tau has dtype {word}
ormqr@1 | flfefdfF | RuntimeError | torch.ormqr: Expected input and tau to have the same dtype, but input has dtypeFloat and tau has dtype {word}
ormqr@1 | dldedfdF | RuntimeError | torch.ormqr: Expected input and tau to have the same dtype, but input has dtypeDouble and tau has dtype {word}
ormqr@1 | FlFeFfFd | RuntimeError | torch.ormqr: Expected input and tau to have the same dtype, but input has dtypeComplexFloat and tau has dtype {word}
ormqr@2 | lelfldlF | RuntimeError | torch.ormqr: Expected input and other to have the same dtype, but input has dtypeLong and other has dtype {word}
ormqr@2 | elefedeF | RuntimeError | torch.ormqr: Expected input and other to have the same dtype, but input has dtypeHalf and other has dtype {word}
ormqr@2 | glgegfgdgF | RuntimeError | torch.ormqr: Expected input and other to have the same dtype, but input has dtypeBFloat16 and other has dtype {word}
ormqr@2 | flfefdfF | RuntimeError | torch.ormqr: Expected input and other to have the same dtype, but input has dtypeFloat and other has dtype {word}
ormqr@2 | dldedfdF | RuntimeError | torch.ormqr: Expected input and other to have the same dtype, but input has dtypeDouble and other has dtype {word}
ormqr@2 | FlFeFfFd | RuntimeError | torch.ormqr: Expected input and other to have the same dtype, but input has dtypeComplexFloat and other has dtype {word}
put@2 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | put_(): self and source expected to have the same dtype, but got self.dtype = {main} and source.dtype = {word}
quantile@1 nanquantile@1 | lelFeleFglgegFFlFe | RuntimeError | quantile() input tensor must be either float or double dtype
quantile@1 nanquantile@1 | lfefgfFf | RuntimeError | quantile() input tensor must be either {c} or double dtype
quantile@1 nanquantile@1 | ldedgdFd | RuntimeError | quantile() input tensor must be either float or {c} dtype
quantile@1 nanquantile@1 | flfefdfFdldedfdF | RuntimeError | quantile() q tensor must be same dtype as the input tensor
remainder@1 | lFeFgFfF | NotImplementedError | "remainder_cpu" not implemented for '{word}'
remainder@1 | dFFd | NotImplementedError | "remainder_cpu" not implemented for 'ComplexDouble'
remainder@1 | FlFeFf | NotImplementedError | "remainder_cpu" not implemented for '{main}'
scatter@2 scatter_add@2 scatter_reduce@2 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | scatter(): Expected self.dtype to be equal to src.dtype
special.chebyshev_polynomial_t@1 | lelFeFgFfF | NotImplementedError | "chebyshev_polynomial_t_cpu" not implemented for '{word}'
special.chebyshev_polynomial_t@1 | elglFlFeFf | NotImplementedError | "chebyshev_polynomial_t_cpu" not implemented for '{main}'
special.chebyshev_polynomial_t@1 | dFFd | NotImplementedError | "chebyshev_polynomial_t_cpu" not implemented for 'ComplexDouble'
special.chebyshev_polynomial_u@1 | lelFeFgFfF | NotImplementedError | "chebyshev_polynomial_u_cpu" not implemented for '{word}'
special.chebyshev_polynomial_u@1 | elglFlFeFf | NotImplementedError | "chebyshev_polynomial_u_cpu" not implemented for '{main}'
special.chebyshev_polynomial_u@1 | dFFd | NotImplementedError | "chebyshev_polynomial_u_cpu" not implemented for 'ComplexDouble'
special.chebyshev_polynomial_v@1 | lelFeFgFfF | NotImplementedError | "chebyshev_polynomial_v_cpu" not implemented for '{word}'
special.chebyshev_polynomial_v@1 | elglFlFeFf | NotImplementedError | "chebyshev_polynomial_v_cpu" not implemented for '{main}'
special.chebyshev_polynomial_v@1 | dFFd | NotImplementedError | "chebyshev_polynomial_v_cpu" not implemented for 'ComplexDouble'
special.chebyshev_polynomial_w@1 | lelFeFgFfF | NotImplementedError | "chebyshev_polynomial_w_cpu" not implemented for '{word}'
special.chebyshev_polynomial_w@1 | elglFlFeFf | NotImplementedError | "chebyshev_polynomial_w_cpu" not implemented for '{main}'
special.chebyshev_polynomial_w@1 | dFFd | NotImplementedError | "chebyshev_polynomial_w_cpu" not implemented for 'ComplexDouble'
special.hermite_polynomial_h@1 | lelFeFgFfF | NotImplementedError | "hermite_polynomial_h_cpu" not implemented for '{word}'
special.hermite_polynomial_h@1 | elglFlFeFf | NotImplementedError | "hermite_polynomial_h_cpu" not implemented for '{main}'
special.hermite_polynomial_h@1 | dFFd | NotImplementedError | "hermite_polynomial_h_cpu" not implemented for 'ComplexDouble'
special.hermite_polynomial_he@1 | lelFeFgFfF | NotImplementedError | "hermite_polynomial_he_cpu" not implemented for '{word}'
special.hermite_polynomial_he@1 | elglFlFeFf | NotImplementedError | "hermite_polynomial_he_cpu" not implemented for '{main}'
special.hermite_polynomial_he@1 | dFFd | NotImplementedError | "hermite_polynomial_he_cpu" not implemented for 'ComplexDouble'
special.laguerre_polynomial_l@1 | lelFeFgFfF | NotImplementedError | "laguerre_polynomial_l_cpu" not implemented for '{word}'
special.laguerre_polynomial_l@1 | elglFlFeFf | NotImplementedError | "laguerre_polynomial_l_cpu" not implemented for '{main}'
special.laguerre_polynomial_l@1 | dFFd | NotImplementedError | "laguerre_polynomial_l_cpu" not implemented for 'ComplexDouble'
special.legendre_polynomial_p@1 | lelFeFgFfF | NotImplementedError | "legendre_polynomial_p_cpu" not implemented for '{word}'
special.legendre_polynomial_p@1 | elglFlFeFf | NotImplementedError | "legendre_polynomial_p_cpu" not implemented for '{main}'
special.legendre_polynomial_p@1 | dFFd | NotImplementedError | "legendre_polynomial_p_cpu" not implemented for 'ComplexDouble'
special.shifted_chebyshev_polynomial_t@1 | lelFeFgFfF | NotImplementedError | "shifted_chebyshev_polynomial_t_cpu" not implemented for '{word}'
special.shifted_chebyshev_polynomial_t@1 | elglFlFeFf | NotImplementedError | "shifted_chebyshev_polynomial_t_cpu" not implemented for '{main}'
special.shifted_chebyshev_polynomial_t@1 | dFFd | NotImplementedError | "shifted_chebyshev_polynomial_t_cpu" not implemented for 'ComplexDouble'
special.shifted_chebyshev_polynomial_u@1 | lelFeFgFfF | NotImplementedError | "shifted_chebyshev_polynomial_u_cpu" not implemented for '{word}'
special.shifted_chebyshev_polynomial_u@1 | elglFlFeFf | NotImplementedError | "shifted_chebyshev_polynomial_u_cpu" not implemented for '{main}'
special.shifted_chebyshev_polynomial_u@1 | dFFd | NotImplementedError | "shifted_chebyshev_polynomial_u_cpu" not implemented for 'ComplexDouble'
special.shifted_chebyshev_polynomial_v@1 | lelFeFgFfF | NotImplementedError | "shifted_chebyshev_polynomial_v_cpu" not implemented for '{word}'
special.shifted_chebyshev_polynomial_v@1 | elglFlFeFf | NotImplementedError | "shifted_chebyshev_polynomial_v_cpu" not implemented for '{main}'
special.shifted_chebyshev_polynomial_v@1 | dFFd | NotImplementedError | "shifted_chebyshev_polynomial_v_cpu" not implemented for 'ComplexDouble'
special.shifted_chebyshev_polynomial_w@1 | lelFeFgFfF | NotImplementedError | "shifted_chebyshev_polynomial_w_cpu" not implemented for '{word}'
special.shifted_chebyshev_polynomial_w@1 | elglFlFeFf | NotImplementedError | "shifted_chebyshev_polynomial_w_cpu" not implemented for '{main}'
special.shifted_chebyshev_polynomial_w@1 | dFFd | NotImplementedError | "shifted_chebyshev_polynomial_w_cpu" not implemented for 'ComplexDouble'
special.xlog1py@1 | lFeFgFfF | NotImplementedError | "xlog1py_cpu" not implemented for '{word}'
special.xlog1py@1 | dFFd | NotImplementedError | "xlog1py_cpu" not implemented for 'ComplexDouble'
special.xlog1py@1 | FlFeFf | NotImplementedError | "xlog1py_cpu" not implemented for '{main}'
special.zeta@1 | lelFeFgFfF | NotImplementedError | "zeta_cpu" not implemented for '{word}'
special.zeta@1 | elglFlFeFf | NotImplementedError | "zeta_cpu" not implemented for '{main}'
special.zeta@1 | dFFd | NotImplementedError | "zeta_cpu" not implemented for 'ComplexDouble'
stft@1 | lelfldlF | RuntimeError | stft({main_type}{shape}, n_fft=16, hop_length=4, win_length=16, window={type}({shape}), normalized=0, onesided=None, return_complex=1, align_to_window=None) : expected a tensor of floating point or complex values
stft@1 | elgl | RuntimeError | MKL FFT doesn't support tensors of type: {main}
tensordot@1 | lelfldlFelefedeFglgegfgdgFflfefdfFdldedfdFFlFeFfFd | RuntimeError | both inputs should have same dtype
xlogy@1 | lFeFgFfF | NotImplementedError | "xlogy_cpu" not implemented for '{word}'
xlogy@1 | dFFd | NotImplementedError | "xlogy_cpu" not implemented for 'ComplexDouble'
xlogy@1 | FlFeFf | NotImplementedError | "xlogy_cpu" not implemented for '{main}'
"""
