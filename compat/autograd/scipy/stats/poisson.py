"""autograd.scipy.stats.poisson: the Poisson distribution."""

import scipy.stats as _stats

from .....scipy.stats import poisson as _ours
from ..._impl.missing import refusing as _refusing
from ..._impl.wrapping import adapted as _adapted

cdf = _adapted(_stats.poisson.cdf, _ours.cdf)
logpmf = _adapted(_stats.poisson.logpmf, _ours.logpmf)
pmf = _adapted(_stats.poisson.pmf, _ours.pmf)

_refusing("scipy.stats.poisson")
