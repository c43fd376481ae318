"""Facts of the operations of PyTorch 2.13.0; tests/compat/tables/generate.py writes them, edit that.

A line is names, a colon, and the ways to call them, each with the name of its node behind a `>` where PyTorch's files
tell it. A way is kinds and names of parameters, `=` where one may be left out, `?` where None may be given. `ints1`
takes one integer as well, `options` are those of factories; there is `out?` where `out=` may be given, `out!` where it
has to have the dtype of the output, each with a `^` where the output may carry a gradient. `duck` is a tensor whose
attributes are asked for before its type, and `operand` a tensor for which a Python number may stand.
"""

FUNCTIONS = """\
abs: Tensor input, *, out! > Abs0
absolute arccos arccosh arcsin arcsinh arctan arctanh detach_copy fix inverse negative slogdet special.digamma special.erf special.erfc special.erfinv special.exp2 special.expit special.expm1 special.gammaln special.i0 special.log1p special.psi special.sinc: Tensor input, *, out?
acos: Tensor input, *, out? > Acos0
acosh: Tensor input, *, out? > Acosh0
add: operand input, operand other, *, Number alpha=, out? > Add0
addbmm: Tensor input, Tensor batch1, Tensor batch2, *, Number beta=, Number alpha=, out! > Addbmm0
addcdiv: Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=, out? > Addcdiv0
addcmul: Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=, out? > Addcmul0
addmm: Tensor input, Tensor mat1, Tensor mat2, *, Number beta=, Number alpha=, out! > Addmm0 | Tensor input, Tensor mat1, Tensor mat2, dtype out_dtype, *, Number beta=, Number alpha=, out?
addmv: Tensor input, Tensor mat, Tensor vec, *, Number beta=, Number alpha=, out! > Addmv0
addr: Tensor input, Tensor vec1, Tensor vec2, *, Number beta=, Number alpha=, out? > Addr0
adjoint argwhere det detach fliplr flipud isfinite isinf isnan isreal item logdet nn.functional.selu_ positive resolve_conj resolve_neg: Tensor input
alias_copy: Tensor input, *, out? > Alias0_copy
all any: Tensor input, *, out! | Tensor input, ints? dim=, bool keepdim=, *, out!^ | Tensor input, int dim, bool keepdim=, *, out!
allclose isclose: Tensor input, Tensor other, float rtol=, float atol=, bool equal_nan=
amax: Tensor input, ints1? dim=, bool keepdim=, *, out! > Amax0
amin: Tensor input, ints1? dim=, bool keepdim=, *, out! > Amin0
aminmax: Tensor input, *, int? dim=, bool keepdim=, out! > Aminmax0
angle: Tensor input, *, out? > Angle0
arange: Number end, *, dtype? dtype=, options, out? | Number start, Number end, *, dtype? dtype=, options | Number start, Number end, Number step=, *, dtype? dtype=, options, out?
arctan2 gcd kron lcm special.gammainc special.gammaincc: Tensor input, Tensor other, *, out?
argmax argmin: Tensor input, int? dim=, bool keepdim=, *, out!^
argsort: Tensor input, *, bool stable, int dim=, bool descending=, out? | Tensor input, int dim=, bool descending=
as_strided: Tensor input, ints size, ints stride, int? storage_offset= > AsStrided0
as_strided_copy: Tensor input, ints size, ints stride, int? storage_offset=, *, out? > AsStrided0_copy
as_strided_scatter: Tensor input, Tensor src, ints size, ints stride, int? storage_offset= > AsStridedScatter0
asin: Tensor input, *, out? > Asin0
asinh: Tensor input, *, out? > Asinh0
atan: Tensor input, *, out? > Atan0
atan2: Tensor input, Tensor other, *, out? > Atan20
atanh: Tensor input, *, out? > Atanh0
baddbmm: Tensor input, Tensor batch1, Tensor batch2, *, Number beta=, Number alpha=, out! > Baddbmm0 | Tensor input, Tensor batch1, Tensor batch2, dtype out_dtype, *, Number beta=, Number alpha=, out?
bernoulli: Tensor input, *, any? generator=, out? > Bernoulli0 | Tensor input, float p, *, any? generator=
bernoulli_: Tensor input, Tensor p, *, any? generator= > Bernoulli1 | Tensor input, float p=, *, any? generator= > Bernoulli2
bincount: Tensor input, Tensor? weights=, int minlength=
bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor: Tensor input, Tensor other, *, out? | Number input, Tensor other | Tensor input, Number other, *, out?
bitwise_not msort: Tensor input, *, out!
bmm: Tensor input, Tensor mat2, *, out! > Bmm0 | Tensor input, Tensor mat2, dtype out_dtype, *, out?
broadcast_to: Tensor input, ints size > Expand0
bucketize: Tensor input, Tensor boundaries, *, bool out_int32=, bool right=, out!^ | Number input, Tensor boundaries, *, bool out_int32=, bool right=
cat: Tensors tensors, int dim=, *, out? > Cat0
cauchy_: Tensor input, float median=, float sigma=, *, any? generator= > Cauchy0
ceil: Tensor input, *, out! > Ceil0
cholesky: Tensor input, bool upper=, *, out? > Cholesky0
cholesky_inverse: Tensor input, bool upper=, *, out? > CholeskyInverse0
cholesky_solve: Tensor input, Tensor input2, bool upper=, *, out? > CholeskySolve0
chunk: Tensor input, int chunks, int dim= > Chunk0
clamp: Tensor input, Tensor? min=, Tensor? max=, *, out? > Clamp0 | Tensor input, Number? min=, Number? max=, *, out! > Clamp1
clamp_max: Tensor input, Tensor max, *, out? > ClampMax1 | Tensor input, Number max, *, out! > ClampMax0
clamp_min: Tensor input, Tensor min, *, out? > ClampMin1 | Tensor input, Number min, *, out! > ClampMin0
clip: Tensor input, Tensor? min=, Tensor? max=, *, out? | Tensor input, Number? min=, Number? max=, *, out?
clone: Tensor input, *, any? memory_format= > Clone0
column_stack dstack hstack row_stack vstack: Tensors tensors, *, out?
combinations: Tensor input, int r=, bool with_replacement= > Stack0
complex: Tensor real, Tensor imag, *, out! > Complex0
concat concatenate: Tensors tensors, int dim=, *, out?
conj: Tensor input > Conj0
conj_physical: Tensor input, *, out!^ > ConjPhysical0
constant_pad_nd: Tensor input, ints pad, Number value= > ConstantPadNd0
contiguous: Tensor input, *, any memory_format=
copysign: Tensor input, Tensor other, *, out? > Copysign0 | Tensor input, Number other, *, out? > Copysign1
corrcoef: Tensor input > Div0
cos: Tensor input, *, out? > Cos0
cosh: Tensor input, *, out? > Cosh0
count_nonzero: Tensor input, int? dim= | Tensor input, ints dim
cov: Tensor input, *, int correction=, Tensor? fweights=, Tensor? aweights= > Squeeze0
cross: Tensor input, Tensor other, int? dim=, *, out! > LinalgCross0
cummax: Tensor input, int dim, *, out! > Cummax0
cummin: Tensor input, int dim, *, out! > Cummin0
cumprod: Tensor input, int dim, *, dtype? dtype=, out! > Cumprod0
cumsum: Tensor input, int dim, *, dtype? dtype=, out! > Cumsum0
cumulative_trapezoid trapezoid: Tensor y, Tensor x, *, int dim= > Div0 | Tensor y, *, Number dx=, int dim= > Div0
deg2rad: Tensor input, *, out? > Deg2Rad0
diag: Tensor input, int diagonal=, *, out!^
diag_embed: Tensor input, int offset=, int dim1=, int dim2= > DiagEmbed0
diagflat: Tensor input, int offset= > DiagEmbed0
diagonal: Tensor input, int offset=, int dim1=, int dim2= > Diagonal0
diagonal_copy: Tensor input, int offset=, int dim1=, int dim2=, *, out? > Diagonal0_copy
diagonal_scatter: Tensor input, Tensor src, int offset=, int dim1=, int dim2= > DiagonalScatter0
diff: Tensor input, int n=, int dim=, Tensor? prepend=, Tensor? append=, *, out? > Sub0
digamma: Tensor input, *, out? > Digamma0
dist: Tensor input, Tensor other, Number p= > Dist0
div: operand input, operand other, *, out? > Div0 | operand input, operand other, *, str? rounding_mode, out? > Div2 | operand input, Number other, *, str? rounding_mode > Div3
divide: operand input, operand other, *, out? | operand input, operand other, *, str? rounding_mode, out? | operand input, Number other | operand input, Number other, *, str? rounding_mode
dot: Tensor input, Tensor tensor, *, out! > Dot0
dsplit hsplit vsplit: Tensor input, int sections > Slice0 | Tensor input, ints indices > Slice0
empty: ints size, *, any? memory_format=, dtype? dtype=, options, out?
empty_like ones_like zeros_like: Tensor input, *, any? memory_format=, dtype? dtype=, options
eq ge gt le lt ne: Tensor input, Tensor other, *, out?^ | Tensor input, Number other, *, out?^
equal: Tensor input, Tensor other
erf: Tensor input, *, out? > Erf0
erfc: Tensor input, *, out? > Erfc0
erfinv: Tensor input, *, out? > Erfinv0
exp: Tensor input, *, out? > Exp0
exp2: Tensor input, *, out? > Exp20
expand: Tensor input, ints size, *, bool implicit= > Expand0
expand_as: Tensor input, Tensor other > Expand0
expand_copy: Tensor input, ints size, *, bool implicit=, out? > Expand0_copy
expm1: Tensor input, *, out? > Expm10
exponential_: Tensor input, float lambd=, *, any? generator= > Exponential0
eye: int n, *, dtype? dtype=, options, out? | int n, int m, *, dtype? dtype=, options, out?
fft.fft: Tensor input, int? n=, int dim=, str? norm=, *, out? > FftC2C0
fft.fft2 fft.ifft2: Tensor input, ints1? s=, ints1 dim=, str? norm=, *, out? > FftC2C0
fft.fftn fft.ifftn: Tensor input, ints1? s=, ints1? dim=, str? norm=, *, out? > FftC2C0
fft.fftshift fft.ifftshift: Tensor input, ints1? dim= > Roll0
fft.hfft fft.irfft: Tensor input, int? n=, int dim=, str? norm=, *, out? > FftC2R0
fft.hfft2 fft.irfft2: Tensor input, ints1? s=, ints1 dim=, str? norm=, *, out? > FftC2R0
fft.hfftn fft.irfftn: Tensor input, ints1? s=, ints1? dim=, str? norm=, *, out? > FftC2R0
fft.ifft: Tensor input, int? n=, int dim=, str? norm=, *, out!^ > FftC2C0
fft.ihfft: Tensor input, int? n=, int dim=, str? norm=, *, out!^ > ConjPhysical0
fft.ihfft2: Tensor input, ints1? s=, ints1 dim=, str? norm=, *, out? > ConjPhysical0
fft.ihfftn: Tensor input, ints1? s=, ints1? dim=, str? norm=, *, out? > ConjPhysical0
fft.rfft: Tensor input, int? n=, int dim=, str? norm=, *, out? > FftR2C0
fft.rfft2: Tensor input, ints1? s=, ints1 dim=, str? norm=, *, out? > FftR2C0
fft.rfftn: Tensor input, ints1? s=, ints1? dim=, str? norm=, *, out? > FftR2C0
fill: Tensor input, Tensor value > Fill1 | Tensor input, Number value > Fill0
flatten: Tensor input, int start_dim=, int end_dim= > View0
flip: Tensor input, ints dims > Flip0
float_power: Tensor input, Tensor exponent, *, out! | Number input, Tensor exponent, *, out? | Tensor input, Number exponent, *, out!
floor: Tensor input, *, out! > Floor0
floor_divide: operand input, operand other, *, out?^ | operand input, Number other
fmax: Tensor input, Tensor other, *, out? > Fmax0
fmin: Tensor input, Tensor other, *, out? > Fmin0
fmod: Tensor input, Tensor other, *, out? > Fmod1 | Tensor input, Number other, *, out? > Fmod0
frac: Tensor input, *, out! > Frac0
frexp: Tensor input, *, out! > Frexp0
full: ints size, Number fill_value, *, dtype? dtype=, options, out?
full_like: Tensor input, Number fill_value, *, any? memory_format=, dtype? dtype=, options
gather: Tensor input, int dim, Tensor index, *, bool sparse_grad=, out! > Gather0
geometric_: Tensor input, float p, *, any? generator= > Geometric0
geqrf: Tensor input, *, out? > Geqrf0
ger: Tensor input, Tensor vec2, *, out?
gradient: Tensor input, *, ints dim, int edge_order= | Tensor input, *, Number spacing, ints dim, int edge_order= | Tensor input, *, Number? spacing=, int? dim=, int edge_order= > Cat0 | Tensor input, *, any spacing, int? dim=, int edge_order= | Tensor input, *, any spacing, ints dim, int edge_order= | Tensor input, *, Tensors spacing, int? dim=, int edge_order= | Tensor input, *, Tensors spacing, ints dim, int edge_order=
greater greater_equal less less_equal not_equal: Tensor input, Tensor other, *, out? | Tensor input, Number other, *, out?
heaviside: Tensor input, Tensor values, *, out!^
histc: Tensor input, int bins=, Number min=, Number max=, *, out!^
histogram: Tensor input, Tensor bins, *, Tensor? weight=, bool density=, out? | Tensor input, int bins=, *, floats? range=, Tensor? weight=, bool density=, out!^
histogramdd: Tensor input, int bins, floats? range=, Tensor? weight=, bool density= | Tensor input, ints bins, floats? range=, Tensor? weight=, bool density= | Tensor input, Tensors bins, floats? range=, Tensor? weight=, bool density=
hypot: Tensor input, Tensor other, *, out? > Hypot0
i0: Tensor input, *, out? > I00
igamma: Tensor input, Tensor other, *, out? > Igamma0
igammac: Tensor input, Tensor other, *, out? > Igammac0
imag real: Tensor input > Select0
index_add: Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=, out! > IndexAdd0
index_copy: Tensor input, int dim, Tensor index, Tensor source, *, out! > IndexCopy0
index_fill: Tensor input, int dim, Tensor index, Tensor value > IndexFill1 | Tensor input, int dim, Tensor index, Number value > IndexFill0
index_put: Tensor input, Tensors indices, Tensor values, bool accumulate= > IndexPut0
index_reduce: Tensor input, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=, out! > IndexReduce0
index_select: Tensor input, int dim, Tensor index, *, out! > IndexSelect0
inner: Tensor input, Tensor other, *, out!^ > Dot0
isin: Tensor elements, Tensor test_elements, *, bool assume_unique=, bool invert=, out! | Number element, Tensor test_elements, *, bool assume_unique=, bool invert=, out! | Tensor elements, Number test_element, *, bool assume_unique=, bool invert=, out!
isneginf isposinf signbit: Tensor input, *, out!^
istft: Tensor input, int n_fft, int? hop_length=, int? win_length=, Tensor? window=, bool center=, bool normalized=, bool? onesided=, int? length=, bool return_complex= > Slice0
kthvalue: Tensor input, int k, int dim=, bool keepdim=, *, out! > Kthvalue0
ldexp: Tensor input, Tensor other, *, out! > Ldexp0
lerp: Tensor input, Tensor end, Tensor weight, *, out! > Lerp1 | Tensor input, Tensor end, Number weight, *, out? > Lerp0
lgamma: Tensor input, *, out? > Lgamma0
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
linalg.matrix_exp matrix_exp: Tensor input > LinalgMatrixExp0
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
linalg.vander: Tensor x, *, int? N= > Cumprod0
linalg.vecdot: Tensor x, Tensor y, *, int dim=, out! > Sum1
linalg.vector_norm: Tensor input, Number ord=, ints1? dim=, bool keepdim=, *, dtype? dtype=, out! > LinalgVectorNorm0
linspace: Tensor start, Tensor end, int steps, *, dtype? dtype=, options, out? | Number start, Tensor end, int steps, *, dtype? dtype=, options, out? | Tensor start, Number end, int steps, *, dtype? dtype=, options, out? | Number start, Number end, int steps, *, dtype? dtype=, options, out?
log: Tensor input, *, out? > Log0
log10: Tensor input, *, out? > Log100
log1p: Tensor input, *, out? > Log1P0
log2: Tensor input, *, out? > Log20
log_normal_: Tensor input, float mean=, float std=, *, any? generator= > LogNormal0
log_softmax: Tensor input, int dim, dtype? dtype=, *, out!^ > LogSoftmax0
logaddexp: Tensor input, Tensor other, *, out? > Logaddexp0
logaddexp2: Tensor input, Tensor other, *, out? > Logaddexp20
logcumsumexp: Tensor input, int dim, *, out! > Logcumsumexp0
logical_and logical_or logical_xor: Tensor input, Tensor other, *, out?^
logical_not special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.modified_bessel_i0 special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1: Tensor input, *, out?^
logit: Tensor input, float? eps=, *, out? > Logit0
logspace: Tensor start, Tensor end, int steps, float base=, *, dtype? dtype=, options, out? | Number start, Tensor end, int steps, float base=, *, dtype? dtype=, options, out? | Tensor start, Number end, int steps, float base=, *, dtype? dtype=, options, out? | Number start, Number end, int steps, float base=, *, dtype? dtype=, options, out?
logsumexp: Tensor input, ints1 dim, bool keepdim=, *, out? > Logsumexp0
lu_solve: Tensor input, Tensor LU_data, Tensor LU_pivots, *, out! > LinalgLuSolve0
lu_unpack: Tensor LU_data, Tensor LU_pivots, bool unpack_data=, bool unpack_pivots=, *, out! > LuUnpack0
masked_fill: Tensor input, Tensor mask, Tensor value > MaskedFill1 | Tensor input, Tensor mask, Number value > MaskedFill0
masked_scatter: Tensor input, Tensor mask, Tensor source > MaskedScatter0
masked_select: Tensor input, Tensor mask, *, out! > MaskedSelect0
matmul: Tensor input, Tensor other, *, out! > Matmul0
matrix_power: Tensor input, int n, *, out?
max: Tensor input, *, out? > Max1 | Tensor input, Tensor other, *, out? > Maximum0 | Tensor input, int dim, bool keepdim=, *, out! > Max0
maximum: Tensor input, Tensor other, *, out? > Maximum0
mean: Tensor input, *, dtype? dtype=, out? > Mean0 | Tensor input, ints1? dim, bool keepdim=, *, dtype? dtype=, out! > Mean1
median: Tensor input > Median0 | Tensor input, int dim, bool keepdim=, *, out! > Median1
min: Tensor input, *, out? > Min1 | Tensor input, Tensor other, *, out? > Minimum0 | Tensor input, int dim, bool keepdim=, *, out! > Min0
minimum: Tensor input, Tensor other, *, out? > Minimum0
mm: Tensor input, Tensor mat2, *, out! > Mm0 | Tensor input, Tensor mat2, dtype out_dtype, *, out?
mode: Tensor input, int dim=, bool keepdim=, *, out! > Mode0
moveaxis: Tensor input, int source, int destination | Tensor input, ints source, ints destination
movedim: Tensor input, int source, int destination > Permute0 | Tensor input, ints source, ints destination > Permute0
mul: operand input, operand other, *, out? > Mul0
multinomial: Tensor input, int num_samples, bool replacement=, *, any? generator=, out!^
multiply: operand input, operand other, *, out? | operand input, Number other
mv: Tensor input, Tensor vec, *, out! > Mv0
mvlgamma: Tensor input, int p, *, out? > Mvlgamma0
nan_to_num: Tensor input, float? nan=, float? posinf=, float? neginf=, *, out! > NanToNum0
nanmean: Tensor input, ints1? dim=, bool keepdim=, *, dtype? dtype=, out?
nanmedian: Tensor input > Nanmedian0 | Tensor input, int dim, bool keepdim=, *, out! > Nanmedian1
nanquantile quantile: Tensor input, Tensor q, int? dim=, bool keepdim=, *, str interpolation=, out!^ > Lerp1 | Tensor input, float q, int? dim=, bool keepdim=, *, str interpolation=, out!^ > Lerp1
nansum: Tensor input, ints1? dim=, bool keepdim=, *, dtype? dtype=, out? > Nansum0
narrow: Tensor input, int dim, Tensor start, int length | Tensor input, int dim, int start, int length > Slice0
narrow_copy: Tensor input, int dim, int start, int length, *, out? > NarrowCopy0
neg: Tensor input, *, out! > Neg0
new_empty new_ones new_zeros: Tensor input, ints size, *, dtype? dtype=, options
new_full: Tensor input, ints size, Number fill_value, *, dtype? dtype=, options
nextafter: Tensor input, Tensor other, *, out? > Nextafter0
nn.functional.adaptive_avg_pool1d: Tensor input, ints1 output_size > Squeeze1
nn.functional.avg_pool1d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool count_include_pad= > Squeeze1
nn.functional.avg_pool2d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool count_include_pad=, int? divisor_override=, *, out! > AvgPool2D0
nn.functional.avg_pool3d: Tensor input, ints1 kernel_size, ints1? stride=, ints1 padding=, bool ceil_mode=, bool count_include_pad=, int? divisor_override=, *, out! > AvgPool3D0
nn.functional.bilinear: Tensor input1, Tensor input2, Tensor weight, Tensor? bias= > Add0
nn.functional.celu_: Tensor input, Number alpha= > Celu1
nn.functional.channel_shuffle: Tensor input, int groups > ChannelShuffle0
nn.functional.conv1d: Tensor input, Tensor weight, Tensor? bias=, ints1 stride=, ints1 padding=, ints1 dilation=, int groups= > Convolution0 | Tensor input, Tensor weight, Tensor? bias=, ints1 stride=, str padding=, ints1 dilation=, int groups= > Convolution0
nn.functional.conv2d nn.functional.conv3d: Tensor input, Tensor weight, Tensor? bias=, ints1 stride=, ints1 padding=, ints1 dilation=, int groups= > Convolution0 | Tensor input, Tensor weight, Tensor? bias=, ints1 stride=, str padding=, ints1 dilation=, int groups=
nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d: Tensor input, Tensor weight, Tensor? bias=, ints1 stride=, ints1 padding=, ints1 output_padding=, int groups=, ints1 dilation= > Convolution0
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
nn.functional.relu_ relu: Tensor input > Relu0
nn.functional.rrelu_: Tensor input, Number lower=, Number upper=, bool training=, any? generator=
nn.functional.scaled_dot_product_attention: Tensor query, Tensor key, Tensor value, Tensor? attn_mask=, float dropout_p=, bool is_causal=, *, float? scale=, bool enable_gqa=
nn.functional.softplus: Tensor input, Number beta=, Number threshold=, *, out! > Softplus0
nn.functional.softshrink: Tensor input, Number lambd=, *, out! > Softshrink0
nn.functional.threshold_: Tensor input, Number threshold, Number value > Threshold1
nonzero: Tensor input, *, bool as_tuple=, out!
normal: Tensor mean, Tensor std, *, any? generator=, out? > Normal3 | Tensor mean, float std=, *, any? generator=, out? > Normal1 | float mean, Tensor std, *, any? generator=, out? > Normal2 | float mean, float std, ints size, *, any? generator=, dtype? dtype=, options, out?
normal_: Tensor input, float mean=, float std=, *, any? generator= > Normal0
ones zeros: ints size, *, dtype? dtype=, options, out?
orgqr: Tensor input, Tensor input2, *, out?
ormqr: Tensor input, Tensor input2, Tensor input3, bool left=, bool transpose=, *, out! > Ormqr0
outer: Tensor input, Tensor vec2, *, out? > Mul0
permute: Tensor input, ints dims > Permute0
permute_copy: Tensor input, ints dims, *, out? > Permute0_copy
pinverse: Tensor input, float rcond= > LinalgPinv0
poisson: Tensor input, any? generator= > Poisson0
polar: Tensor abs, Tensor angle, *, out! > Polar0
polygamma special.polygamma: int n, Tensor input, *, out? > Polygamma0
pow: Tensor input, Tensor exponent, *, out? > Pow1 | Number input, Tensor exponent, *, out? > Pow2 | Tensor input, Number exponent, *, out? > Pow0
prod: Tensor input, *, dtype? dtype= > Prod0 | Tensor input, int dim, bool keepdim=, *, dtype? dtype=, out! > Prod1
put: Tensor input, Tensor index, Tensor source, bool accumulate= > Put0
qr: Tensor input, bool some=, *, out! > LinalgQr0
rad2deg: Tensor input, *, out? > Rad2Deg0
rand randn: ints size, *, any? generator, dtype? dtype=, options, out? | ints size, *, dtype? dtype=, options, out?
rand_like randn_like: Tensor input, *, any? generator, any? memory_format=, dtype? dtype=, options | Tensor input, *, any? memory_format=, dtype? dtype=, options
randint: int high, ints size, *, any? generator, dtype? dtype=, options, out? | int high, ints size, *, dtype? dtype=, options, out? | int low, int high, ints size, *, any? generator, dtype? dtype=, options, out? | int low, int high, ints size, *, dtype? dtype=, options, out?
randint_like: Tensor input, int low, int high, *, any? generator, any? memory_format=, dtype? dtype=, options | Tensor input, int low, int high, *, any? memory_format=, dtype? dtype=, options | Tensor input, Tensor high, *, any? generator, any? memory_format=, dtype? dtype=, options | Tensor input, Tensor high, *, any? memory_format=, dtype? dtype=, options | Tensor input, int high, *, any? generator, any? memory_format=, dtype? dtype=, options | Tensor input, int high, *, any? memory_format=, dtype? dtype=, options
random_: Tensor input, *, any? generator= > Random2 | Tensor input, int from, int? to, *, any? generator= > Random0 | Tensor input, int to, *, any? generator= > Random1
randperm: int n, *, any? generator, dtype? dtype=, options, out? | int n, *, dtype? dtype=, options, out?
range: Number start, Number end, Number step=, *, dtype? dtype=, options, out?
ravel: Tensor input > View0
reciprocal: Tensor input, *, out? > Reciprocal0
remainder: Tensor input, Tensor other, *, out? > Remainder1 | Number input, Tensor other | Tensor input, Number other, *, out? > Remainder0
renorm: Tensor input, Number p, int dim, Number maxnorm, *, out! > Renorm0
repeat: Tensor input, ints repeats > Repeat0
repeat_interleave: Tensor input, Tensor repeats, int? dim=, *, int? output_size= | Tensor repeats, *, int? output_size= | Tensor input, int repeats, int? dim=, *, int? output_size=
reshape: Tensor input, ints shape > View0
reshape_as view_as: Tensor input, Tensor other > View0
roll: Tensor input, ints1 shifts, ints1? dims= > Roll0
rot90: Tensor input, int k=, ints dims= > Rot900
round: Tensor input, *, out! > Round0 | Tensor input, *, int decimals, out! > Round1
rsqrt: Tensor input, *, out? > Rsqrt0
rsub: Tensor input, Tensor other, *, Number alpha= > Rsub0 | Tensor input, Number other, Number alpha= > Rsub1
scalar_tensor: Number s, *, dtype? dtype=, options
scatter: Tensor input, int dim, Tensor index, Tensor src, *, out! > Scatter0 | Tensor input, int dim, Tensor index, Tensor src, *, str reduce, out! | Tensor input, int dim, Tensor index, Number value, *, out! > Scatter1 | Tensor input, int dim, Tensor index, Number value, *, str reduce, out!
scatter_add: Tensor input, int dim, Tensor index, Tensor src, *, out! > ScatterAdd0
scatter_reduce: Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=, out! > ScatterReduce0
searchsorted: Tensor sorted_sequence, Tensor input, *, bool out_int32=, bool right=, str? side=, Tensor? sorter=, out!^ | Tensor sorted_sequence, Number input, *, bool out_int32=, bool right=, str? side=, Tensor? sorter=, out?
select: Tensor input, int dim, int index > Select0
select_copy: Tensor input, int dim, int index, *, out? > Select0_copy
select_scatter: Tensor input, Tensor src, int dim, int index > SelectScatter0
sgn: Tensor input, *, out! > Sgn0
sigmoid: Tensor input, *, out? > Sigmoid0
sign: Tensor input, *, out! > Sign0
sin: Tensor input, *, out? > Sin0
sinc: Tensor input, *, out? > Sinc0
sinh: Tensor input, *, out? > Sinh0
slice_scatter: Tensor input, Tensor src, int dim=, int? start=, int? end=, int step=, *, out!^ > SliceScatter0
softmax: Tensor input, int dim, dtype? dtype=, *, out!^ > Softmax0
sort: Tensor input, *, bool? stable, int dim=, bool descending=, out! > Sort1 | Tensor input, int dim=, bool descending=, *, out! > Sort0
special.airy_ai special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.spherical_bessel_j0: Tensor x, *, out?^
special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v special.chebyshev_polynomial_w special.hermite_polynomial_h special.hermite_polynomial_he special.laguerre_polynomial_l special.legendre_polynomial_p special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w: Tensor x, Tensor n, *, out?^ | Number x, Tensor n, *, out? | Tensor x, Number n, *, out?^
special.entr: Tensor input, *, out? > SpecialEntr0
special.erfcx: Tensor input, *, out? > SpecialErfcx0
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
special.round: Tensor input, *, int decimals=, out?
special.softmax: Tensor input, int dim, dtype? dtype=
special.xlog1py: Tensor input, Tensor other, *, out? > SpecialXlog1Py0 | Number input, Tensor other, *, out? > SpecialXlog1Py1 | Tensor input, Number other, *, out? > SpecialXlog1Py2
special.xlogy: Tensor input, Tensor other, *, out? | Number input, Tensor other, *, out? | Tensor input, Number other, *, out?
special.zeta: Tensor input, Tensor other, *, out? > SpecialZeta0 | Number input, Tensor other, *, out? > SpecialZeta1 | Tensor input, Number other, *, out? > SpecialZeta2
split_copy: Tensor input, int split_size, int dim=, *, out? > Split0_copy
split_with_sizes: Tensor input, ints split_sizes, int dim= > SplitWithSizes0
split_with_sizes_copy: Tensor input, ints split_sizes, int dim=, *, out? > SplitWithSizes0_copy
sqrt: Tensor input, *, out? > Sqrt0
square: Tensor input, *, out? > Pow0
squeeze: Tensor input > Squeeze0 | Tensor input, int dim > Squeeze1 | Tensor input, ints dim > Squeeze2
squeeze_copy: Tensor input, *, out? > Squeeze0_copy | Tensor input, int dim, *, out? > Squeeze1_copy | Tensor input, ints dim, *, out? > Squeeze2_copy
stack: Tensors tensors, int dim=, *, out? > Stack0
std: Tensor input, ints1? dim, bool unbiased=, bool keepdim=, *, out? > Std0 | Tensor input, ints1? dim=, *, Number? correction=, bool keepdim=, out? > Std0 | Tensor input, bool unbiased=
std_mean: Tensor input, ints1? dim, bool unbiased=, bool keepdim= > StdMean0 | Tensor input, ints1? dim=, *, Number? correction=, bool keepdim= > StdMean0 | Tensor input, bool unbiased=
sub: operand input, operand other, *, Number alpha=, out? > Sub0
subtract: operand input, operand other, *, Number alpha=, out? | operand input, Number other, Number alpha=
sum: Tensor input, *, dtype? dtype= > Sum0 | Tensor input, ints1? dim, bool keepdim=, *, dtype? dtype=, out! > Sum1
sum_to_size: Tensor input, ints size > Sum1
svd: Tensor input, bool some=, bool compute_uv=, *, out! > LinalgSvd0
swapaxes: Tensor input, int axis0, int axis1
swapdims: Tensor input, int dim0, int dim1
t: Tensor input > T0
t_copy: Tensor input, *, out? > T0_copy
take: Tensor input, Tensor index, *, out! > Take0
take_along_dim: Tensor input, Tensor indices, int? dim=, *, out!
tan: Tensor input, *, out? > Tan0
tanh: Tensor input, *, out? > Tanh0
tensor_split: Tensor input, ints indices, int dim= > Slice0 | Tensor input, Tensor tensor_indices_or_sections, int dim= | Tensor input, int sections, int dim= > Slice0
tile: Tensor input, ints dims
topk: Tensor input, int k, int dim=, bool largest=, bool sorted=, *, out! > Topk0
trace: Tensor input > Trace0
transpose: Tensor input, int dim0, int dim1 > Transpose0
transpose_copy: Tensor input, int dim0, int dim1, *, out? > Transpose0_copy
trapz: Tensor y, *, float dx=, int dim= > Mul1 | Tensor y, Tensor x, *, int dim=
triangular_solve: Tensor input, Tensor A, bool upper=, bool transpose=, bool unitriangular=, *, out! > TriangularSolve0
tril: Tensor input, int diagonal=, *, out! > Tril0
tril_indices triu_indices: int row, int col, int offset=, *, dtype? dtype=, options
triu: Tensor input, int diagonal=, *, out! > Triu0
true_divide: operand input, operand other, *, out? > Div0 | operand input, Number other
trunc: Tensor input, *, out! > Trunc0
unbind: Tensor input, int dim= > Unbind0
unbind_copy: Tensor input, int dim=, *, out? > Unbind0_copy
unflatten: Tensor input, int dim, ints sizes > View0
unfold: Tensor input, int dimension, int size, int step > Unfold0
unfold_copy: Tensor input, int dimension, int size, int step, *, out? > Unfold0_copy
uniform_: Tensor input, float from=, float to=, *, any? generator= > Uniform0
unsafe_chunk: Tensor input, int chunks, int dim=
unsafe_split: Tensor input, int split_size, int dim= > UnsafeSplit0
unsqueeze: Tensor input, int dim > Unsqueeze0
unsqueeze_copy: Tensor input, int dim, *, out? > Unsqueeze0_copy
vander: Tensor x, int? N=, bool increasing=
var: Tensor input, ints1? dim, bool unbiased=, bool keepdim=, *, out? > Var0 | Tensor input, ints1? dim=, *, Number? correction=, bool keepdim=, out? > Var0 | Tensor input, bool unbiased=
var_mean: Tensor input, ints1? dim, bool unbiased=, bool keepdim= > VarMean0 | Tensor input, ints1? dim=, *, Number? correction=, bool keepdim= > VarMean0 | Tensor input, bool unbiased=
vdot: Tensor input, Tensor other, *, out! > Vdot0
view: Tensor input, dtype dtype | Tensor input, ints size > View0
view_as_complex: Tensor input > ViewAsComplex0
view_as_complex_copy: Tensor input, *, out? > ViewAsComplex0_copy
view_as_real: Tensor input > ViewAsReal0
view_as_real_copy: Tensor input, *, out? > ViewAsReal0_copy
view_copy: Tensor input, dtype dtype, *, out? | Tensor input, ints size, *, out? > View0_copy
where: Tensor condition | Tensor condition, Tensor input, Tensor other, *, out! > Where0 | Tensor condition, Number input, Tensor other | Tensor condition, Tensor input, Number other > Where0 | Tensor condition, Number input, Number other
xlogy: Tensor input, Tensor other, *, out? > Xlogy0 | Number input, Tensor other, *, out? > Xlogy1 | Tensor input, Number other, *, out? > Xlogy2
zero_: Tensor input > Zero0
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
nn.functional.cross_entropy: Tensor input, Tensor target, Tensor? weight=, any? size_average=, int ignore_index=, any? reduce=, any? reduction=, float label_smoothing= > NllLoss0
nn.functional.ctc_loss: Tensor log_probs, Tensor targets, any? input_lengths, any? target_lengths, int blank=, any? reduction=, bool zero_infinity=
nn.functional.dropout: Tensor input, float p=, bool training=, any? inplace= > Mul0
nn.functional.dropout1d: Tensor input, float p=, bool training=, bool inplace=
nn.functional.dropout2d nn.functional.dropout3d: duck input, float p=, bool training=, any? inplace=
nn.functional.elu: Tensor input, float alpha=, any? inplace= > Elu0
nn.functional.embedding: Tensor input, Tensor weight, int? padding_idx=, float? max_norm=, any? norm_type=, bool scale_grad_by_freq=, bool sparse= > Embedding0
nn.functional.embedding_bag: duck input, duck weight, any? offsets=, float? max_norm=, any? norm_type=, bool scale_grad_by_freq=, any? mode=, bool sparse=, any? per_sample_weights=, any? include_last_offset=, int? padding_idx= > EmbeddingBag0
nn.functional.fold: Tensor input, any? output_size, any? kernel_size, any? dilation=, any? padding=, any? stride= > Col2Im0
nn.functional.gaussian_nll_loss: duck input, any? target, any? var, any? full=, float eps=, str reduction= > Mean0
nn.functional.glu: duck input, int dim= > Glu0
nn.functional.grid_sample: Tensor input, Tensor grid, any? mode=, any? padding_mode=, bool? align_corners= > GridSampler2D0
nn.functional.group_norm: duck input, int num_groups, Tensor? weight=, Tensor? bias=, float eps= > NativeGroupNorm0
nn.functional.gumbel_softmax: Tensor logits, float tau=, bool hard=, float eps=, int dim=
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
nn.functional.local_response_norm: duck input, int size, float alpha=, float beta=, float k= > Div0
nn.functional.log_softmax nn.functional.softmax: Tensor input, int? dim=, int _stacklevel=, dtype? dtype=
nn.functional.lp_pool1d: Tensor input, any? norm_type, int kernel_size, any? stride=, bool ceil_mode= > Pow0
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
nn.functional.multi_head_attention_forward: duck query, duck key, duck value, any? embed_dim_to_check, int num_heads, duck? in_proj_weight, duck? in_proj_bias, any? bias_k, any? bias_v, any? add_zero_attn, float dropout_p, Tensor out_proj_weight, Tensor? out_proj_bias, any? training=, any? key_padding_mask=, any? need_weights=, any? attn_mask=, any? use_separate_proj_weight=, any? q_proj_weight=, any? k_proj_weight=, any? v_proj_weight=, any? static_k=, any? static_v=, any? average_attn_weights=, any? is_causal= > View0
nn.functional.multi_margin_loss: Tensor input, Tensor target, any? p=, float margin=, any? weight=, any? size_average=, any? reduce=, any? reduction= > MultiMarginLoss0
nn.functional.multilabel_margin_loss: Tensor input, Tensor target, any? size_average=, any? reduce=, any? reduction= > MultilabelMarginLoss0
nn.functional.multilabel_soft_margin_loss: Tensor input, any? target, Tensor? weight=, any? size_average=, any? reduce=, str reduction= > Mean0
nn.functional.nll_loss: Tensor input, Tensor target, Tensor? weight=, any? size_average=, int ignore_index=, any? reduce=, any? reduction= > NllLoss0
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
nn.functional.softmin: Tensor input, int? dim=, any? _stacklevel=, dtype? dtype= > Softmax0
nn.functional.softsign: duck input > Div0
nn.functional.tanhshrink: duck input > Sub0
nn.functional.threshold: Tensor input, float threshold, float value, any? inplace= > Threshold0
nn.functional.triplet_margin_loss: Tensor anchor, Tensor positive, Tensor negative, float margin=, float p=, float eps=, bool swap=, any? size_average=, any? reduce=, any? reduction= > Mean0
nn.functional.triplet_margin_with_distance_loss: duck anchor, duck positive, duck negative, *, any? distance_function=, float margin=, any? swap=, any? reduction= > Mean0
nn.functional.unfold: Tensor input, any? kernel_size, any? dilation=, any? padding=, any? stride= > Im2Col0
nn.functional.upsample: any? input, any? size=, any? scale_factor=, any? mode=, any? align_corners=
nn.functional.upsample_bilinear nn.functional.upsample_nearest: duck input, any? size=, any? scale_factor= > Upsample0
norm: duck input, any? p=, any? dim=, bool keepdim=, *, dtype? dtype=, out! > LinalgVectorNorm0
stft: duck input, int n_fft, int? hop_length=, int? win_length=, Tensor? window=, any? center=, str pad_mode=, bool normalized=, bool? onesided=, bool? return_complex=, bool? align_to_window= > Transpose0
tensordot: duck a, duck b, any? dims=, *, out!^
unique: Tensor input, bool sorted=, bool return_inverse=, bool return_counts=, int? dim=
unique_consecutive: Tensor input, bool return_inverse=, bool return_counts=, int? dim=
unravel_index: duck indices, any? shape
"""

# What nodes save: `saved_words` of the generator says how.
NODES = """\
Abs0 Acos0 Acosh0 AdaptiveMaxPool2D0 AdaptiveMaxPool3D0 Angle0 Asin0 Asinh0 Atan0 Atanh0 Cos0 Cosh0 Digamma0 Elu0 Erf0 Erfc0 Erfinv0 Hardsigmoid0 Hardswish0 I00 Lgamma0 LinalgMatrixExp0 Log0 Log100 Log1P0 Log20 LogSigmoid0 Mish0 NanToNum0 NllLoss0 Renorm0 Silu0 Sin0 Sinc0 Sinh0 SpecialEntr0: self=0
Add0 Rsub0 Rsub1 Sub0: alpha!1
Addbmm0 Baddbmm0: batch2=2?1 alpha!1 batch1=1?2 beta!1
Addcdiv0: tensor2=2 value!1 tensor1=1?2
Addcmul0: tensor2=2?1 value!1 tensor1=1?2
Addmm0 Aminmax0 AsStrided0 Bernoulli0 Bernoulli1 Bernoulli2 Cauchy0 Ceil0 Chunk0 Clone0 Conj0 ConstantPadNd0 Deg2Rad0 Embedding0 Exponential0 FftC2C0 FftC2R0 FftR2C0 Fill0 Fill1 Fill2 Floor0 Fmod0 Frac0 Frexp0 Geometric0 Geqrf0 Index0 IndexAdd0 IndexCopy0 IndexPut0 LinalgCross0 LinalgEigh0 LinalgLu0 LinalgLuSolve0 LinalgQr0 LinalgSvd0 LogNormal0 LuUnpack0 MaskedScatter0 Neg0 Normal0 Poisson0 Rad2Deg0 Random0 Random1 Random2 Remainder0 Round0 Round1 Sign0 SpecialZeta2 T0 ToCopy0 Trunc0 Unfold0 Uniform0 UniqueConsecutive0 UnsafeView0 ViewAsComplex0 ViewAsReal0 Zero0 torch::autograd::CopyBackwards:
Addmv0: vec=2?1 alpha!1 beta!1 mat=1?2
Addr0: beta!1 vec2=2?1 alpha!1 vec1=1?2
Amax0 Amin0 Logsumexp0 Std0: self=0 dim!s keepdim!False result=-1
AsStridedScatter0: size!s storage_offset!None
Atan20 Fmax0 Fmin0 Logaddexp0 Logaddexp20 Matmul0 Maximum0 Minimum0 SpecialXlog1Py0 Xlogy0: self=0 other=1
AvgPool2D0 AvgPool3D0: self=0 ceil_mode!False count_include_pad!True divisor_override!None
BinaryCrossEntropy0: self=0 target=1 weight=2
BinaryCrossEntropyWithLogits0: self=0 target=1 weight=2 pos_weight=3
Bmm0: self=0?1 mat2=1?0
Cat0 Stack0: dim!0
Celu0: self=0 alpha!1.0
Celu1: alpha!1.0 result=-1
ChannelShuffle0: groups!
Cholesky0: upper!False result=-1
CholeskyInverse0: self=0 upper!False result=-1
CholeskySolve0: self=0 input2=1 upper!False result=-1
Clamp0: self=0 min=1 max=2
Clamp1: self=0 min!None max!None
ClampMax0: self=0 max!
ClampMax1: self=0 max=1
ClampMin0: self=0 min!
ClampMin1: self=0 min=1
Complex0: imag=1?1 real=0?0
Convolution0: input=0?1 weight=1?0
Copysign0: self=0?0 result=-1
Copysign1 LinalgPinv0 Max1 Median0 Min1 Nanmedian0 Prod0 Sgn0 SpecialErfcx0 SpecialI0E0 SpecialI10 SpecialI1E0 SpecialLogNdtr0: self=0 result=-1
Cummax0 Cummin0: self=0 dim!
Cumprod0 Logcumsumexp0: self=0 dim! result=-1
Cumsum0: dim!
DiagEmbed0 DiagonalScatter0: offset!0
Diagonal0: self_sym_sizes offset@ dim1@ dim2@
Dist0: self=0 other=1 p!2 result=-1
Div0: self=0?1 other=1
Div2: self=0?1 other=1 rounding_mode!
Div3: other! rounding_mode!
Dot0: tensor=1?0 self=0?1
Elu1: alpha!1 scale!1 input_scale!1 result=-1
Exp0 Exp20 Expm10 Polar0 Reciprocal0 Relu0 Rsqrt0 Sigmoid0 SpecialNdtri0 Sqrt0 Tan0 Tanh0: result=-1
Expand0 Squeeze0 Sum0 Trace0 View0: self_sym_sizes
Flip0: dims!s
Fmod1 Igamma0 Igammac0 Remainder1 SpecialZeta0: self=0?1 other=1?1
Gather0: self=0 dim! index=1 sparse_grad!False
Gelu0: self=0 approximate!none
Glu0: self=0 dim!-1
Hardshrink0 Softshrink0: self=0 lambd!0.5
Hardtanh0: self=0 min_val!-1 max_val!1
HuberLoss0: self=0 target=1 delta!1.0
Hypot0: other=1?1 self=0?0 result=-1
IndexFill0 IndexFill1 Scatter0 Scatter1: dim! index=1
IndexReduce0: self=0 dim! index=1 source=2 reduce! include_self!True result=-1
IndexSelect0: self_sym_sizes dim! index=1
Kthvalue0 Mode0: self_sym_sizes dim!-1 keepdim!False
Ldexp0: other=1?0 result=-1
LeakyRelu0: self=0 negative_slope!0.01
LeakyRelu1: negative_slope!0.01 result=-1
Lerp0: weight!
Lerp1: weight=2 self=0?2 end=1?2
LinalgCholeskyEx0: L=-1
LinalgDet0 LinalgSlogdet0 LinalgSolveEx0: A=0
LinalgEig0: eigenvalues=-1
LinalgHouseholderProduct0: input=0 tau=1 result=-1
LinalgInvEx0: inverse=-1
LinalgLstsq0: self=0 b=1 solution=-1
LinalgLuFactorEx0: pivot!True LU=-1
LinalgSolveTriangular0: self=0 upper! left!True unitriangular!False result=-1
LinalgVectorNorm0: self=0 ord!2 dim!s keepdim!False result=-1
Linear0: input=0 weight=1
LogSoftmax0 Softmax0: result=-1 dim!
Logit0: self=0 eps!None
MaskedFill0 MaskedFill1: mask=1
MaskedSelect0: self=0 mask=1
Max0 Median1 Min0 Nanmedian1: self_sym_sizes dim! keepdim!False
MaxPool2D0 MaxPool2DWithIndices0 MaxPool3DWithIndices0: self=0 ceil_mode!False
MaxUnpool2D0 MaxUnpool3D0: indices=1
Mean0: self_sym_sizes self_sym_numel
Mean1: self_sym_sizes self_sym_numel dim!s keepdim!False
Mm0: self=0?1 mat2_sym_sizes=1 self_sym_sizes mat2=1?0
MseLoss0 SoftMarginLoss0: self=0 target=1
Mul0 Vdot0: self=0?1 other=1?0
MultiMarginLoss0: self=0 target=1 p!1 margin!1 weight=2
Mv0: vec=1?0 self=0?1
Mvlgamma0: self=0 p!
Nansum0 Var0 VarMean0: self=0 dim!s keepdim!False
NarrowCopy0: self_sym_sizes dim! start! length!
NativeBatchNorm0 NativeLayerNorm0: input=0
Nextafter0: self=0?0 other=1?0
Norm0: self=0 p!2 result=-1
Norm1: self=0 p! dim!s keepdim!False result=-1
Norm2: self=0 p! result=-1
Norm3: self=0 p! dim!s keepdim! result=-1
Normal1: mean_sym_sizes
Normal2: std_sym_sizes
Normal3: mean_sym_sizes std_sym_sizes=1
Ormqr0: self=0 input2=1 input3=2 left!True transpose!False result=-1
Permute0: dims@
PixelShuffle0: upscale_factor!
PixelUnshuffle0: downscale_factor!
Polygamma0: self=1
Pow0: self=0 exponent^
Pow1: self=0 exponent=1 result=-1
Pow2: exponent=1 result=-1
PreluKernel0: self=0 weight=1
Prod1: self=0 dim! keepdim!False result=-1
Put0: index=1 accumulate!False source=2?2
Repeat0: self_sym_sizes repeats!s
Roll0: shifts!s dims!s
Rot900: k!1 dims!s
ScatterAdd0: dim! index=1?2
ScatterReduce0: self=0 dim! index=1 src=2 reduce! include_self!True result=-1
Select0: self_sym_sizes dim@ index@
SelectScatter0: dim! index!
Slice0: self_sym_sizes dim@ start@ end@ step@
SliceScatter0: dim!0 start!None end!None step!1
SmoothL1Loss0: self=0 target=1 beta!1.0
Softplus0: self=0 beta!1 threshold!20
Sort0 Sort1 Topk0: self_sym_sizes dim!-1
SpecialXlog1Py1 SpecialZeta1: self! other=0
SpecialXlog1Py2 Xlogy2: self=0 other!
SplitWithSizes0: self_sym_sizes split_sizes@ dim@
Squeeze1 Squeeze2: self_sym_sizes dim@
StdMean0: self=0 dim!s keepdim!False result0=-1
Sum1: self_sym_sizes dim!s keepdim!False
Take0: self=0 index=1
Threshold0 Threshold1: self=0 threshold!
Transpose0: dim0@ dim1@
TriangularSolve0: self=0 A=1 upper!True transpose!False unitriangular!False solution=-1
Tril0 Triu0: diagonal!0
Unbind0 Unsqueeze0: dim@
UnsafeSplit0: self_sym_sizes split_size! dim!0
Where0: condition=0
Xlogy1: other=1
"""
