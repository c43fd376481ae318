"""autograd.scipy.stats.dirichlet: the Dirichlet distribution."""

import scipy.stats as _stats

from .....scipy.stats import dirichlet as _ours
from ..._impl.missing import refusing as _refusing
from ..._impl.wrapping import adapted as _adapted

pdf = _adapted(_stats.dirichlet.pdf, _ours.pdf)
logpdf = _adapted(_stats.dirichlet.logpdf, _ours.logpdf)
rvs = _stats.dirichlet.rvs

_refusing("scipy.stats.dirichlet")
