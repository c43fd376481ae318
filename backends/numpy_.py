"""The NumPy backend."""

import numpy as np

from ..core.backend import Backend, register_backend

NUMPY = register_backend(
    Backend(
        name="numpy",
        module="numpy",
        array_types=lambda module: (module.ndarray, module.generic),
        namespace=lambda module: module,
        to_numpy=np.asarray,
    )
)
