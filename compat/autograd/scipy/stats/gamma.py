"""autograd.scipy.stats.gamma: the gamma distribution."""

import scipy.stats as _stats

from .....scipy.stats import gamma as _ours
from ..._impl.missing import refusing as _refusing
from ..._impl.wrapping import adapted as _adapted

cdf = _adapted(_stats.gamma.cdf, _ours.cdf)
logpdf = _adapted(_stats.gamma.logpdf, _ours.logpdf)
pdf = _adapted(_stats.gamma.pdf, _ours.pdf)

_refusing("scipy.stats.gamma")
