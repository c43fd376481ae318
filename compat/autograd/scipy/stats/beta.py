"""autograd.scipy.stats.beta: the beta distribution."""

import scipy.stats as _stats

from .....scipy.stats import beta as _ours
from ..._impl.missing import refusing as _refusing
from ..._impl.wrapping import adapted as _adapted

cdf = _adapted(_stats.beta.cdf, _ours.cdf)
logpdf = _adapted(_stats.beta.logpdf, _ours.logpdf)
pdf = _adapted(_stats.beta.pdf, _ours.pdf)

_refusing("scipy.stats.beta")
