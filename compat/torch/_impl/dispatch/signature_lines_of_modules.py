"""The signatures of the functions of torch.linalg, torch.fft and torch.special, as `signature_lines.py` writes them."""

LINES = """\
linalg.eig: Tensor input, *, out!
linalg.matrix_exp: Tensor input
linalg.eigvals special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1
    special.digamma special.entr special.erf special.erfc special.erfcx special.erfinv special.exp2 special.expit
    special.expm1 special.gammaln special.i0 special.i0e special.i1 special.i1e special.log1p special.log_ndtr
    special.modified_bessel_i0 special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1
    special.ndtr special.ndtri special.psi special.sinc: Tensor input, *, out?
special.gammainc special.gammaincc: Tensor input, Tensor other, *, out?
special.xlog1py special.xlogy special.zeta: Tensor input, Tensor other, *, out? | Tensor input, Number other, *,
    out? | Number input, Tensor other, *, out?
special.logit: Tensor input, float? eps=, *, out?
special.logsumexp: Tensor input, ints1 dim, bool keepdim=, *, out?
special.multigammaln: Tensor input, int p, *, out?
special.polygamma: int n, Tensor input, *, out?
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
nn.functional.cosine_similarity: Tensor x1, Tensor x2, int dim=, float eps=
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
"""
