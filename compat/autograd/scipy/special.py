"""autograd.scipy.special: SciPy's special functions on traced values."""

import scipy.special as _special

from ....scipy import special as _ours
from .._impl.missing import refusing as _refusing
from .._impl.wrapping import wrap_namespace as _wrap_namespace

_wrap_namespace({name: getattr(_special, name) for name in dir(_special) if name[:1] != "_"}, globals(), _ours)

_refusing("scipy.special")
