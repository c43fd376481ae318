"""autograd.scipy.stats.norm: the normal distribution."""

import scipy.stats as _stats

from .....scipy.stats import norm as _ours
from ..._impl.missing import refusing as _refusing
from ..._impl.wrapping import adapted as _adapted

pdf = _adapted(_stats.norm.pdf, _ours.pdf)
cdf = _adapted(_stats.norm.cdf, _ours.cdf)
sf = _adapted(_stats.norm.sf, _ours.sf)
logpdf = _adapted(_stats.norm.logpdf, _ours.logpdf)
logcdf = _adapted(_stats.norm.logcdf, _ours.logcdf)
logsf = _adapted(_stats.norm.logsf, _ours.logsf)

_refusing("scipy.stats.norm")
