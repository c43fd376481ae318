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
from .combinatorics import (
    bernoulli as bernoulli,
    binom as binom,
    comb as comb,
    loggamma as loggamma,
    perm as perm,
    poch as poch,
)
from .elliptic import (
    ellipe as ellipe,
    ellipeinc as ellipeinc,
    ellipk as ellipk,
    ellipkinc as ellipkinc,
    ellipkm1 as ellipkm1,
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
from .plane import (
    erfi as erfi,
    lambertw as lambertw,
    sph_harm_y as sph_harm_y,
    voigt_profile as voigt_profile,
    wofz as wofz,
    wrightomega as wrightomega,
)
from .quantiles import (
    betaincinv as betaincinv,
    gammainccinv as gammainccinv,
    gammaincinv as gammaincinv,
    stdtr as stdtr,
    stdtrit as stdtrit,
)
from .spherical import (
    airy as airy,
    hyp0f1 as hyp0f1,
    hyperu as hyperu,
    shichi as shichi,
    spherical_in as spherical_in,
    spherical_jn as spherical_jn,
    spherical_kn as spherical_kn,
    spherical_yn as spherical_yn,
)
from .sums import log_softmax as log_softmax, logsumexp as logsumexp, softmax as softmax
from .tails import (
    betaincc as betaincc,
    chdtr as chdtr,
    chdtrc as chdtrc,
    chdtri as chdtri,
    cosm1 as cosm1,
    exp10 as exp10,
    fdtr as fdtr,
    fdtrc as fdtrc,
    fdtri as fdtri,
    gdtr as gdtr,
    gdtrc as gdtrc,
    huber as huber,
    inv_boxcox as inv_boxcox,
    inv_boxcox1p as inv_boxcox1p,
    ndtri_exp as ndtri_exp,
    pdtr as pdtr,
    pdtrc as pdtrc,
    pseudo_huber as pseudo_huber,
)
