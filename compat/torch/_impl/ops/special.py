"""torch.special and its functions at the top: gamma, error, Bessel and related functions, by covector.scipy.special."""

import numpy as np

from .....extend import REGISTRY, Ambient, Batched, Tracer
from .....scipy import special
from ..dispatch.call import ROWS, Row, attach, floating, inplace_method, invoke, operation
from ..dispatch.layouts import IN_ORDER
from ..dispatch.out_argument import PLAIN, RECORDED
from ..fastpath.lanes import unary
from .elementwise import one, operands

for _name, _primitive in {"lgamma": "gammaln", "digamma": None, "erfinv": None, "i0": None}.items():
    one(_name, _primitive)


def _only_special(name, primitive, node, target=PLAIN):
    """A function of one tensor that torch has in torch.special alone."""
    prim = REGISTRY[primitive]
    row = Row(f"special.{name}", lambda input: prim.fun(floating(input)), node, target=target)
    fast = unary(row, prim, prim.fun)

    def fun(*args, **named):
        return fast(*args) if len(args) == 1 and not named else invoke(row, fun, args, named)

    row.fun = fun
    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"Compute the special function `{name}` of each element."
    fun.row = row
    ROWS[row.name] = row


for _name, _node in {"entr": "SpecialEntrBackward0", "ndtri": "SpecialNdtriBackward0",
                     "log_ndtr": "SpecialLogNdtrBackward0", "erfcx": "SpecialErfcxBackward0",
                     "i0e": "SpecialI0EBackward0", "i1": "SpecialI1Backward0", "i1e": "SpecialI1EBackward0"}.items():
    _only_special(_name, _name, _node)
_only_special("ndtr", "ndtr", "MulBackward1", RECORDED)
for _name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"):  # torch has no derivatives of these
    _only_special(_name, _name[-2:], f"Special{_name.title().replace('_', '')}Backward0", RECORDED)
for _name in ("0", "1"):
    _only_special(f"modified_bessel_i{_name}", f"i{_name}", f"SpecialModifiedBesselI{_name}Backward0", RECORDED)
    _only_special(f"modified_bessel_k{_name}", f"k{_name}", f"SpecialModifiedBesselK{_name}Backward0", RECORDED)
    _only_special(f"scaled_modified_bessel_k{_name}", f"k{_name}e", f"SpecialScaledModifiedBesselK{_name}Backward0",
                  RECORDED)
_only_special("airy_ai", "airy_ai", "SpecialAiryAiBackward0", RECORDED)


@operation("special.zeta", method=False, node="SpecialZetaBackward0", out=RECORDED)
def zeta(input, other):
    """Compute the Hurwitz zeta function."""
    x, q = operands(input, other, floats=True)
    if _carries(x):
        raise NotImplementedError("the derivative for 'zeta' by its first argument is not implemented (nor is it in "
                                  "PyTorch); detach() it")
    return REGISTRY["zeta"].fun(x, q)


def _carries(x):
    """Whether a core value carries a derivative, below a batch axis, too."""
    while isinstance(x, Ambient | Batched):
        if isinstance(x, Ambient) and (x.node is not None or x.tangent is not None):
            return True
        x = x.value
    return isinstance(x, Tracer)


@operation("special.xlog1py", method=False, node="SpecialXlog1PyBackward0")
def xlog1py(input, other):
    """Compute `input * log1p(other)`, which is 0 where `input` is 0."""
    return special.xlog1py(*operands(input, other, floats=True))


@operation("igamma", inplace_form=True)
def igamma(input, other):
    """Compute the regularized lower incomplete gamma function."""
    return special.gammainc(*operands(input, other, floats=True))


@operation("igammac", inplace_form=True)
def igammac(input, other):
    """Compute the regularized upper incomplete gamma function."""
    return special.gammaincc(*operands(input, other, floats=True))


@operation("polygamma", method=False)
def polygamma(n, input):
    """Compute the derivative of order `n` of the digamma function."""
    if type(n) is not int:
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return special.polygamma(n, floating(input))


def _polygamma_method(self, n):
    """`torch.polygamma(n, self)`."""
    return polygamma(n, self)


attach("polygamma", _polygamma_method)
_SWAPPED = Row("polygamma", lambda x, n: polygamma.row.body(n, x), "PolygammaBackward1", checked=False)
attach("polygamma_", inplace_method(_SWAPPED))


@operation("mvlgamma", inplace_form=True, layout=IN_ORDER)
def mvlgamma(input, p):
    """Compute the logarithm of the multivariate gamma function."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    x = floating(input)
    parts = x.reshape((*x.shape, 1)) - np.arange(p, dtype=x.dtype) / 2
    return special.gammaln(parts).sum(axis=-1) + 0.25 * p * (p - 1) * float(np.log(np.pi))


for _alias, _name in {
    "digamma": "digamma", "psi": "digamma", "gammaln": "lgamma", "polygamma": "polygamma", "multigammaln": "mvlgamma",
    "gammainc": "igamma", "gammaincc": "igammac", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "i0": "i0",
    "exp2": "exp2", "expm1": "expm1", "log1p": "log1p", "expit": "sigmoid", "logit": "logit", "sinc": "sinc",
    "round": "round", "xlogy": "xlogy", "logsumexp": "logsumexp", "softmax": "softmax", "log_softmax": "log_softmax",
}.items():  # fmt: skip
    ROWS[f"special.{_alias}"] = ROWS[_name]
