"""autograd.differential_operators: gradients, Jacobians, Hessians and products with them."""

import inspect
import warnings
from collections import OrderedDict

import numpy as np

from .... import checkpoint as _checkpoint, jacrev as _jacrev, numpy as cnp
from .core import make_jvp as _make_jvp, make_vjp as _make_vjp, tell, vjp_and_aux, vspace
from .values import depends, prepared
from .wrap_util import unary_to_nary, wraps

make_vjp = unary_to_nary(_make_vjp)
make_jvp = unary_to_nary(_make_jvp)


@unary_to_nary
def grad(fun, x):
    """Return a function that computes the gradient of `fun`, which returns one real number, in an array of any shape.

    `grad(fun, argnum=0)`: `argnum` is the position of an argument, or a tuple or list of positions.
    """
    return _pulled(fun, x, "Grad")[1]


@unary_to_nary
def value_and_grad(fun, x):
    """Return a function that computes `(value, gradient)`."""
    return _pulled(fun, x, "value_and_grad")


def _pulled(fun, x, name):
    vjp, ans = _make_vjp(fun, x)
    space = vspace(ans)
    if space.size != 1:
        raise TypeError(f"{name} only applies to real scalar-output functions, but this one returned "
                        f"{_described(ans)}. Try jacobian, elementwise_grad or holomorphic_grad.")
    return ans, vjp(space.ones())


def _described(ans):
    return f"shape {np.shape(ans)} and dtype {ans.dtype}" if hasattr(ans, "dtype") else f"a {type(ans).__name__}"


@unary_to_nary
def elementwise_grad(fun, x):
    """Return a function that computes the sum of each column of the Jacobian in one pass."""
    vjp, ans = _make_vjp(fun, x)
    if vspace(ans).iscomplex:
        raise TypeError("Elementwise_grad only applies to real-output functions, but this one returned "
                        f"{_described(ans)}. Try jacobian of its real and imaginary parts.")
    return vjp(vspace(ans).ones())


@unary_to_nary
def deriv(fun, x):
    """Return a function that computes the directional derivative along ones, in forward mode."""
    return _make_jvp(fun, x)(vspace(x).ones())[1]


@unary_to_nary
def jacobian(fun, x):
    """Return a function that computes the Jacobian, of shape `output shape + input shape`, in one batched sweep."""
    seen = []

    def run(x):
        out = fun(x)
        seen.append(depends(out, x))
        return _array(out)

    found = _jacrev(run)(prepared(x, "jacobian"))
    tell(seen)
    return found


def _array(out):
    return cnp.asarray(out) if isinstance(out, list | float | int) else out


@unary_to_nary
def holomorphic_grad(fun, x):
    """Return a function that computes the derivative of a complex-differentiable function."""
    if not vspace(x).iscomplex:
        warnings.warn("Input to holomorphic_grad is not complex", stacklevel=3)
    return grad(lambda x: cnp.real(fun(x)))(x)


def grad_named(fun, argname):
    """The gradient with respect to the argument of a name."""
    return grad(fun, inspect.getfullargspec(fun).args.index(argname))


@unary_to_nary
def hessian(fun, x):
    """Return a function that computes the Hessian, the Jacobian of the Jacobian."""
    return jacobian(jacobian(fun))(x)


@unary_to_nary
def make_hvp(fun, x):
    """Return a function that computes `(hvp, gradient)`; `hvp(v)` is the product of the Hessian with `v`."""
    return _make_vjp(grad(fun), x)


def hessian_tensor_product(fun, argnum=0):
    """Return a function of `(*args, v)` that computes the product of the Hessian with `v`."""
    gradient = grad(fun, argnum)

    def vector_dot_grad(*args, **kwargs):
        *args, vector = args
        return cnp.tensordot(gradient(*args, **kwargs), vector, np.ndim(vector))

    return grad(vector_dot_grad, argnum)


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun, argnum=0):
    """Return a function of `(*args, v)` that computes the product of `v` with the Jacobian."""

    def vector_dot_fun(*args, **kwargs):
        *args, vector = args
        return cnp.tensordot(vector, fun(*args, **kwargs), axes=np.ndim(vector))

    return jacobian(vector_dot_fun, argnum)


vector_jacobian_product = tensor_jacobian_product


@unary_to_nary
def make_jvp_reversemode(fun, x):
    """Return a function that computes `jvp`, products of the Jacobian with tangents, by reverse mode applied twice."""
    vjp, y = _make_vjp(fun, x)
    return _make_vjp(vjp, vspace(y).zeros())[0]


def make_ggnvp(f, g=lambda x: 1.0 / 2 * cnp.sum(x**2, axis=-1), f_argnum=0):
    """Return a function that computes `ggnvp(v)`, products with the generalised Gauss–Newton matrix of `g(f(x))`."""

    @unary_to_nary
    def _make_ggnvp(f, x):
        f_vjp, f_x = _make_vjp(f, x)
        g_hvp, grad_g_x = _make_vjp(grad(g), f_x)
        f_jvp, _ = _make_vjp(f_vjp, vspace(grad_g_x).zeros())
        return lambda v: f_vjp(g_hvp(f_jvp(v)))

    return _make_ggnvp(f, f_argnum)


@unary_to_nary
def grad_and_aux(fun, x):
    """Return a function that computes `(gradient, aux)` of a function that returns `(scalar, aux)`."""
    vjp, ans, aux = vjp_and_aux(fun, x)
    return vjp(vspace(ans).ones()), aux


def multigrad_dict(fun):
    """Return a function that computes gradients with respect to all arguments, as a dict by their names."""
    parameters = inspect.signature(fun).parameters

    def gradfun(*args, **kwargs):
        bound = inspect.signature(fun).bind(*args, **kwargs)
        bound.apply_defaults()
        names = list(bound.arguments)

        def of_dict(values):
            positional, named = [], {}
            for name in names:
                kind = parameters[name].kind
                if kind is inspect.Parameter.VAR_POSITIONAL:
                    positional += values[name]
                elif kind is inspect.Parameter.VAR_KEYWORD:
                    named.update(values[name])
                elif kind is inspect.Parameter.KEYWORD_ONLY:
                    named[name] = values[name]
                else:
                    positional.append(values[name])
            return fun(*positional, **named)

        found = grad(of_dict)(dict(bound.arguments))
        return OrderedDict((name, found[name]) for name in names)

    return gradfun


def checkpoint(fun):
    """A function that computes what `fun` does, and computes it again in the backward pass instead of saving it."""
    return wraps(fun)(_checkpoint(fun))
