"""The CuPy backend: looked up when the user has imported CuPy, never imported first."""

from types import SimpleNamespace

import numpy as np

from ..core.backend import Backend, register_backend


def _namespace(cupy):
    """CuPy with the few names that NumPy 2 has and CuPy lacks."""
    names = {name: getattr(cupy, name) for name in dir(cupy) if not name.startswith("__")}
    for new, old in (("concat", "concatenate"), ("permute_dims", "transpose"), ("asin", "arcsin"), ("acos", "arccos")):
        names.setdefault(new, names.get(old))
    names["dtype"] = np.dtype
    return SimpleNamespace(**names)


CUPY = register_backend(
    Backend(
        name="cupy",
        module="cupy",
        array_types=lambda module: (module.ndarray,),
        namespace=_namespace,
        to_numpy=lambda array: array.get(),
    )
)
