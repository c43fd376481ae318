"""SciPy's functions on arrays and traced arrays alike."""

from . import linalg as linalg, signal as signal, special as special, stats as stats
