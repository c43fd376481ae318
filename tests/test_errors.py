"""Messages say what happened, what was given and what to do, and name the user's line."""

import ast
import copy
import math
import re
from pathlib import Path

import numpy as np
import pytest

import covector as cv
from covector import nn
from covector.core import errors

ROOT = Path(__file__).resolve().parent.parent
X = np.arange(1.0, 5.0)


def write_into_plain(x):
    y = np.zeros(4)
    y += x
    return y.sum()


def write_inner_into_outer(x):
    buffer = np.zeros_like(x)

    def inner(y):
        buffer[0] = y[1]
        return y.sum()

    cv.grad(inner)(x)
    return buffer.sum()


def write_in_branch(x):
    buf = np.zeros_like(x)
    return cv.cond(x[0] > 0, lambda: buf.fill(1.0), lambda: None)


CASES = [
    ("grad of a vector", ValueError, lambda: cv.grad(lambda x: x * 2)(X), r"scalar.*\(4,\).*\.sum\(\).*jacobian"),
    ("grad of an int", TypeError, lambda: cv.grad(lambda x: x * 2.0)(3), r"floating.*3.*int64.*float\(3\)"),
    ("grad of int arrays", TypeError, lambda: cv.grad(np.sum)(np.arange(3)), r"shape \(3,\).*int64.*astype"),
    ("complex answer", TypeError, lambda: cv.grad(lambda z: z * z)(1j), r"real output.*complex128.*holomorphic=True"),
    ("no function", TypeError, lambda: cv.grad(3.0), r"needs a function.*3\.0.*grad\(f\)\(x\)"),
    ("argnums", TypeError, lambda: cv.grad(lambda x: x, argnums=2)(2.0), r"argument 2.*1 positional.*argnums"),
    ("math.exp", TypeError, lambda: cv.grad(lambda x: math.exp(x))(3.0), r"Python float.*np\.exp"),
    ("np.array", TypeError, lambda: cv.grad(lambda x: np.array([x[0], x[1]]).sum())(X), r"np\.stack"),
    ("deepcopy", TypeError, lambda: cv.grad(copy.deepcopy)(3.0), r"deep-copied.*stop_gradient"),
    ("+= into plain", TypeError, lambda: cv.grad(write_into_plain)(X), r"plain array.*zeros_like"),
    ("inner into outer", TypeError, lambda: cv.grad(write_inner_into_outer)(X), r"inner grad.*inside"),
    ("write in a branch", TypeError, lambda: cv.jit(write_in_branch)(X), r"made outside of it.*write to a copy"),
    ("bool under vmap", TypeError, lambda: cv.vmap(lambda x: x if x > 0 else -x)(X), r"vmap.*np\.where.*cond"),
    ("length of a number", TypeError, lambda: cv.grad(lambda x: sum(x))(3.0),
     r"len\(\).*no axis.*reshape.*test_errors"),
    ("plain array at a traced place", TypeError, lambda: cv.vmap(lambda i: X[i])(np.arange(2)),
     r"i64\[\], vmap.*one value per example.*covector\.numpy\.asarray\(a\)\[t\]"),
    ("vmap sizes", ValueError, lambda: cv.vmap(lambda a, b: a + b)(X, X[:3]),
     r"one length.*4 \(argument 0 of.*3 \(argument 1 of.*in_axes"),
    ("vmap in_axes", ValueError, lambda: cv.vmap(lambda a, b: a, in_axes=(0,))(X, X), r"in_axes.*2 arguments.*\(0,\)"),
    ("vmap of a number", ValueError, lambda: cv.vmap(lambda a, b: a)(X, 2.0), r"axis 0 of argument 1 of.*in_axes=None"),
    ("vmap of a leaf by name", ValueError, lambda: cv.vmap(lambda x, y: x)(X, y={"a": X[0], "b": X}),
     r"axis 0 of a leaf of argument 'y' of shape \(\).*in_axes=None"),
    ("vmap of no such axis", ValueError, lambda: cv.vmap(lambda a: a, in_axes=2)(X), r"axis 2 of argument 0.*below 1"),
    ("nothing mapped", ValueError, lambda: cv.vmap(lambda a: a, in_axes=None)(X), r"nothing to map.*axis_size"),
    ("axis name", NameError, lambda: cv.psum(X, "i"), r"'i'.*axis_name='i'"),
    ("jvp tuple", TypeError, lambda: cv.jvp(np.sin, 1.0, 1.0), r"tuples.*float.*jvp\(f, \(x,\), \(dx,\)\)"),
    ("jvp shape", ValueError, lambda: cv.jvp(np.sin, (X,), (X[:2],)), r"tangent 0.*\(4,\).*\(2,\)"),
    ("cotangent shape", ValueError, lambda: cv.vjp(np.sin, X)[1](X[:2]), r"\(4,\).*\(2,\)"),
    ("unknown ufunc", NotImplementedError, lambda: cv.grad(lambda x: np.isnat(x))(3.0), r"numpy\.isnat.*primitive"),
    ("ufunc of another library", NotImplementedError, lambda: cv.grad(np.frompyfunc(abs, 1, 1))(3.0),
     r"the ufunc abs.*has no derivative.*listed in the docs"),
    ("unknown function", NotImplementedError, lambda: cv.grad(lambda x: np.packbits(x).sum())(X), r"numpy\.packbits"),
    ("custom_jvp", NotImplementedError, lambda: cv.custom_jvp(np.sin)(1.0), r"no rule.*defjvp"),
    ("staged if", TypeError, lambda: cv.make_graph(lambda x: x if x > 0 else -x)(1.0), r"not known.*np\.where.*cond"),
    ("host_callback", NotImplementedError,
     lambda: cv.grad(lambda x: cv.host_callback(np.sin, cv.ShapeDtype(()), x))(1.0), r"no derivative.*custom_jvp"),
    ("hessian of a vector", ValueError, lambda: cv.hessian(lambda x: x * 2)(X), r"^hessian needs a scalar.*\(4,\)"),
    ("hvp of an array", TypeError, lambda: cv.hvp(np.sum, X, X), r"^hvp needs tuples.*ndarray.*hvp\(f, \(x,\)"),
    ("hvp of a vector", ValueError, lambda: cv.hvp(np.sin, (X,), (X,)), r"^hvp needs a scalar.*\(4,\).*\.sum\(\)"),
    ("argnums twice", ValueError, lambda: cv.grad(lambda x, y: x, (0, 0))(1.0, 2.0), r"twice.*\(0, 0\).*once"),
    ("call at once", TypeError, lambda: cv.grad(np.sum, X), r"argnums.*array.*grad\(f\)\(x\)"),
    ("Jacobian at once", TypeError, lambda: cv.jacobian(np.sin, 2.0), r"argnums.*2\.0.*jacobian\(f\)\(x\)"),
    ("cond of two shapes", ValueError,
     lambda: cv.vmap(lambda x: cv.cond(x > 0, lambda v: v, lambda v: np.stack([v, v]), x))(X),
     r"equal shapes.*f64\[\] and f64\[2\].*pad"),
    ("float under vmap", TypeError, lambda: cv.vmap(math.exp)(X), r"one value per example.*np\.exp.*in_axes"),
    ("float while staging", TypeError, lambda: cv.make_graph(math.exp)(1.0), r"not known while.*np\.exp.*static"),
    ("index", TypeError, lambda: cv.grad(lambda x: [1.0, 2.0][x])(1.0), r"integer index.*argument that is not"),
    ("text", TypeError, lambda: cv.grad(lambda x: x + "a")(1.0), r"'a' of type str.*np\.asarray"),
    ("random", TypeError, lambda: cv.grad(lambda x: np.random.default_rng(0).normal(x).sum())(X),
     r"numpy array.*scale \* rng\.normal"),
    ("labels of floats", ValueError, lambda: nn.softmax_cross_entropy(np.ones((3, 4)), np.ones(3)),
     r"\(3, 4\).*float64 of shape \(3,\).*astype\(int\)"),
    ("graph, shape", ValueError, lambda: cv.make_graph(np.sin)(X)(X[:2]), r"input 0.*\(4,\).*\(2,\).*another graph"),
    ("graph, dtype", TypeError, lambda: cv.make_graph(np.sin)(X)(X * 1j), r"float64.*complex128.*another graph"),
    ("graph, count", TypeError, lambda: cv.make_graph(np.sin)(X)(X, X), r"graph of 1.*called with 2.*another graph"),
    ("not linear", NotImplementedError, lambda: cv.linear_transpose(np.sin, 1.0), r"sin is not linear.*vjp"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "call", "message"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_message_says_what_happened_what_was_given_and_what_to_do(kind, call, message):
    with pytest.raises(kind, match=message):
        call()


LINES = ["grad of a vector", "math.exp", "+= into plain", "vmap sizes", "axis name", "text", "index"]


@pytest.mark.parametrize("name", LINES)
def test_message_names_the_line_of_the_user(name):
    call = next(c[2] for c in CASES if c[0] == name)
    with pytest.raises(Exception, match=r"test_errors\.py:\d+ in ") as error:
        call()
    assert "site-packages" not in str(error.value)


def raised_messages():
    """`file:line` and text of each message that names the user's line; what is put in is shown as {}."""
    for folder in ("core", "transforms", "backends", "api"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                    message = node.exc.args[0]
                    parts = message.values if isinstance(message, ast.JoinedStr) else [message]
                    text = "".join(str(p.value) if isinstance(p, ast.Constant) else ast.unparse(p) for p in parts)
                    if "at_user_line()" in text:
                        yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def test_every_message_that_names_the_line_says_what_to_do():
    messages = dict(raised_messages())
    assert len(messages) > 300
    assert not [where for where, text in messages.items() if "; " not in text and ": use" not in text]


def test_an_escaped_value_is_refused():
    kept = []
    cv.grad(lambda x: (kept.append(x), x)[1])(1.0)
    with pytest.raises(RuntimeError, match=r"finished.*has_aux"):
        cv.grad(lambda y: y * kept[0])(1.0)


def assign(target, index, part=lambda x: x):
    def fun(x):
        target[index] = part(x)
        return x.sum()

    return fun


ASSIGNED = {
    "0-d into float": (np.zeros(3), 0, lambda x: x[0]),
    "0-d into int": (np.zeros(3, int), 1, lambda x: x[0]),
    "0-d into complex": (np.zeros(3, complex), 0, lambda x: x.sum()),
    "0-d into two axes": (np.zeros((3, 3)), (0, 1), lambda x: x[0]),
    "0-d into a slice": (np.zeros(4), slice(1, 3), lambda x: x[0]),
    "0-d at an index array": (np.zeros(4), np.array([0, 1]), lambda x: x[0]),
    "1-d into float": (np.zeros(3), 0, lambda x: x),
    "1-d into a row": (np.zeros((3, 4)), 0, lambda x: x),
    "1-d into all": (np.zeros(4), slice(None), lambda x: x),
    "list of traced values": (np.zeros(2), slice(None), lambda x: [x[0], x[1]]),
}
DRIVERS = {
    "grad": lambda f: cv.grad(f)(X),
    "value_and_grad": lambda f: cv.value_and_grad(f)(X),
    "vjp": lambda f: cv.vjp(f, X),
    "jvp": lambda f: cv.jvp(f, (X,), (X,)),
    "vmap": lambda f: cv.vmap(f)(np.stack([X, X])),
    "make_graph": lambda f: cv.make_graph(f)(X),
    "hessian": lambda f: cv.hessian(f)(X),
    "checkpoint": lambda f: cv.grad(cv.checkpoint(f))(X),
}


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("name", ASSIGNED)
def test_assigning_a_traced_value_into_a_plain_array_raises_our_error(driver, name):
    fun = assign(*ASSIGNED[name])
    with pytest.raises(TypeError, match=r"traced value.*zeros_like.*test_errors\.py:\d+ in fun") as caught:
        DRIVERS[driver](fun)
    why = {"vmap": "one value per example", "make_graph": "not known while"}.get(driver, "drop its derivative silently")
    assert type(caught.value).__name__ == "ConversionError" and why in str(caught.value)
    assert any(entry.name == "fun" for entry in caught.traceback)  # the traceback shows the user's line
    assert caught.value.__cause__ is None


def test_a_value_error_of_the_user_stays():
    def fun(x):
        raise ValueError("mine") from KeyError("k")

    for driver in DRIVERS.values():
        with pytest.raises(ValueError, match="mine") as caught:
            driver(fun)
        assert type(caught.value.__cause__) is KeyError


def test_message_names_the_line_that_called_scipy():
    integrate = pytest.importorskip("scipy.integrate", reason="needs SciPy: pip install scipy")
    with pytest.raises(TypeError, match=r"\(at test_errors\.py:\d+ in <lambda>\) \[errors#converted\]$"):
        cv.grad(lambda a: integrate.quad(lambda t: a * t, 0.0, 1.0)[0])(2.0)


def places():
    """What messages may end with: `(class, place)`."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.Explained)]
    return [(kind, place) for kind in kinds if kind is not errors.Explained
            for place in (kind.anchor, *[place for _, place in kind.anchors])]


def test_a_cell_of_a_notebook_is_called_so():
    """Its file is named by a number that says nothing, and changes with each text."""
    source = "\n\ndef loss(x):\n    return float(x)\n\nrun = lambda: cv.grad(loss)(1.0)"
    names = {"cv": cv}
    exec(compile(source, "/tmp/ipykernel_17/854180573.py", "exec"), names)
    with pytest.raises(TypeError, match=r"\(at cell:4 in loss\)"):
        names["run"]()


def test_places_that_messages_end_with_are_in_the_documentation():
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    found = re.split(r"^\(([a-z]+)\)=\n", text, flags=re.MULTILINE)
    sections = dict(zip(found[1::2], found[2::2]))
    assert {place for _, place in places()} == set(sections)
    for place, section in sections.items():
        shown = max(section.find("Traceback"), section.find("[errors#"))
        assert place == "install" or 0 < shown < section.rindex(">>>"), f"{place} shows no error, or no remedy"


@pytest.mark.parametrize("fails, place", [
    (lambda: cv.grad(lambda x: x * 2)(X), "scalar"),
    (lambda: cv.grad(lambda x: x * 2.0)(3), "integer"),
    (lambda: cv.grad(lambda x: math.exp(x))(3.0), "converted"),
    (lambda: cv.vmap(lambda x: x if x > 0 else -x)(X), "branch"),
    (lambda: cv.vmap(lambda i: X[i])(np.arange(2)), "index"),
    (lambda: cv.vmap(lambda a, b: a + b)(X, X[:3]), "axes"),
    (lambda: cv.grad(lambda x: np.packbits(x).sum())(X), "rule"),
])
def test_messages_end_with_the_place_that_explains_them(fails, place):
    with pytest.raises(Exception) as caught:
        fails()
    assert str(caught.value).endswith(f" [errors#{place}]")
    assert errors.words_of(caught.value) == str(caught.value).removesuffix(f" [errors#{place}]")


def test_a_quoted_message_names_its_place_once():
    with pytest.raises(cv.extend.ShapeError) as caught:
        cv.jit(lambda x: cv.make_graph(np.sin)(X)(x[:2]))(X)
    assert str(caught.value).count("[errors#") == 1
