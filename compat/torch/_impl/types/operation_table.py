"""Facts of the operations of PyTorch 2.13.0; tests/compat/tables/generate.py writes them, edit that.

A line is names, a colon, and the ways to call them, each with the name of its node behind a `>` where PyTorch's files
tell it. A way is kinds and names of parameters, `=` where one may be left out, `?` where None may be given. `ints1`
takes one integer as well; `size`, `sizes` and `sizes1` are those that PyTorch may trace, of which tensors with axes may
be one. `options` are those of factories; there is `out?` where `out=` may be given, `out!` where it has to have the
dtype of the output, each with a `^` where the output may carry a gradient. `duck` is a tensor whose attributes are
asked for before its type, and `operand` a tensor for which a Python number may stand.
"""

FUNCTIONS = """\
_unique2: Tensor input, bool sorted=, bool return_inverse=, bool return_counts= > Unique20
abs: Tensor input, *, out! > Abs0
absolute arccos arccosh arcsin arcsinh arctan arctanh detach_copy fix inverse negative slogdet: Tensor input, *, out?
acos: Tensor input, *, out? > Acos0
acosh: Tensor input, *, out? > Acosh0
add: operand input, operand other, *, Number alpha=, out? > Add0
addbmm: Tensor input, Tensor batch1, Tensor batch2, *, Number beta=, Number alpha=, out! > Addbmm0
addcdiv: Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=, out? > Addcdiv0
addcmul: Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=, out? > Addcmul0
addmm: Tensor input, Tensor mat1, Tensor mat2, *, Number beta=, Number alpha=, out! > Addmm0 | Tensor input, Tensor mat1, Tensor mat2, dtype out_dtype, *, Number beta=, Number alpha=, out?
addmv: Tensor input, Tensor mat, Tensor vec, *, Number beta=, Number alpha=, out! > Addmv0
addr: Tensor input, Tensor vec1, Tensor vec2, *, Number beta=, Number alpha=, out? > Addr0
adjoint argwhere det detach fliplr flipud isfinite isinf isnan isreal item logdet positive resolve_conj resolve_neg: Tensor input
alias_copy: Tensor input, *, out? > Alias0_copy
all any: Tensor input, *, out! | Tensor input, ints? dim=, bool keepdim=, *, out!^ | Tensor input, int dim, bool keepdim=, *, out!
allclose isclose: Tensor input, Tensor other, float rtol=, float atol=, bool equal_nan=
amax: Tensor input, ints1? dim=, bool keepdim=, *, out! > Amax0
amin: Tensor input, ints1? dim=, bool keepdim=, *, out! > Amin0
aminmax: Tensor input, *, int? dim=, bool keepdim=, out! > Aminmax0
angle: Tensor input, *, out? > Angle0
arange: Number end, *, dtype? dtype=, options, out? | Number start, Number end, *, dtype? dtype=, options | Number start, Number end, Number step=, *, dtype? dtype=, options, out?
arctan2 gcd kron lcm: Tensor input, Tensor other, *, out?
argmax argmin: Tensor input, int? dim=, bool keepdim=, *, out!^
argsort: Tensor input, *, bool stable, int dim=, bool descending=, out? | Tensor input, int dim=, bool descending=
as_strided: Tensor input, sizes size, sizes stride, size? storage_offset= > AsStrided0
as_strided_copy: Tensor input, sizes size, sizes stride, size? storage_offset=, *, out? > AsStrided0_copy
as_strided_scatter: Tensor input, Tensor src, sizes size, sizes stride, size? storage_offset= > AsStridedScatter0
asin: Tensor input, *, out? > Asin0
asinh: Tensor input, *, out? > Asinh0
atan: Tensor input, *, out? > Atan0
atan2: Tensor input, Tensor other, *, out? > Atan20
atanh: Tensor input, *, out? > Atanh0
baddbmm: Tensor input, Tensor batch1, Tensor batch2, *, Number beta=, Number alpha=, out! > Baddbmm0 | Tensor input, Tensor batch1, Tensor batch2, dtype out_dtype, *, Number beta=, Number alpha=, out?
bernoulli: Tensor input, *, any? generator=, out? > Bernoulli0 | Tensor input, float p, *, any? generator=
bernoulli_: Tensor input, Tensor p, *, any? generator= > Bernoulli1 | Tensor input, float p=, *, any? generator= > Bernoulli2
bincount: Tensor input, Tensor? weights=, size minlength=
bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor: Tensor input, Tensor other, *, out? | Number input, Tensor other | Tensor input, Number other, *, out?
bitwise_not msort: Tensor input, *, out!
bmm: Tensor input, Tensor mat2, *, out! > Bmm0 | Tensor input, Tensor mat2, dtype out_dtype, *, out?
broadcast_to: Tensor input, sizes size > Expand0
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
constant_pad_nd: Tensor input, sizes pad, Number value= > ConstantPadNd0
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
cumulative_trapezoid: Tensor y, Tensor x, *, int dim= > Div0 | Tensor y, *, Number dx=, int dim= > Div0
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
empty: sizes size, *, any? memory_format=, dtype? dtype=, options, out?
empty_like ones_like zeros_like: Tensor input, *, any? memory_format=, dtype? dtype=, options
eq ge gt le lt ne: Tensor input, Tensor other, *, out?^ | Tensor input, Number other, *, out?^
equal: Tensor input, Tensor other
erf: Tensor input, *, out? > Erf0
erfc: Tensor input, *, out? > Erfc0
erfinv: Tensor input, *, out? > Erfinv0
exp: Tensor input, *, out? > Exp0
exp2: Tensor input, *, out? > Exp20
expand: Tensor input, sizes size, *, bool implicit= > Expand0
expand_as: Tensor input, Tensor other > Expand0
expand_copy: Tensor input, sizes size, *, bool implicit=, out? > Expand0_copy
expm1: Tensor input, *, out? > Expm10
exponential_: Tensor input, float lambd=, *, any? generator= > Exponential0
eye: size n, *, dtype? dtype=, options, out? | size n, size m, *, dtype? dtype=, options, out?
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
full: sizes size, Number fill_value, *, dtype? dtype=, options, out?
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
kthvalue: Tensor input, size k, int dim=, bool keepdim=, *, out! > Kthvalue0
ldexp: Tensor input, Tensor other, *, out! > Ldexp0
lerp: Tensor input, Tensor end, Tensor weight, *, out! > Lerp1 | Tensor input, Tensor end, Number weight, *, out? > Lerp0
lgamma: Tensor input, *, out? > Lgamma0
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
logical_not: Tensor input, *, out?^
logit: Tensor input, float? eps=, *, out? > Logit0
logspace: Tensor start, Tensor end, int steps, float base=, *, dtype? dtype=, options, out? | Number start, Tensor end, int steps, float base=, *, dtype? dtype=, options, out? | Tensor start, Number end, int steps, float base=, *, dtype? dtype=, options, out? | Number start, Number end, int steps, float base=, *, dtype? dtype=, options, out?
logsumexp: Tensor input, ints1 dim, bool keepdim=, *, out? > Logsumexp0
lu_solve: Tensor input, Tensor LU_data, Tensor LU_pivots, *, out! > LinalgLuSolve0
lu_unpack: Tensor LU_data, Tensor LU_pivots, bool unpack_data=, bool unpack_pivots=, *, out! > LuUnpack0
masked_fill: Tensor input, Tensor mask, Tensor value > MaskedFill1 | Tensor input, Tensor mask, Number value > MaskedFill0
masked_scatter: Tensor input, Tensor mask, Tensor source > MaskedScatter0
masked_select: Tensor input, Tensor mask, *, out! > MaskedSelect0
matmul: Tensor input, Tensor other, *, out! > Matmul0
matrix_exp: Tensor input > LinalgMatrixExp0
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
multinomial: Tensor input, size num_samples, bool replacement=, *, any? generator=, out!^
multiply: operand input, operand other, *, out? | operand input, Number other
mv: Tensor input, Tensor vec, *, out! > Mv0
mvlgamma: Tensor input, int p, *, out? > Mvlgamma0
nan_to_num: Tensor input, float? nan=, float? posinf=, float? neginf=, *, out! > NanToNum0
nanmean: Tensor input, ints1? dim=, bool keepdim=, *, dtype? dtype=, out?
nanmedian: Tensor input > Nanmedian0 | Tensor input, int dim, bool keepdim=, *, out! > Nanmedian1
nanquantile quantile: Tensor input, Tensor q, int? dim=, bool keepdim=, *, str interpolation=, out!^ > Lerp1 | Tensor input, float q, int? dim=, bool keepdim=, *, str interpolation=, out!^ > Lerp1
nansum: Tensor input, ints1? dim=, bool keepdim=, *, dtype? dtype=, out? > Nansum0
narrow: Tensor input, int dim, Tensor start, size length | Tensor input, int dim, size start, size length > Slice0
narrow_copy: Tensor input, int dim, size start, size length, *, out? > NarrowCopy0
neg: Tensor input, *, out! > Neg0
new_empty new_ones new_zeros: Tensor input, sizes size, *, dtype? dtype=, options
new_full: Tensor input, sizes size, Number fill_value, *, dtype? dtype=, options
nextafter: Tensor input, Tensor other, *, out? > Nextafter0
nonzero: Tensor input, *, bool as_tuple=, out!
nonzero_static: Tensor input, *, size size, int fill_value=, out?
normal: Tensor mean, Tensor std, *, any? generator=, out? > Normal3 | Tensor mean, float std=, *, any? generator=, out? > Normal1 | float mean, Tensor std, *, any? generator=, out? > Normal2 | float mean, float std, sizes size, *, any? generator=, dtype? dtype=, options, out?
normal_: Tensor input, float mean=, float std=, *, any? generator= > Normal0
ones zeros: sizes size, *, dtype? dtype=, options, out?
orgqr: Tensor input, Tensor input2, *, out?
ormqr: Tensor input, Tensor input2, Tensor input3, bool left=, bool transpose=, *, out! > Ormqr0
outer: Tensor input, Tensor vec2, *, out? > Mul0
permute: Tensor input, ints dims > Permute0
permute_copy: Tensor input, ints dims, *, out? > Permute0_copy
pinverse: Tensor input, float rcond= > LinalgPinv0
poisson: Tensor input, any? generator= > Poisson0
polar: Tensor abs, Tensor angle, *, out! > Polar0
polygamma: int n, Tensor input, *, out? > Polygamma0
pow: Tensor input, Tensor exponent, *, out? > Pow1 | Number input, Tensor exponent, *, out? > Pow2 | Tensor input, Number exponent, *, out? > Pow0
prod: Tensor input, *, dtype? dtype= > Prod0 | Tensor input, int dim, bool keepdim=, *, dtype? dtype=, out! > Prod1
put: Tensor input, Tensor index, Tensor source, bool accumulate= > Put0
qr: Tensor input, bool some=, *, out! > LinalgQr0
rad2deg: Tensor input, *, out? > Rad2Deg0
rand randn: sizes size, *, any? generator, dtype? dtype=, options, out? | sizes size, *, dtype? dtype=, options, out?
rand_like randn_like: Tensor input, *, any? generator, any? memory_format=, dtype? dtype=, options | Tensor input, *, any? memory_format=, dtype? dtype=, options
randint: size high, sizes size, *, any? generator, dtype? dtype=, options, out? | size high, sizes size, *, dtype? dtype=, options, out? | size low, size high, sizes size, *, any? generator, dtype? dtype=, options, out? | size low, size high, sizes size, *, dtype? dtype=, options, out?
randint_like: Tensor input, size low, size high, *, any? generator, any? memory_format=, dtype? dtype=, options | Tensor input, size low, size high, *, any? memory_format=, dtype? dtype=, options | Tensor input, Tensor high, *, any? generator, any? memory_format=, dtype? dtype=, options | Tensor input, Tensor high, *, any? memory_format=, dtype? dtype=, options | Tensor input, size high, *, any? generator, any? memory_format=, dtype? dtype=, options | Tensor input, size high, *, any? memory_format=, dtype? dtype=, options
random_: Tensor input, *, any? generator= > Random2 | Tensor input, int from, int? to, *, any? generator= > Random0 | Tensor input, int to, *, any? generator= > Random1
randperm: size n, *, any? generator, dtype? dtype=, options, out? | size n, *, dtype? dtype=, options, out?
range: Number start, Number end, Number step=, *, dtype? dtype=, options, out?
ravel: Tensor input > View0
reciprocal: Tensor input, *, out? > Reciprocal0
relu: Tensor input > Relu0
remainder: Tensor input, Tensor other, *, out? > Remainder1 | Number input, Tensor other | Tensor input, Number other, *, out? > Remainder0
renorm: Tensor input, Number p, int dim, Number maxnorm, *, out! > Renorm0
repeat: Tensor input, sizes repeats > Repeat0
repeat_interleave: Tensor input, Tensor repeats, int? dim=, *, size? output_size= | Tensor repeats, *, size? output_size= | Tensor input, size repeats, int? dim=, *, size? output_size=
reshape: Tensor input, sizes shape > View0
reshape_as view_as: Tensor input, Tensor other > View0
roll: Tensor input, sizes1 shifts, ints1? dims= > Roll0
rot90: Tensor input, int k=, ints dims= > Rot900
round: Tensor input, *, out! > Round0 | Tensor input, *, int decimals, out! > Round1
rsqrt: Tensor input, *, out? > Rsqrt0
rsub: Tensor input, Tensor other, *, Number alpha= > Rsub0 | Tensor input, Number other, Number alpha= > Rsub1
scalar_tensor: Number s, *, dtype? dtype=, options
scatter: Tensor input, int dim, Tensor index, Tensor src, *, out! > Scatter0 | Tensor input, int dim, Tensor index, Tensor src, *, str reduce, out! | Tensor input, int dim, Tensor index, Number value, *, out! > Scatter1 | Tensor input, int dim, Tensor index, Number value, *, str reduce, out!
scatter_add: Tensor input, int dim, Tensor index, Tensor src, *, out! > ScatterAdd0
scatter_reduce: Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=, out! > ScatterReduce0
searchsorted: Tensor sorted_sequence, Tensor input, *, bool out_int32=, bool right=, str? side=, Tensor? sorter=, out!^ | Tensor sorted_sequence, Number input, *, bool out_int32=, bool right=, str? side=, Tensor? sorter=, out?
segment_reduce: Tensor data, str reduce, *, Tensor? lengths=, Tensor? indices=, Tensor? offsets=, int axis=, bool unsafe=, Number? initial= > SegmentReduce0
select: Tensor input, int dim, size index > Select0
select_copy: Tensor input, int dim, size index, *, out? > Select0_copy
select_scatter: Tensor input, Tensor src, int dim, size index > SelectScatter0
sgn: Tensor input, *, out! > Sgn0
sigmoid: Tensor input, *, out? > Sigmoid0
sign: Tensor input, *, out! > Sign0
sin: Tensor input, *, out? > Sin0
sinc: Tensor input, *, out? > Sinc0
sinh: Tensor input, *, out? > Sinh0
slice_scatter: Tensor input, Tensor src, int dim=, size? start=, size? end=, size step=, *, out!^ > SliceScatter0
softmax: Tensor input, int dim, dtype? dtype=, *, out!^ > Softmax0
sort: Tensor input, *, bool? stable, int dim=, bool descending=, out! > Sort1 | Tensor input, int dim=, bool descending=, *, out! > Sort0
split_copy: Tensor input, size split_size, int dim=, *, out? > Split0_copy
split_with_sizes: Tensor input, sizes split_sizes, int dim= > SplitWithSizes0
split_with_sizes_copy: Tensor input, sizes split_sizes, int dim=, *, out? > SplitWithSizes0_copy
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
sum_to_size: Tensor input, sizes size > Sum1
svd: Tensor input, bool some=, bool compute_uv=, *, out! > LinalgSvd0
swapaxes: Tensor input, int axis0, int axis1
swapdims: Tensor input, int dim0, int dim1
t: Tensor input > T0
t_copy: Tensor input, *, out? > T0_copy
take: Tensor input, Tensor index, *, out! > Take0
take_along_dim: Tensor input, Tensor indices, int? dim=, *, out!
tan: Tensor input, *, out? > Tan0
tanh: Tensor input, *, out? > Tanh0
tensor_split: Tensor input, sizes indices, int dim= > Slice0 | Tensor input, Tensor tensor_indices_or_sections, int dim= | Tensor input, size sections, int dim= > Slice0
tile: Tensor input, sizes dims
topk: Tensor input, size k, int dim=, bool largest=, bool sorted=, *, out! > Topk0
trace: Tensor input > Trace0
transpose: Tensor input, int dim0, int dim1 > Transpose0
transpose_copy: Tensor input, int dim0, int dim1, *, out? > Transpose0_copy
trapezoid: Tensor y, Tensor x, *, int dim= > Div0 | Tensor y, *, Number dx=, int dim= > Mul1
trapz: Tensor y, *, float dx=, int dim= > Mul1 | Tensor y, Tensor x, *, int dim=
triangular_solve: Tensor input, Tensor A, bool upper=, bool transpose=, bool unitriangular=, *, out! > TriangularSolve0
tril: Tensor input, size diagonal=, *, out! > Tril0
tril_indices triu_indices: int row, int col, int offset=, *, dtype? dtype=, options
triu: Tensor input, size diagonal=, *, out! > Triu0
true_divide: operand input, operand other, *, out? > Div0 | operand input, Number other
trunc: Tensor input, *, out! > Trunc0
unbind: Tensor input, int dim= > Unbind0
unbind_copy: Tensor input, int dim=, *, out? > Unbind0_copy
unflatten: Tensor input, int dim, sizes sizes > View0
unfold: Tensor input, int dimension, int size, int step > Unfold0
unfold_copy: Tensor input, int dimension, int size, int step, *, out? > Unfold0_copy
uniform_: Tensor input, float from=, float to=, *, any? generator= > Uniform0
unsafe_chunk: Tensor input, int chunks, int dim=
unsafe_split: Tensor input, size split_size, int dim= > UnsafeSplit0
unsqueeze: Tensor input, int dim > Unsqueeze0
unsqueeze_copy: Tensor input, int dim, *, out? > Unsqueeze0_copy
vander: Tensor x, int? N=, bool increasing=
var: Tensor input, ints1? dim, bool unbiased=, bool keepdim=, *, out? > Var0 | Tensor input, ints1? dim=, *, Number? correction=, bool keepdim=, out? > Var0 | Tensor input, bool unbiased=
var_mean: Tensor input, ints1? dim, bool unbiased=, bool keepdim= > VarMean0 | Tensor input, ints1? dim=, *, Number? correction=, bool keepdim= > VarMean0 | Tensor input, bool unbiased=
vdot: Tensor input, Tensor other, *, out! > Vdot0
view: Tensor input, dtype dtype | Tensor input, sizes size > View0
view_as_complex: Tensor input > ViewAsComplex0
view_as_complex_copy: Tensor input, *, out? > ViewAsComplex0_copy
view_as_real: Tensor input > ViewAsReal0
view_as_real_copy: Tensor input, *, out? > ViewAsReal0_copy
view_copy: Tensor input, dtype dtype, *, out? | Tensor input, sizes size, *, out? > View0_copy
where: Tensor condition | Tensor condition, Tensor input, Tensor other, *, out! > Where0 | Tensor condition, Number input, Tensor other | Tensor condition, Tensor input, Number other > Where0 | Tensor condition, Number input, Number other
xlogy: Tensor input, Tensor other, *, out? > Xlogy0 | Number input, Tensor other, *, out? > Xlogy1 | Tensor input, Number other, *, out? > Xlogy2
zero_: Tensor input > Zero0
"""
