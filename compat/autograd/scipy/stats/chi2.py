"""autograd.scipy.stats.chi2: the chi-squared distribution."""

import scipy.stats as _stats

from .....scipy.stats import chi2 as _ours
from ..._impl.missing import refusing as _refusing
from ..._impl.wrapping import adapted as _adapted

cdf = _adapted(_stats.chi2.cdf, _ours.cdf)
logpdf = _adapted(_stats.chi2.logpdf, _ours.logpdf)
pdf = _adapted(_stats.chi2.pdf, _ours.pdf)

_refusing("scipy.stats.chi2")
