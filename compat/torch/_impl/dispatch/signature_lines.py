"""The signatures of the functions of torch and the methods of Tensor.

A line is names, a colon, and the ways to call them: kinds and names of parameters, `=` where one may be left out, `?`
where None may be given. `ints1` takes one integer as well, `options` are those of factories; there is `out?` where
`out=` may be given, or `out!` where it has to have the dtype of the answer. `duck` is a tensor whose attributes are
asked for before its type, and `operand` a tensor for which a Python number may stand.
"""

LINES = """\
tensordot: duck a, duck b, any? dims=, *, out!
cdist: Tensor x1, Tensor x2, float p=, str compute_mode=
unique_consecutive: Tensor input, bool return_inverse=, bool return_counts=, int? dim=
abs bitwise_not ceil conj_physical floor frac frexp isneginf isposinf msort neg sgn sign signbit trunc: Tensor
    input, *, out!
absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh deg2rad
    digamma erf erfc erfinv exp exp2 expm1 fix geqrf i0 inverse lgamma log log10 log1p log2 logical_not negative
    rad2deg reciprocal relu rsqrt sigmoid sin sinc sinh slogdet sqrt square tan tanh: Tensor input, *, out?
isinf isnan trace argwhere conj corrcoef det detach fliplr flipud imag isfinite isreal item logdet matrix_exp
    positive ravel real resolve_conj resolve_neg t view_as_complex view_as_real zero_: Tensor input
nonzero: Tensor input, *, bool as_tuple=, out!
add sub: operand input, operand other, *, Number alpha=, out? | operand input, Number other, Number alpha=, *, out?
rsub: Tensor input, Tensor other, *, Number alpha= | Tensor input, Number other, Number alpha=
uniform_: Tensor input, float from=, float to=, *, any? generator=
normal_: Tensor input, float mean=, float std=, *, any? generator=
exponential_: Tensor input, float lambd=, *, any? generator=
cauchy_: Tensor input, float median=, float sigma=, *, any? generator=
log_normal_: Tensor input, float mean=, float std=, *, any? generator=
geometric_: Tensor input, float p, *, any? generator=
bernoulli_: Tensor input, Tensor p, *, any? generator= | Tensor input, float p=, *, any? generator=
random_: Tensor input, int from, int? to, *, any? generator= | Tensor input, int to, *, any? generator= | Tensor input,
    *, any? generator=
addbmm: Tensor input, Tensor batch1, Tensor batch2, *, Number beta=, Number alpha=, out!
addcdiv addcmul: Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=, out?
addmm: Tensor input, Tensor mat1, Tensor mat2, *, Number beta=, Number alpha=, out! | Tensor input, Tensor mat1,
    Tensor mat2, int out_dtype, *, Number beta=, Number alpha=, out?
addmv: Tensor input, Tensor mat, Tensor vec, *, Number beta=, Number alpha=, out!
addr: Tensor input, Tensor vec1, Tensor vec2, *, Number beta=, Number alpha=, out?
all any: Tensor input, *, out! | Tensor input, int dim, bool keepdim=, *, out! | Tensor input, ints? dim=, bool
    keepdim=, *, out!
allclose isclose: Tensor input, Tensor other, float rtol=, float atol=, bool equal_nan=
amax amin: Tensor input, ints1? dim=, bool keepdim=, *, out!
aminmax: Tensor input, *, int? dim=, bool keepdim=, out!
arange: Number end, *, dtype? dtype=, options, out? | Number start, Number end, *, dtype? dtype=, options | Number
    start, Number end, Number step=, *, dtype? dtype=, options, out?
arctan2 atan2 fmax fmin gcd hypot igamma igammac kron lcm logaddexp logaddexp2 logical_and logical_or logical_xor
    maximum minimum nextafter: Tensor input, Tensor other, *, out?
inner ldexp matmul vdot: Tensor input, Tensor other, *, out!
argmax argmin: Tensor input, int? dim=, bool keepdim=, *, out!
argsort: Tensor input, int dim=, bool descending= | Tensor input, *, bool stable, int dim=, bool descending=, out?
as_strided: Tensor input, ints size, ints stride, int? storage_offset=
as_strided_scatter: Tensor input, Tensor src, ints size, ints stride, int? storage_offset=, *, out?
baddbmm: Tensor input, Tensor batch1, Tensor batch2, *, Number beta=, Number alpha=, out! | Tensor input, Tensor
    batch1, Tensor batch2, int out_dtype, *, Number beta=, Number alpha=, out?
bernoulli: Tensor input, *, any? generator=, out? | Tensor input, float p, *, any? generator= | Tensor input, Tensor
    p, *, any? generator=, out?
bincount: Tensor input, Tensor? weights=, int minlength=
bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor remainder xlogy: Tensor input, Tensor
    other, *, out? | Tensor input, Number other, *, out? | Number input, Tensor other, *, out?
bmm mm: Tensor input, Tensor mat2, *, out! | Tensor input, Tensor mat2, int out_dtype, *, out?
broadcast_to sum_to_size: Tensor input, ints size
bucketize: Tensor input, Tensor boundaries, *, bool out_int32=, bool right=, out! | Number input, Tensor boundaries,
    *, bool out_int32=, bool right=, out?
cat concat concatenate stack: Tensors tensors, int dim=, *, out?
cholesky cholesky_inverse: Tensor input, bool upper=, *, out?
cholesky_solve: Tensor input, Tensor input2, bool upper=, *, out?
chunk unsafe_chunk: Tensor input, int chunks, int dim=
clamp: Tensor input, Number? min=, Number? max=, *, out! | Tensor input, Tensor? min=, Tensor? max=, *, out?
clip: Tensor input, Number? min=, Number? max=, *, out? | Tensor input, Tensor? min=, Tensor? max=, *, out?
clamp_max: Tensor input, Number max, *, out! | Tensor input, Tensor max, *, out?
clamp_min: Tensor input, Number min, *, out! | Tensor input, Tensor min, *, out?
clone: Tensor input, *, any? memory_format=
column_stack dstack hstack row_stack vstack: Tensors tensors, *, out?
combinations: Tensor input, int r=, bool with_replacement=
complex: Tensor real, Tensor imag, *, out?
constant_pad_nd: Tensor input, ints pad, Number value=
contiguous: Tensor input, *, any memory_format=
copysign fmod ge greater greater_equal gt le less less_equal lt not_equal: Tensor input, Tensor other, *, out? | Tensor
    input, Number other, *, out?
floor_divide mul: operand input, operand other, *, out? | operand input, Number other, *, out?
count_nonzero: Tensor input, int? dim= | Tensor input, ints dim
cov: Tensor input, *, int correction=, Tensor? fweights=, Tensor? aweights=
cross: Tensor input, Tensor other, int? dim=, *, out!
cummax cummin logcumsumexp: Tensor input, int dim, *, out!
cumprod cumsum: Tensor input, int dim, *, dtype? dtype=, out?
cumulative_trapezoid trapezoid: Tensor y, Tensor x, *, int dim= | Tensor y, *, Number dx=, int dim=
diag tril triu: Tensor input, int diagonal=, *, out!
diag_embed diagonal: Tensor input, int offset=, int dim1=, int dim2=
diagflat: Tensor input, int offset=
diagonal_scatter: Tensor input, Tensor src, int offset=, int dim1=, int dim2=
diff: Tensor input, int n=, int dim=, Tensor? prepend=, Tensor? append=, *, out?
dist: Tensor input, Tensor other, Number p=
div: operand input, operand other, *, out? | operand input, Number other, *, out? | operand input, operand other, *,
    str? rounding_mode, out? | operand input, Number other, *, str? rounding_mode, out?
divide: operand input, operand other, *, out? | operand input, Number other | operand input, operand other, *, str?
    rounding_mode, out? | operand input, Number other, *, str? rounding_mode
dot: Tensor input, Tensor tensor, *, out!
dsplit hsplit vsplit: Tensor input, int sections | Tensor input, ints indices
empty: ints size, *, dtype? dtype=, options, any? memory_format=, out?
empty_like ones_like zeros_like: Tensor input, *, dtype? dtype=, options, any? memory_format=
eq ne: Tensor input, Tensor other, *, out? | Tensor input, Number other, *, out? | bool a, bool b | Tensors a,
    Tensors b
eye: int n, *, dtype? dtype=, options, out? | int n, int m, *, dtype? dtype=, options, out?
equal expand_as reshape_as view_as: Tensor input, Tensor other
expand: Tensor input, ints size, *, bool implicit=
fill: Tensor input, Number value, *, out? | Tensor input, Tensor value, *, out?
flatten: Tensor input, int start_dim=, int end_dim=
flip permute tile: Tensor input, ints dims
float_power: Tensor input, Tensor exponent, *, out! | Tensor input, Number exponent, *, out! | Number input, Tensor
    exponent, *, out?
pow: Tensor input, Tensor exponent, *, out? | Tensor input, Number exponent, *, out? | Number input, Tensor
    exponent, *, out?
full: ints size, Number fill_value, *, dtype? dtype=, options, out?
full_like: Tensor input, Number fill_value, *, dtype? dtype=, options, any? memory_format=
gather: Tensor input, int dim, Tensor index, *, bool sparse_grad=, out!
ger outer: Tensor input, Tensor vec2, *, out?
gradient: Tensor input, *, Number? spacing=, int? dim=, int edge_order= | Tensor input, *, Number? spacing, ints
    dim, int edge_order= | Tensor input, *, ints dim, int edge_order= | Tensor input, *, any? spacing, int? dim=,
    int edge_order= | Tensor input, *, any? spacing, ints dim, int edge_order= | Tensor input, *, Tensors? spacing,
    int? dim=, int edge_order= | Tensor input, *, Tensors? spacing, ints dim, int edge_order=
heaviside: Tensor input, Tensor values, *, out!
histc: Tensor input, int bins=, Number min=, Number max=, *, out!
histogram: Tensor input, Tensor bins, *, Tensor? weight=, bool density=, out? | Tensor input, int bins=, *, floats?
    range=, Tensor? weight=, bool density=, out!
histogramdd: Tensor input, ints bins, floats? range=, Tensor? weight=, bool density= | Tensor input, int bins,
    floats? range=, Tensor? weight=, bool density= | Tensor input, Tensors bins, floats? range=, Tensor? weight=,
    bool density=
index_add: Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=, out!
index_copy: Tensor input, int dim, Tensor index, Tensor source, *, out?
index_fill: Tensor input, int dim, Tensor index, Tensor value | Tensor input, int dim, Tensor index, Number
    value
index_put: Tensor input, any indices, Tensor values, bool accumulate= | Tensor input, Tensors indices, Tensor
    values, bool accumulate=
index_reduce: Tensor input, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=, out!
index_select: Tensor input, int dim, Tensor index, *, out!
isin: Tensor elements, Tensor test_elements, *, bool assume_unique=, bool invert=, out! | Tensor elements, Number
    test_element, *, bool assume_unique=, bool invert=, out? | Number element, Tensor test_elements, *, bool
    assume_unique=, bool invert=, out?
istft: Tensor input, int n_fft, int? hop_length=, int? win_length=, Tensor? window=, bool center=, bool normalized=,
    bool? onesided=, int? length=, bool return_complex=
kthvalue: Tensor input, int k, int dim=, bool keepdim=, *, out!
lerp: Tensor input, Tensor end, Number weight, *, out? | Tensor input, Tensor end, Tensor weight, *, out!
matrix_power: Tensor input, int n, *, out?
linspace: Tensor start, Tensor end, int steps, *, dtype? dtype=, options, out? | Tensor start, Number end, int
    steps, *, dtype? dtype=, options, out? | Number start, Tensor end, int steps, *, dtype? dtype=, options, out? |
    Number start, Number end, int steps, *, dtype? dtype=, options, out?
log_softmax softmax: Tensor input, int dim, dtype? dtype=, *, out!
logit: Tensor input, float? eps=, *, out?
logspace: Tensor start, Tensor end, int steps, float base=, *, dtype? dtype=, options, out? | Tensor start, Number
    end, int steps, float base=, *, dtype? dtype=, options, out? | Number start, Tensor end, int steps, float base=,
    *, dtype? dtype=, options, out? | Number start, Number end, int steps, float base=, *, dtype? dtype=, options,
    out?
logsumexp: Tensor input, ints1 dim, bool keepdim=, *, out?
lu_solve: Tensor input, Tensor LU_data, Tensor LU_pivots, *, out!
lu_unpack: Tensor LU_data, Tensor LU_pivots, bool unpack_data=, bool unpack_pivots=, *, out!
masked_fill: Tensor input, Tensor mask, Number value | Tensor input, Tensor mask, Tensor value
masked_scatter: Tensor input, Tensor mask, Tensor source
masked_select: Tensor input, Tensor mask, *, out!
max min: Tensor input, Tensor other, *, out? | Tensor input, *, out? | Tensor input, int dim, bool keepdim=, *, out!
mean: Tensor input, *, dtype? dtype=, out? | Tensor input, ints1? dim, bool keepdim=, *, dtype? dtype=, out?
median nanmedian: Tensor input | Tensor input, int dim, bool keepdim=, *, out!
mode: Tensor input, int dim=, bool keepdim=, *, out!
moveaxis: Tensor input, ints source, ints destination | Tensor input, int source, int destination
movedim: Tensor input, int source, int destination | Tensor input, ints source, ints destination
multinomial: Tensor input, int num_samples, bool replacement=, *, any? generator=, out!
multiply true_divide: operand input, operand other, *, out? | operand input, Number other
mv: Tensor input, Tensor vec, *, out!
mvlgamma: Tensor input, int p, *, out?
nan_to_num: Tensor input, float? nan=, float? posinf=, float? neginf=, *, out!
nanmean nansum: Tensor input, ints1? dim=, bool keepdim=, *, dtype? dtype=, out?
nanquantile quantile: Tensor input, Tensor q, int? dim=, bool keepdim=, *, str interpolation=, out! | Tensor input,
    float q, int? dim=, bool keepdim=, *, str interpolation=, out!
narrow: Tensor input, int dim, int start, int length | Tensor input, int dim, Tensor start, int length
new_empty new_ones new_zeros: Tensor input, ints size, *, dtype? dtype=, options
new_full: Tensor input, ints size, Number fill_value, *, dtype? dtype=, options
normal: Tensor mean, float std=, *, any? generator=, out? | float mean, Tensor std, *, any? generator=, out? |
    Tensor mean, Tensor std, *, any? generator=, out? | float mean, float std, ints size, *, any? generator=, dtype?
    dtype=, options, out? | Tensor input, float mean=, float std=, *, any? generator=, out?
ones zeros: ints size, *, dtype? dtype=, options, out?
orgqr: Tensor input, Tensor input2, *, out?
ormqr: Tensor input, Tensor input2, Tensor input3, bool left=, bool transpose=, *, out!
pinverse: Tensor input, float rcond=
polar: Tensor abs, Tensor angle, *, out?
polygamma: int n, Tensor input, *, out?
prod: Tensor input, *, dtype? dtype= | Tensor input, int dim, bool keepdim=, *, dtype? dtype=, out?
put: Tensor input, Tensor index, Tensor source, bool accumulate=
qr: Tensor input, bool some=, *, out!
rand_like randn_like: Tensor input, *, dtype? dtype=, options, any? memory_format= | Tensor input, *, any?
    generator, dtype? dtype=, options, any? memory_format=, out?
randint: int high, ints size, *, dtype? dtype=, options, out? | int high, ints size, *, any? generator, dtype?
    dtype=, options, out? | int low, int high, ints size, *, dtype? dtype=, options, out? | int low, int high, ints
    size, *, any? generator, dtype? dtype=, options, out?
randint_like: Tensor input, int high, *, dtype? dtype=, options, any? memory_format= | Tensor input, Tensor high, *,
    dtype? dtype=, options, any? memory_format=, out? | Tensor input, int low, int high, *, dtype? dtype=, options,
    any? memory_format= | Tensor input, int high, *, any? generator, dtype? dtype=, options, any? memory_format=,
    out? | Tensor input, Tensor high, *, any? generator, dtype? dtype=, options, any? memory_format=, out? | Tensor
    input, int low, int high, *, any? generator, dtype? dtype=, options, any? memory_format=, out?
range: Number start, Number end, Number step=, *, dtype? dtype=, options, out?
randperm: int n, *, any? generator=, dtype? dtype=, options, out?
poisson: Tensor input, any? generator=
rand randn: ints size, *, dtype? dtype=, options, out? | ints size, *, any? generator, dtype? dtype=, options, out?
renorm: Tensor input, Number p, int dim, Number maxnorm, *, out!
repeat: Tensor input, ints repeats
repeat_interleave: Tensor repeats, *, int? output_size=, out? | Tensor input, Tensor repeats, int? dim=, *, int?
    output_size= | Tensor input, int repeats, int? dim=, *, int? output_size=
reshape: Tensor input, ints shape
roll: Tensor input, ints1 shifts, ints1? dims=
rot90: Tensor input, int k=, ints dims=
round: Tensor input, *, out! | Tensor input, *, int decimals, out!
scalar_tensor: Number s, *, dtype? dtype=, options
scatter: Tensor input, int dim, Tensor index, Number value, *, out! | Tensor input, int dim, Tensor index, Tensor
    src, *, out! | Tensor input, int dim, Tensor index, Tensor src, *, str reduce, out? | Tensor input, int dim,
    Tensor index, Number value, *, str reduce, out?
scatter_add: Tensor input, int dim, Tensor index, Tensor src, *, out!
scatter_reduce: Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=, out!
searchsorted: Tensor sorted_sequence, Tensor input, *, bool out_int32=, bool right=, str? side=, Tensor? sorter=,
    out! | Tensor sorted_sequence, Number input, *, bool out_int32=, bool right=, str? side=, Tensor? sorter=, out?
select: Tensor input, int dim, int index
select_scatter: Tensor input, Tensor src, int dim, int index
slice_scatter: Tensor input, Tensor src, int dim=, int? start=, int? end=, int step=, *, out!
sort: Tensor input, int dim=, bool descending=, *, out! | Tensor input, *, bool? stable, int dim=, bool descending=,
    out! | Tensors input, bool reverse=
split_with_sizes: Tensor input, ints split_sizes, int dim=
squeeze: Tensor input | Tensor input, int dim | Tensor input, ints dim
std var: Tensor input, bool unbiased= | Tensor input, ints1? dim, bool unbiased=, bool keepdim=, *, out? | Tensor
    input, ints1? dim=, *, Number? correction=, bool keepdim=, out?
std_mean var_mean: Tensor input, bool unbiased= | Tensor input, ints1? dim, bool unbiased=, bool keepdim= | Tensor
    input, ints1? dim=, *, Number? correction=, bool keepdim=
stft: duck input, int n_fft, int? hop_length=, int? win_length=, Tensor? window=, any? center=, any? pad_mode=, bool
    normalized=, bool? onesided=, bool? return_complex=, bool? align_to_window=
subtract: operand input, operand other, *, Number alpha=, out? | operand input, Number other, Number alpha=
sum: Tensor input, ints1? dim, bool keepdim=, *, dtype? dtype=, out? | Tensor input, *, dtype? dtype=
svd: Tensor input, bool some=, bool compute_uv=, *, out!
swapaxes: Tensor input, int axis0, int axis1
swapdims transpose: Tensor input, int dim0, int dim1
take: Tensor input, Tensor index, *, out!
take_along_dim: Tensor input, Tensor indices, int? dim=, *, out!
tensor_split: Tensor input, int sections, int dim= | Tensor input, ints indices, int dim= | Tensor input, Tensor
    tensor_indices_or_sections, int dim=
topk: Tensor input, int k, int dim=, bool largest=, bool sorted=, *, out!
trapz: Tensor y, Tensor x, *, int dim= | Tensor y, *, float dx=, int dim=
triangular_solve: Tensor input, Tensor A, bool upper=, bool transpose=, bool unitriangular=, *, out!
tril_indices triu_indices: int row, int col, int offset=, *, dtype? dtype=, options
unbind: Tensor input, int dim=
unflatten: Tensor input, int dim, ints sizes
unfold: Tensor input, int dimension, int size, int step
unsafe_split: Tensor input, int split_size, int dim=, *, out?
unsqueeze: Tensor input, int dim
view: Tensor input, ints size | Tensor input, dtype dtype
where: Tensor condition, Tensor input, Tensor other, *, out! | Tensor condition, Tensor input, Number other | Tensor
    condition, Number input, Tensor other | Tensor condition, Number input, Number other | Tensor condition
"""
