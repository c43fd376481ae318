"""The NumPy backend; its special functions are SciPy's, loaded when one is first needed."""

import numpy as np

from ..core.arrays.backend import Backend, register_backend


def _special():
    """`scipy.special`, the one use of the optional extra `scipy`. The statement waits for a thread that loads it."""
    import scipy.special

    return scipy.special


NUMPY = register_backend(
    Backend(
        name="numpy",
        module="numpy",
        array_types=lambda module: (module.ndarray, module.generic),
        namespace=lambda module: module,
        to_numpy=np.asarray,
        special=_special,
    )
)
