"""What transforms, loops, rules and containers say of arguments that they cannot take; nothing is written to."""

import numpy as np
import pytest

import covector as cv
from covector import tree
from covector._primitives import At

X, M = np.arange(1.0, 4.0), np.arange(1.0, 7.0).reshape(2, 3)
RAGGED = [[1.0], [1.0, 2.0]]
SHAPE = cv.ShapeDtype(())


def with_bwd(bwd, fwd=lambda x: (x * 2.0, None)):
    f = cv.custom_vjp(lambda x: x * 2.0)
    f.defvjp(fwd, bwd)
    return f


def named(fun):
    return cv.vmap(fun, axis_name="i")(np.ones((3, 3)))


def twice(x):
    return x * 2.0, x * 3.0


CASES = {
    "a number for make_graph": (TypeError, lambda: cv.make_graph(3.0)(X), r"make_graph needs a function.*3\.0"),
    "a number for eval_shape": (TypeError, lambda: cv.eval_shape(3.0, X), r"needs a function.*eval_shape\(f, x\)"),
    "a number for custom_jvp": (TypeError, lambda: cv.custom_jvp(3.0), r"custom_jvp needs a function.*@covector"),
    "a number for custom_vjp": (TypeError, lambda: cv.custom_vjp(3.0), r"custom_vjp needs a function.*@covector"),
    "a number for defjvp": (TypeError, lambda: cv.custom_jvp(np.sin).defjvp(3.0), r"defjvp needs.*rule\(primals"),
    "a number for defvjp": (TypeError, lambda: with_bwd(3.0), r"defvjp needs a function.*bwd\(residuals, ct\)"),
    "a policy by name": (TypeError, lambda: cv.checkpoint(np.sin, policy="dots"), r"policy.*'dots'.*policies"),
    "a body by name": (TypeError, lambda: cv.while_loop(np.all, "body", X), r"while_loop needs a function.*'body'"),
    "a callback by name": (TypeError, lambda: cv.host_callback("sin", SHAPE, 1.0), r"host_callback needs.*'sin'"),
    "apply of a number": (TypeError, lambda: At(X)[0].apply(2.0), r"apply needs a function.*2\.0"),
    "chunks of a half": (TypeError, lambda: cv.vmap(np.sin, chunk_size=0.5)(X), r"chunk_size of vmap.*0\.5.*int"),
    "chunks of nothing": (ValueError, lambda: cv.vmap(np.sin, chunk_size=0)(X), r"chunk_size of vmap is at least 1"),
    "chunks of NaN": (TypeError, lambda: cv.vmap(np.sin, chunk_size=np.nan)(X), r"is an integer.*nan"),
    "chunks of a Jacobian": (TypeError, lambda: cv.jacrev(np.sin, chunk_size="2")(X), r"chunk_size is an integer.*'2'"),
    "chunks below 0": (ValueError, lambda: cv.jacfwd(np.sin, chunk_size=-1)(X), r"at least 1, but got -1"),
    "axis_size of a list": (TypeError, lambda: cv.vmap(np.sin, axis_size=[3])(X), r"axis_size of vmap.*\[3\]"),
    "axis_name of a list": (TypeError, lambda: cv.vmap(np.sin, axis_name=["i"])(X), r"axis_name.*\['i'\].*='i'"),
    "psum over a list": (TypeError, lambda: named(lambda x: cv.psum(x, ["i"])), r"name of a mapped axis.*\['i'\]"),
    "gather far out": (IndexError, lambda: named(lambda x: cv.all_gather(x, "i", axis=7)), r"axis 7 is out of bounds"),
    "scatter far out": (IndexError, lambda: named(lambda x: cv.psum_scatter(x, "i", scatter_dimension=7)),
                        r"axis 7 is out of bounds"),
    "switch among no list": (TypeError, lambda: cv.switch(0, np.sin, 1.0), r"branches of switch is a tuple.*put it"),
    "batches of a half": (TypeError, lambda: cv.map(np.sin, X, batch_size=0.5), r"batch_size of map.*0\.5"),
    "static places by half": (TypeError, lambda: cv.checkpoint(np.sin, static_argnums=0.5), r"static_argnums.*0\.5"),
    "scan of a text's length": (TypeError, lambda: cv.scan(lambda c, x: (c, x), 0.0, None, length="3"),
                                r"length of scan is an integer.*'3'"),
    "scan of less than nothing": (ValueError, lambda: cv.scan(lambda c, x: (c, x), 0.0, None, length=-1),
                                  r"length of scan is at least 0, but got -1"),
    "fori_loop to a half": (TypeError, lambda: cv.fori_loop(0, 2.5, lambda i, c: c, 1.0), r"upper of fori_loop.*2\.5"),
    "a carry of another structure": (ValueError, lambda: cv.fori_loop(0, 2, lambda i, c: (c, c), 1.0),
                                     r"fori_loop needs a carry that keeps its structure.*return the carry"),
    "a carry of another type": (ValueError, lambda: cv.while_loop(lambda c: c[0] < 2, lambda c: [c[0] + 1], (0,)),
                                r"while_loop needs a carry that keeps its structure, but got \(\*,\) and then \[\*\]"),
    "two arguments elementwise": (TypeError, lambda: cv.elementwise_grad(np.sin, argnums=())(X), r"argnums.*\(\)"),
    "a sum, elementwise": (ValueError, lambda: cv.elementwise_grad(np.sum)(X), r"shape \(3,\) sum returned shape \(\)"),
    "ShapeDtype of a text": (TypeError, lambda: cv.ShapeDtype("ab"), r"tuple of lengths.*'ab'.*ShapeDtype\(\(3,\)\)"),
    "ShapeDtype below 0": (ValueError, lambda: cv.ShapeDtype((2, -1)), r"at least 0, but got -1"),
    "ShapeDtype of objects": (TypeError, lambda: cv.ShapeDtype((2,), object), r"dtype object"),
    "a graph of a masked array": (TypeError, lambda: cv.make_graph(np.sum)(np.ma.array(X, mask=X > 2)),
                                  r"MaskedArray.*filled"),
    "a tangent too many": (ValueError, lambda: cv.linearize(np.sin, X)[1](X, X), r"\(\*,\), but got \(\*, \*\)"),
    "a cotangent too many": (ValueError, lambda: cv.vjp(twice, X)[1]((X, X, X)), r"pullback needs.*got \(\*, \*, \*\)"),
    "a cotangent too few": (ValueError, lambda: cv.vjp(twice, X)[1]((X,)), r"pullback needs.*but got \(\*,\)"),
    "a list too long": (ValueError, lambda: cv.vjp(lambda x: [*twice(x)], X)[1]([X, X, X]), r"but got \[\*, \*, \*\]"),
    "a transposed pair of three": (ValueError, lambda: cv.linear_transpose(twice, X)((X, X, X)),
                                   r"transposed function needs a cotangent.*but got \(\*, \*, \*\)"),
    "a scan of pairs to triples": (ValueError, lambda: cv.associative_scan(lambda a, b: (*a, b[0]), (X, X)),
                                   r"associative_scan needs outputs.*but got \(\*, \*, \*\)"),
    "a complex cotangent": (TypeError, lambda: cv.vjp(np.sum, X)[1](1j), r"cotangent of dtype float64.*complex128"),
    "a complex tangent": (TypeError, lambda: cv.linearize(np.sin, X)[1](X * 1j), r"tangent of dtype float64.*complex"),
    "a callback with too few": (ValueError, lambda: cv.host_callback(lambda x: (), SHAPE, 1.0), r"promised 1.*got|0;"),
    "a callback with text": (TypeError, lambda: cv.host_callback(lambda x: "a", SHAPE, 1.0), r"float64.*numbers"),
    "a callback with complex numbers": (
        TypeError, lambda: cv.host_callback(lambda x: np.array(1j), SHAPE, 1.0), r"float64.*complex128; promise"),
    "rows of two lengths": (ValueError, lambda: cv.grad(lambda x: np.sum(x + RAGGED))(X), r"rows differ.*pad"),
    "an index of two lengths": (ValueError, lambda: cv.grad(lambda x: np.sum(x[RAGGED]))(X), r"rows differ.*pad"),
    "an array for one element": (ValueError, lambda: cv.grad(lambda x: np.sum(x.at[0].set(np.ones(1))))(X),
                                 r"\(1,\) was written into one element of an array of shape \(3,\).*reshape"),
    "structure and leaves exchanged": (TypeError, lambda: tree.unflatten([1.0], tree.structure([1.0])),
                                       r"tree\.unflatten needs a structure.*\[1\.0\].*first"),
    "leaves of two pytrees": (TypeError, lambda: tree.leaves([1.0], [2.0]), r"is_leaf of tree\.leaves.*tree\.map"),
    "map of no function": (TypeError, lambda: tree.map([1.0], np.sin), r"tree\.map needs.*tree\.map\(f, tree\)"),
    "map of two structures": (ValueError, lambda: tree.map(np.add, {"a": 1.0}, [1.0]), r"same structure.*'a'.*\[\*\]"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_happened_what_was_given_and_what_to_do(name):
    kind, run, pattern = CASES[name]
    kept = X.copy()
    with pytest.raises(kind, match=pattern) as caught:
        run()
    assert "test_bad_arguments.py" in str(caught.value)
    np.testing.assert_array_equal(X, kept)
    np.testing.assert_array_equal(cv.grad(lambda x: np.sum(np.sin(x)))(X), np.cos(X))


@pytest.mark.parametrize("cotangent", [0, 3, 2.5, True, np.float32(1.5)])
def test_a_rule_may_return_a_plain_number(cotangent):
    gradient = cv.grad(with_bwd(lambda _, ct: (cotangent,)))(1.0)
    assert (gradient, gradient.dtype, gradient.shape) == (cotangent, np.float64, ())


@pytest.mark.parametrize("value", [1.5, 2, True, 1j])
@pytest.mark.parametrize("dtype", [int, np.float64, np.float32])
def test_an_update_has_one_dtype_eagerly_batched_and_staged(dtype, value):
    x = np.arange(3, dtype=dtype)
    want = At(x)[0].set(value)
    assert want[0] == value
    assert want.dtype == np.result_type(x, value)
    for got in (cv.vmap(lambda x: x.at[0].set(value))(x[None])[0], cv.make_graph(lambda x: x.at[0].set(value))(x)(x)):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
