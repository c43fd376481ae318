"""SciPy's functions on arrays and traced arrays alike."""

from . import special as special, stats as stats
