"""The named tuples that operations with several answers return."""

from collections import namedtuple


def named(name, *fields):
    """A named tuple that prints as torch's."""
    kind = namedtuple(name, fields)

    def __repr__(self):  # noqa: N807
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{f}={getattr(self, f)!r}" for f in fields) + ")"

    kind.__repr__ = __repr__
    kind.__module__ = "torch.return_types"
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
