"""`scipy.special` on arrays and traced arrays: its names, signatures and values, computed by SciPy.

SciPy is an optional dependency: `pip install covector[scipy]`. SciPy's own ufuncs also accept traced values.
"""

from .bessel import (
    i0 as i0,
    i0e as i0e,
    i1 as i1,
    i1e as i1e,
    j0 as j0,
    j1 as j1,
    k0 as k0,
    k0e as k0e,
    k1 as k1,
    k1e as k1e,
    y0 as y0,
    y1 as y1,
)
from .bessel_orders import (
    iv as iv,
    ive as ive,
    jn as jn,
    jv as jv,
    kv as kv,
    kve as kve,
    yn as yn,
    yv as yv,
)
from .error_functions import (
    erf as erf,
    erfc as erfc,
    erfcinv as erfcinv,
    erfcx as erfcx,
    erfinv as erfinv,
    log_ndtr as log_ndtr,
    ndtr as ndtr,
    ndtri as ndtri,
)
from .gamma_functions import (
    beta as beta,
    betainc as betainc,
    betaln as betaln,
    boxcox as boxcox,
    boxcox1p as boxcox1p,
    digamma as digamma,
    factorial as factorial,
    gamma as gamma,
    gammainc as gammainc,
    gammaincc as gammaincc,
    gammaln as gammaln,
    gammasgn as gammasgn,
    multigammaln as multigammaln,
    polygamma as polygamma,
    psi as psi,
    rgamma as rgamma,
    zeta as zeta,
)
from .integrals import (
    dawsn as dawsn,
    exp1 as exp1,
    expi as expi,
    expn as expn,
    exprel as exprel,
    fresnel as fresnel,
    hyp1f1 as hyp1f1,
    hyp2f1 as hyp2f1,
    owens_t as owens_t,
    sici as sici,
    spence as spence,
)
from .odds import (
    entr as entr,
    expit as expit,
    kl_div as kl_div,
    log_expit as log_expit,
    logit as logit,
    rel_entr as rel_entr,
    sinc as sinc,
    xlog1py as xlog1py,
    xlogy as xlogy,
)
from .quantiles import (
    betaincinv as betaincinv,
    gammainccinv as gammainccinv,
    gammaincinv as gammaincinv,
    stdtr as stdtr,
    stdtrit as stdtrit,
)
from .sums import log_softmax as log_softmax, logsumexp as logsumexp, softmax as softmax
