"""The named tuples that operations with several outputs return."""

from collections import namedtuple


def named(name, *fields):
    """A named tuple that prints as torch's."""
    kind = namedtuple(name, fields)

    def __repr__(self):  # noqa: N807
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{f}={getattr(self, f)!r}" for f in fields) + ")"

    kind.__repr__ = __repr__
    kind.__module__ = f"{__name__.partition('._impl')[0]}.return_types"
    return kind


max = named("max", "values", "indices")  # noqa: A001
min = named("min", "values", "indices")  # noqa: A001
sort = named("sort", "values", "indices")
topk = named("topk", "values", "indices")
median = named("median", "values", "indices")
nanmedian = named("nanmedian", "values", "indices")
mode = named("mode", "values", "indices")
kthvalue = named("kthvalue", "values", "indices")
cummax = named("cummax", "values", "indices")
cummin = named("cummin", "values", "indices")
aminmax = named("aminmax", "min", "max")
qr = named("linalg_qr", "Q", "R")
eigh = named("linalg_eigh", "eigenvalues", "eigenvectors")
slogdet = named("linalg_slogdet", "sign", "logabsdet")
svd = named("linalg_svd", "U", "S", "Vh")
frexp = named("frexp", "mantissa", "exponent")
histogram = named("histogram", "hist", "bin_edges")
histogramdd = named("histogramdd", "hist", "bin_edges")
legacy_qr = named("qr", "Q", "R")
geqrf = named("geqrf", "a", "tau")
legacy_svd = named("svd", "U", "S", "V")
triangular_solve = named("triangular_solve", "solution", "cloned_coefficient")
cholesky_ex = named("linalg_cholesky_ex", "L", "info")
inv_ex = named("linalg_inv_ex", "inverse", "info")
solve_ex = named("linalg_solve_ex", "result", "info")
lu = named("linalg_lu", "P", "L", "U")
lu_unpack = named("lu_unpack", "P", "L", "U")
lu_factor = named("linalg_lu_factor", "LU", "pivots")
lu_factor_ex = named("linalg_lu_factor_ex", "LU", "pivots", "info")
ldl_factor = named("linalg_ldl_factor", "LD", "pivots")
ldl_factor_ex = named("linalg_ldl_factor_ex", "LD", "pivots", "info")
eig = named("linalg_eig", "eigenvalues", "eigenvectors")
lstsq = named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")

TUPLES = {kind.__name__: kind for kind in list(globals().values()) if isinstance(kind, type)}
