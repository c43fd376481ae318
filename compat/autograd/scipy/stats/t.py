"""autograd.scipy.stats.t: Student's t distribution."""

import scipy.stats as _stats

from .....scipy.stats import t as _ours
from ..._impl.missing import refusing as _refusing
from ..._impl.wrapping import adapted as _adapted

pdf = _adapted(_stats.t.pdf, _ours.pdf)
cdf = _adapted(_stats.t.cdf, _ours.cdf)
logpdf = _adapted(_stats.t.logpdf, _ours.logpdf)
logcdf = _adapted(_stats.t.logcdf, _ours.logcdf)

_refusing("scipy.stats.t")
