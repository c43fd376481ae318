"""Messages about what a function returned and where axes go: what happened, what was given, what to do."""

import operator
from dataclasses import dataclass

import numpy as np
import pytest

import covector as cv

X = np.arange(3.0)


def custom_vjp(fwd, bwd):
    f = cv.custom_vjp(lambda x: x * 2.0)
    f.defvjp(fwd, bwd)
    return f


def custom_jvp(rule):
    f = cv.custom_jvp(lambda x: x * 2.0)
    f.defjvp(rule)
    return f


@dataclass
class Pair:
    x: object
    y: object = None


class Plain:
    def __init__(self, x):
        self.x = x


CASES = {
    "a dataclass as argument": (TypeError, lambda: cv.grad(lambda p: p.x.sum())(Pair(X)),
                                r"of type Pair; exclude.*register its class with covector\.tree\.register_dataclass,"),
    "a dataclass as result": (TypeError, lambda: cv.vmap(Pair)(X), r"of type Pair; .*tree\.register_dataclass, or"),
    "an object as result": (TypeError, lambda: cv.jvp(Plain, (X,), (X,)), r"of type Plain; .*tree\.register,"),
    "an object as argument": (TypeError, lambda: cv.vmap(lambda p: p.x)(Plain(X)), r"of type Plain; .*tree\.register,"),
    "a shape that is set": (AttributeError, lambda: cv.grad(lambda x: setattr(x, "shape", (3, 1)))(X),
                            r"shape was set to \(3, 1\).*f64\[3\].*write x = x\.reshape\(\(3, 1\)\)"),
    "a shape of a buffer that is set": (AttributeError, lambda: cv.grad(lambda x: setattr(x.copy(), "shape", 3))(X),
                                        r"shape was set to 3.*write x = x\.reshape\(3\)"),
    "a number as a library takes it": (TypeError, lambda: cv.grad(operator.methodcaller("__float__"))(1.0),
                                       r"converted to a Python float.*covector\.scipy for SciPy's functions"),
    "a value looked up in a set": (TypeError, lambda: cv.grad(lambda x: x if x in {1.0} else -x)(1.0),
                                   r"\(f64\[\]\) was hashed.*another.*use np\.where.*test_messages"),
    "a batched value as a key": (TypeError, lambda: cv.vmap(lambda x: {x: x}[x])(X), r"was hashed.*key it by id\(x\)"),
    "a staged value in a set": (TypeError, lambda: cv.jit(lambda x: x * len({x, 1.0}))(1.0), r"was hashed.*a list"),
    "a buffer as a key": (TypeError, lambda: cv.grad(lambda x: hash(x.copy()))(X), r"\(f64\[3\]\) was hashed"),
    "out_axes that is no int": (TypeError, lambda: cv.vmap(lambda x: x, out_axes=1.5)(X),
                                r"1\.5 in out_axes.*out_axes=0"),
    "out_axes by name": (TypeError, lambda: cv.vmap(lambda x: x, out_axes="a")(X), r"'a' in out_axes.*out_axes=0"),
    "in_axes that is no int": (TypeError, lambda: cv.vmap(lambda x: x, in_axes=(0.0,))(X),
                               r"0\.0 in in_axes.*in_axes=0"),
    "axes for other pytrees": (ValueError, lambda: cv.vmap(lambda x: x, out_axes=(0, 1))(X),
                                  r"out_axes=\(0, 1\).*not a prefix.*one axis for a subtree"),
    "a text as result": (TypeError, lambda: cv.vmap(lambda x: "text")(X),
                         r"one result is 'text' of type str.*out_axes=None"),
    "a text as argument": (TypeError, lambda: cv.vmap(lambda x, s: x)(X, "text"), r"'text' of type str.*in_axes=None"),
    "one value for a pair": (TypeError, lambda: cv.grad(lambda x: x, has_aux=True)(1.0),
                             r"pair \(out, aux\).*one value \(f64\[\]\).*drop has_aux"),
    "an int for jvp": (TypeError, lambda: cv.jvp(lambda x: x, (2,), (1.0,)), r"primal 0 is 2.*close over it"),
    "an int for vjp": (TypeError, lambda: cv.vjp(lambda x, n: x, X, 2), r"argument 1 is 2.*close over it"),
    "a rule without a pair": (TypeError, lambda: cv.grad(custom_jvp(lambda p, t: t[0]))(1.0),
                              r"\(out, tangent_out\).*returned.*return the pair"),
    "fwd without a pair": (TypeError, lambda: cv.grad(custom_vjp(lambda x: x, lambda _, ct: (ct,)))(1.0),
                           r"\(out, residuals\).*returned.*None for no residuals"),
    "bwd without a tuple": (TypeError, lambda: cv.grad(custom_vjp(lambda x: (x, None), lambda _, ct: ct))(1.0),
                            r"tuple of 1.*returned.*return \(ct,\)"),
    "lengths of scan": (ValueError, lambda: cv.scan(lambda c, x: (c, x), 0.0, X, length=2),
                        r"\(3,\).*length=2.*leave length out"),
    "a cotangent of another shape": (ValueError, lambda: cv.linear_transpose(lambda x: 2 * x, X)(np.ones(2)),
                                     r"transposed function.*\(3,\).*\(2,\); reshape"),
    "a cotangent in another pytree": (ValueError, lambda: cv.linear_transpose(lambda x: (x, x), X)(X),
                                         r"transposed function needs a cotangent with the structure"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_happened_what_was_given_and_what_to_do(name):
    kind, run, pattern = CASES[name]
    with pytest.raises(kind, match=pattern) as caught:
        run()
    assert "test_messages.py" in str(caught.value)
