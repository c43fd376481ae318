"""autograd.scipy: SciPy's functions on traced values."""

from . import integrate as integrate, linalg as linalg, signal as signal, special as special, stats as stats
