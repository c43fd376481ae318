"""The distributions of scipy.stats on traced values: SciPy's functions, and covector's of what is traced."""

import scipy.stats

from ....scipy import stats
from .wrapping import adapted


def functions(name, words):
    """Some functions of a distribution, by name."""
    theirs, ours = getattr(scipy.stats, name), getattr(stats, name)
    return {word: adapted(getattr(theirs, word), getattr(ours, word)) for word in words.split()}


BETA = functions("beta", "cdf logpdf pdf")
CHI2 = functions("chi2", "cdf logpdf pdf")
DIRICHLET = functions("dirichlet", "pdf logpdf") | {"rvs": scipy.stats.dirichlet.rvs}
GAMMA = functions("gamma", "cdf logpdf pdf")
NORM = functions("norm", "pdf cdf sf logpdf logcdf logsf")
POISSON = functions("poisson", "cdf logpmf pmf")
T = functions("t", "pdf cdf logpdf logcdf")
