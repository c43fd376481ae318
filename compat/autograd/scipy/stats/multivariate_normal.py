"""autograd.scipy.stats.multivariate_normal: the normal distribution of vectors."""

import math as _math

import numpy as _np
import scipy.stats as _stats

from ..... import numpy as _cnp
from .....scipy.stats import multivariate_normal as _ours
from ..._impl.missing import refusing as _refusing
from ..._impl.wrapping import adapted as _adapted


def _traced_logpdf(x, mean=None, cov=1, allow_singular=False):
    x = _cnp.asarray(x)
    if not allow_singular:
        return _ours.logpdf(x, 0.0 if mean is None else mean, cov)
    # On the support: the pseudo-inverse and the product of the eigenvalues that are not 0, by SciPy's cut.
    cov = _cnp.asarray(cov)
    shift = x if mean is None else x - mean
    values, vectors = _cnp.linalg.eigh(cov)
    cut = 1e6 * _np.finfo(float).eps * _cnp.max(_cnp.abs(values))
    kept = values > cut
    size = _cnp.sum(_cnp.where(kept, _cnp.log(_cnp.where(kept, values, 1.0)), 0.0))
    solved = shift @ _cnp.linalg.pinv(cov, hermitian=True)
    return -0.5 * (_cnp.sum(solved * shift, axis=-1) + size + _np.sum(kept) * _math.log(2.0 * _math.pi))


def _traced_pdf(x, mean=None, cov=1, allow_singular=False):
    return _cnp.exp(_traced_logpdf(x, mean, cov, allow_singular))


def _traced_entropy(mean=None, cov=1):
    cov = _cnp.atleast_2d(cov)
    return 0.5 * (_cnp.linalg.slogdet(cov)[1] + cov.shape[-1] * (1.0 + _math.log(2.0 * _math.pi)))


pdf = _adapted(_stats.multivariate_normal.pdf, _traced_pdf)
logpdf = _adapted(_stats.multivariate_normal.logpdf, _traced_logpdf)
entropy = _adapted(_stats.multivariate_normal.entropy, _traced_entropy)

_refusing("scipy.stats.multivariate_normal")
