"""SciPy's functions on arrays and traced arrays alike."""

from . import linalg as linalg, sparse as sparse, special as special, stats as stats
