"""SciPy's special ufuncs by the names that they have there."""

from ..arithmetic import expm1, log1p
from ..elementary import cbrt, exp2, sigmoid
from . import bessel_orders as bessel_orders
from .bessel import i0, i0e, i1, i1e, j0, j1, k0, k0e, k1, k1e, y0, y1
from .bessel_orders import iv, ive, jv, kv, kve, yn, yv
from .box_cox import boxcox, boxcox1p, inv_boxcox, inv_boxcox1p
from .elliptic import ellipe, ellipeinc, ellipk, ellipkinc, ellipkm1, hyp0f1, hyp1f1, hyp2f1, hyperu
from .entropies import entr, kl_div, log_expit, logit, rel_entr, xlog1py, xlogy
from .error_function import erf, erfc
from .gamma_functions import beta, betaln, binom, digamma, gamma, gammaln, gammasgn, loggamma, poch, rgamma
from .incomplete import betainc, gammainc, gammaincc
from .integrals import dawsn, exp1, expi, expn, exprel, owens_t, spence
from .normal_distribution import erfcinv, erfcx, erfinv, log_ndtr, ndtr, ndtri, ndtri_exp
from .plane import erfi, voigt_profile, wofz, wrightomega
from .quantiles import betaincinv, chdtri, fdtri, gammainccinv, gammaincinv, stdtr, stdtrit
from .tails import TAILS

SPECIAL = {
    "gamma": gamma, "gammaln": gammaln, "psi": digamma, "beta": beta, "betaln": betaln, "gammainc": gammainc,
    "gammaincc": gammaincc, "betainc": betainc, "erf": erf, "erfc": erfc, "erfcx": erfcx, "erfinv": erfinv,
    "erfcinv": erfcinv, "ndtr": ndtr, "ndtri": ndtri, "log_ndtr": log_ndtr, "logit": logit, "expit": sigmoid,
    "log_expit": log_expit, "xlogy": xlogy, "xlog1py": xlog1py, "entr": entr, "j0": j0, "j1": j1, "y0": y0, "y1": y1,
    "i0": i0, "i1": i1, "i0e": i0e, "i1e": i1e, "k0": k0, "k1": k1,
    "k0e": k0e, "k1e": k1e, "rel_entr": rel_entr, "kl_div": kl_div, "exp2": exp2, "expm1": expm1,
    "log1p": log1p, "cbrt": cbrt, "rgamma": rgamma, "gammasgn": gammasgn, "jv": jv, "yv": yv, "yn": yn, "iv": iv,
    "ive": ive, "kv": kv, "kve": kve, "gammaincinv": gammaincinv, "gammainccinv": gammainccinv,
    "betaincinv": betaincinv, "exp1": exp1, "expi": expi, "expn": expn, "exprel": exprel, "dawsn": dawsn,
    "spence": spence, "owens_t": owens_t, "hyp1f1": hyp1f1, "hyp2f1": hyp2f1,
    "stdtr": stdtr, "stdtrit": stdtrit, "loggamma": loggamma, "poch": poch, "binom": binom, "ellipk": ellipk,
    "ellipe": ellipe, "ellipkm1": ellipkm1, "ellipkinc": ellipkinc, "ellipeinc": ellipeinc, "hyp0f1": hyp0f1,
    "hyperu": hyperu, "wofz": wofz, "wrightomega": wrightomega, "erfi": erfi, "voigt_profile": voigt_profile,
    "boxcox": boxcox, "boxcox1p": boxcox1p, "inv_boxcox": inv_boxcox, "inv_boxcox1p": inv_boxcox1p,
    "ndtri_exp": ndtri_exp, "chdtri": chdtri, "fdtri": fdtri,
} | TAILS  # fmt: skip
