"""Docstrings of the operations that are made by tables, one line for those of one meaning."""

_LINES = """
exp: Raise e to each element.
log: Give the natural logarithm of each element, NaN below 0.
log2: Give the logarithm to base 2 of each element, NaN below 0.
log10: Give the logarithm to base 10 of each element, NaN below 0.
expm1 special.expm1: Give exp(x) - 1 of each element, exact where x is near 0.
log1p special.log1p: Give log(1 + x) of each element, exact where x is near 0.
exp2 special.exp2: Raise 2 to each element.
sqrt: Give the square root of each element, NaN below 0.
reciprocal: Give 1 / x of each element.
sin: Give the sine of each element, an angle in radians.
cos: Give the cosine of each element, an angle in radians.
tan: Give the tangent of each element, an angle in radians.
asin arcsin: Give the angle in [-pi/2, pi/2] whose sine each element is, NaN outside [-1, 1].
acos arccos: Give the angle in [0, pi] whose cosine each element is, NaN outside [-1, 1].
atan arctan: Give the angle in (-pi/2, pi/2) whose tangent each element is.
sinh: Give the hyperbolic sine of each element.
cosh: Give the hyperbolic cosine of each element.
tanh nn.functional.tanh: Give the hyperbolic tangent of each element.
asinh arcsinh: Give the number whose hyperbolic sine each element is.
acosh arccosh: Give the number whose hyperbolic cosine each element is, NaN below 1.
atanh arctanh: Give the number whose hyperbolic tangent each element is, NaN outside [-1, 1].
sigmoid nn.functional.sigmoid special.expit: Give 1 / (1 + exp(-x)) of each element.
abs absolute: Give the magnitude of each element; of complex ones, a real tensor.
neg negative: Give each element with its sign turned; booleans are refused.
sign: Give -1, 0 or 1, the sign of each element.
floor: Round each element down to an integer.
ceil: Round each element up to an integer.
trunc fix: Round each element towards 0 to an integer.
relu: Give each element, 0 in place of negative ones.
deg2rad: Turn angles in degrees into radians.
rad2deg: Turn angles in radians into degrees.
add: Add `alpha` times the second operand to the first, broadcast against each other.
sub subtract: Subtract `alpha` times the second operand from the first, broadcast against each other.
mul multiply: Multiply two operands element by element, broadcast against each other.
gcd: Give the greatest common divisor of integers, element by element.
lcm: Give the least common multiple of integers, element by element.
maximum: Give the larger of two elements, NaN where one is; ties share the gradient.
minimum: Give the smaller of two elements, NaN where one is; ties share the gradient.
fmax: Give the larger of two elements, the other one where one is NaN.
fmin: Give the smaller of two elements, the other one where one is NaN.
eq: Say of each pair of elements whether they are equal.
ne not_equal: Say of each pair of elements whether they differ.
lt less: Say of each pair of elements whether the first is smaller.
le less_equal: Say of each pair of elements whether the first is no larger.
gt greater: Say of each pair of elements whether the first is larger.
ge greater_equal: Say of each pair of elements whether the first is no smaller.
isnan: Say of each element whether it is NaN.
isinf: Say of each element whether it is infinite, of either sign.
isposinf: Say of each element whether it is +inf.
isneginf: Say of each element whether it is -inf.
isfinite: Say of each element whether it is neither infinite nor NaN.
logical_and: Say of each pair of elements whether both are other than 0.
logical_or: Say of each pair of elements whether one is other than 0.
logical_xor: Say of each pair of elements whether exactly one is other than 0.
logical_not: Say of each element whether it is 0.
bitwise_and: Give the bits that both of two integers or booleans have.
bitwise_or: Give the bits that one of two integers or booleans has.
bitwise_xor: Give the bits that exactly one of two integers or booleans has.
bitwise_not: Turn each bit of integers, or booleans.
bitwise_left_shift: Shift the bits of integers to the left by as many places as another says.
bitwise_right_shift: Shift the bits of integers to the right by as many places as another says.
linalg.vecdot: Give the dot products of vectors along an axis, the first operand conjugated.
linalg.multi_dot: Multiply several matrices in the order that takes the fewest operations.
linalg.inv inverse: Invert square matrices; a singular one raises `LinAlgError`.
linalg.inv_ex: Invert square matrices; `info` says of each whether it is singular instead of raising.
linalg.det det: Give the determinants of square matrices.
linalg.slogdet slogdet: Give sign and logarithm of the magnitude of the determinants of square matrices.
logdet: Give the logarithm of the determinants of square matrices, NaN where one is negative.
linalg.cholesky: Give the triangular L of A = L Lᴴ of positive definite matrices, or raise `LinAlgError`.
linalg.cholesky_ex: Give the triangular L of A = L Lᴴ; `info` says where a matrix is not positive definite.
linalg.solve: Solve A X = B for square matrices, X A = B with `left=False`; a singular one raises `LinAlgError`.
linalg.solve_ex: Solve A X = B; `info` says of each matrix whether it is singular instead of raising.
linalg.eigh: Give eigenvalues, in order, and eigenvectors of Hermitian matrices.
linalg.eigvalsh: Give the eigenvalues of Hermitian matrices in order.
linalg.eig: Give the complex eigenvalues and eigenvectors of square matrices.
linalg.eigvals: Give the complex eigenvalues of square matrices.
linalg.svd: Give U, the singular values from the largest, and Vᴴ of matrices.
linalg.svdvals: Give the singular values of matrices from the largest.
linalg.qr: Give an orthonormal Q and a triangular R whose product is the matrix.
linalg.matrix_power matrix_power: Raise square matrices to an integer power, a negative one of the inverse.
linalg.matrix_norm: Give a norm of matrices: Frobenius, nuclear, or of order 1, 2, inf and their negatives.
linalg.norm: Give a norm of vectors or matrices, as `ord` and `dim` say.
linalg.tensorinv: Invert a tensor as the map from its last axes to its first `ind` ones.
linalg.tensorsolve: Solve `tensordot(A, X, X.ndim) = B` for X.
nn.functional.softmax: Give exp(x) over its sum along an axis.
nn.functional.log_softmax: Give the logarithm of the softmax along an axis, without overflow.
nn.functional.softmin: Give the softmax of -x along an axis.
nn.functional.silu: Give x sigmoid(x) of each element.
nn.functional.mish: Give x tanh(softplus(x)) of each element.
nn.functional.logsigmoid: Give log(sigmoid(x)) of each element without overflow.
nn.functional.softsign: Give x / (1 + |x|) of each element.
nn.functional.tanhshrink: Give x - tanh(x) of each element.
nn.functional.leaky_relu: Give each element, negative ones times `negative_slope`.
nn.functional.elu: Give each element, alpha (exp(x) - 1) in place of negative ones.
nn.functional.selu: Give the scaled exponential linear unit of each element, with the two constants of its paper.
nn.functional.celu: Give each element, alpha (exp(x / alpha) - 1) in place of negative ones.
nn.functional.hardtanh: Give each element, cut to [`min_val`, `max_val`].
nn.functional.relu6: Give each element, cut to [0, 6].
nn.functional.hardsigmoid: Give x / 6 + 1/2 of each element, cut to [0, 1].
nn.functional.hardswish: Give x hardsigmoid(x) of each element.
nn.functional.softplus: Give log(1 + exp(beta x)) / beta of each element, x itself above `threshold`.
nn.functional.threshold: Give each element, `value` in place of those not above `threshold`.
nn.functional.hardshrink: Give each element, 0 in place of those within `lambd` of 0.
nn.functional.softshrink: Give each element moved by `lambd` towards 0, 0 for those within it.
nn.functional.gelu: Give x times the normal distribution function at x, or its tanh approximation.
nn.functional.glu: Give the first half along an axis times the sigmoid of the second.
nn.functional.prelu: Give each element, negative ones times a weight of their channel.
nn.functional.conv#d: Correlate channels over # axes with a kernel, strided, padded, dilated or in groups.
nn.functional.conv_transpose#d: Give the transpose of the map that `conv#d` is.
nn.functional.max_pool#d: Give the maxima over windows of # axes; with `return_indices` also their places.
nn.functional.max_pool#d_with_indices: Give the maxima over windows of # axes, and their places.
nn.functional.avg_pool#d: Give the means over windows of # axes.
nn.functional.lp_pool#d: Give the p-norms over windows of # axes.
nn.functional.adaptive_avg_pool#d: Give means over as many windows of # axes as the output has elements.
nn.functional.adaptive_max_pool#d: Give maxima over as many windows of # axes as the output has elements.
nn.functional.adaptive_max_pool#d_with_indices: Give maxima as `adaptive_max_pool#d` does, and their places.
nn.functional.max_unpool#d: Put the maxima of `max_pool#d` back into their places, zeros elsewhere.
nn.functional.dropout#d: Drop whole channels of # axes at random, and scale the others.
nn.functional.upsample: Resample to a size or by a factor; the old name of `interpolate`.
nn.functional.upsample_nearest: Resample, each element from the nearest one.
nn.functional.upsample_bilinear: Resample linearly between elements, corners on corners.
erf special.erf: Give the error function of each element.
erfc special.erfc: Give 1 - erf(x) of each element, exact where x is large.
erfinv special.erfinv: Give the number whose error function each element is, NaN outside [-1, 1].
special.erfcx: Give exp(x²) erfc(x) of each element.
lgamma special.gammaln: Give the logarithm of the magnitude of the gamma function of each element.
digamma special.digamma special.psi: Give the derivative of `lgamma` of each element.
special.entr: Give -x log(x) of each element, 0 at 0 and -inf below.
special.ndtr: Give the normal distribution function of each element.
special.ndtri: Give the number at which the normal distribution function is each element.
special.log_ndtr: Give the logarithm of the normal distribution function of each element.
special.airy_ai: Give the Airy function Ai of each element.
i0 special.i0 special.modified_bessel_i0: Give the modified Bessel function I of order 0 of each element.
special.i1 special.modified_bessel_i1: Give the modified Bessel function I of order 1 of each element.
special.i0e: Give exp(-|x|) times the modified Bessel function I of order 0 of each element.
special.i1e: Give exp(-|x|) times the modified Bessel function I of order 1 of each element.
special.modified_bessel_k0: Give the modified Bessel function K of order 0 of each element.
special.modified_bessel_k1: Give the modified Bessel function K of order 1 of each element.
special.scaled_modified_bessel_k0: Give exp(x) times the modified Bessel function K of order 0 of each element.
special.scaled_modified_bessel_k1: Give exp(x) times the modified Bessel function K of order 1 of each element.
special.bessel_j0: Give the Bessel function of the first kind of order 0 of each element.
special.bessel_j1: Give the Bessel function of the first kind of order 1 of each element.
special.bessel_y0: Give the Bessel function of the second kind of order 0 of each element.
special.bessel_y1: Give the Bessel function of the second kind of order 1 of each element.
special.chebyshev_polynomial_t: Give the Chebyshev polynomial of the first kind of degree `n` at each element.
special.chebyshev_polynomial_u: Give the Chebyshev polynomial of the second kind of degree `n` at each element.
special.chebyshev_polynomial_v: Give the Chebyshev polynomial of the third kind of degree `n` at each element.
special.chebyshev_polynomial_w: Give the Chebyshev polynomial of the fourth kind of degree `n` at each element.
special.shifted_chebyshev_polynomial_t: Give `chebyshev_polynomial_t` at 2 x - 1.
special.shifted_chebyshev_polynomial_u: Give `chebyshev_polynomial_u` at 2 x - 1.
special.shifted_chebyshev_polynomial_v: Give `chebyshev_polynomial_v` at 2 x - 1.
special.shifted_chebyshev_polynomial_w: Give `chebyshev_polynomial_w` at 2 x - 1.
special.hermite_polynomial_h: Give the Hermite polynomial of physicists of degree `n` at each element.
special.hermite_polynomial_he: Give the Hermite polynomial of probability theory of degree `n` at each element.
special.laguerre_polynomial_l: Give the Laguerre polynomial of degree `n` at each element.
special.legendre_polynomial_p: Give the Legendre polynomial of degree `n` at each element.
fft.fft: Give the discrete Fourier transform along an axis.
fft.ifft: Give the inverse discrete Fourier transform along an axis.
fft.rfft: Give the transform of real elements along an axis, frequencies from 0 on alone.
fft.irfft: Give the real elements whose `rfft` along an axis this is.
fft.hfft: Give the real transform of elements that are the first half of Hermitian ones.
fft.ihfft: Give the first half of the inverse transform of real elements.
fft.fft2: Give the discrete Fourier transform over two axes.
fft.ifft2: Give the inverse discrete Fourier transform over two axes.
fft.rfft2: Give the transform of real elements over two axes, half of the last one.
fft.irfft2: Give the real elements whose `rfft2` this is.
fft.hfft2: Give the real transform over two axes of the first half of Hermitian elements.
fft.ihfft2: Give the first half of the inverse transform of real elements over two axes.
fft.fftn: Give the discrete Fourier transform over axes.
fft.ifftn: Give the inverse discrete Fourier transform over axes.
fft.rfftn: Give the transform of real elements over axes, half of the last one.
fft.irfftn: Give the real elements whose `rfftn` this is.
fft.hfftn: Give the real transform over axes of the first half of Hermitian elements.
fft.ihfftn: Give the first half of the inverse transform of real elements over axes.
"""

DOCSTRINGS = {}  # torch's name -> its docstring
for _line in _LINES.split("\n")[1:-1]:
    _names, _, _text = _line.partition(": ")
    for _number in ("1", "2", "3") if "#" in _names else ("",):
        DOCSTRINGS |= dict.fromkeys(_names.replace("#", _number).split(), _text.replace("#", _number))
