"""Each rule of rewriting by itself: the equations of a function before it, and after it."""

import re

import numpy as np
import pytest
from rig.compiled import difference

import covector.numpy as cnp
from covector import make_graph
from covector.core.primitive.primitive import REGISTRY
from covector.transforms.compile.rules.algebra import ALGEBRA
from covector.transforms.compile.rules.indexing import PARTS, ROWS
from covector.transforms.compile.rules.products import PRODUCTS
from covector.transforms.compile.rules.rewrite import rewrite, rules
from covector.transforms.compile.rules.softmax import SOFTMAX
from covector.transforms.graph.equations import Draft, Equation, Literal
from covector.transforms.graph.printing import text_of

X, LONG, PLACES = np.arange(6.0).reshape(2, 3), np.arange(64.0).reshape(2, 32), np.array([1, 0])


def op(name):
    """The public function of a primitive."""
    return REGISTRY[name].fun


def equations(draft):
    """The equations without dtypes and shapes."""
    for eq in draft.equations:
        if eq.params and not eq.prim.params:  # an operation of loops alone
            eq.prim.params = tuple([f"box{k}" for k in range(9)])
    rows = [re.sub(r":[a-z]+\d*\[[\d,]*\]", "", row).strip() for row in text_of(draft).splitlines()]
    return "; ".join(rows[1:-1])


def before_and_after(fun, row, *args, quiet=False, **options):
    """The equations of a function before and after a rule; `quiet` as a sweep makes them."""
    graph = make_graph(fun)(*args)
    draft = Draft(graph.inputs, [Equation(eq.prim, eq.inputs, eq.params, eq.outputs, quiet) for eq in graph.equations],
                  graph.outputs)
    if options.pop("compact", False):
        options["compact"] = frozenset(draft.inputs)
    return equations(draft), equations(rewrite(draft, rules(row), **options))


IDENTITIES = [  # a function for each row of ALGEBRA, in the order of the rows, and the equations that it leaves
    (lambda x: op("reshape")(op("reshape")(x, (6,)), (3, 2)), "b = reshape[shape=(3, 2)] a"),
    (lambda x: cnp.sin(op("reshape")(x, (2, 3))), "b = sin a"),
    (lambda x: cnp.sin(op("broadcast_to")(x, (2, 3))), "b = sin a"),
    *[(lambda x, name=name: op(name)(op("broadcast_to")(x[0], (2, 3)), x), f"b = getitem[index=0] a; c = {name} b a")
      for name in ("add", "subtract", "multiply", "divide")],
    *[(lambda x, name=name: op(name)(x, op("broadcast_to")(x[:, :1], (2, 3))),
       f"b = getitem[index=(slice(None, None, None), slice(None, 1, None))] a; c = {name} a b")
      for name in ("add", "subtract", "multiply", "divide")],
    (lambda x: cnp.sin(op("transpose")(x, (0, 1))), "b = sin a"),
    (lambda x: cnp.sin(op("getitem")(x, (slice(None), slice(0, 3)))), "b = sin a"),
    (lambda x: cnp.sin(x * 1.0), "b = sin a"),
    (lambda x: cnp.sin(x / 1.0), "b = sin a"),
    (lambda x: cnp.sin(1.0 * x), "b = sin a"),
    (lambda x: cnp.exp(x) + -x, "b = exp a; c = subtract b a"),
    (lambda x: -x + cnp.exp(x), "b = exp a; c = subtract b a"),
    (lambda x: cnp.exp(x) - -x, "b = exp a; c = add b a"),
    (lambda x: -x * -cnp.exp(x), "b = exp a; c = multiply a b"),
    (lambda x: -x / -cnp.exp(x), "b = exp a; c = divide a b"),
    (lambda x: -x * 3.0, "b = multiply a -3.0"),
    (lambda x: 3.0 * -x, "b = multiply -3.0 a"),
    (lambda x: -x / 3.0, "b = divide a -3.0"),
    (lambda x: x * -1.0, "b = negative a"),
    (lambda x: -1.0 * x, "b = negative a"),
    (lambda x: x / -1.0, "b = negative a"),
    (lambda x: -x * cnp.exp(x), "b = exp a; c = multiply a b; d = negative c"),
    (lambda x: cnp.exp(x) * -x, "b = exp a; c = multiply b a; d = negative c"),
    (lambda x: -x / cnp.exp(x), "b = exp a; c = divide a b; d = negative c"),
    (lambda x: cnp.exp(x) / -x, "b = exp a; c = divide b a; d = negative c"),
]
assert len(IDENTITIES) == len(ALGEBRA), "give IDENTITIES an entry at the place that the new rule has in ALGEBRA"


@pytest.mark.parametrize("row, fun, wanted", [(r, *case) for r, case in zip(ALGEBRA, IDENTITIES)])
def test_identities_and_signs(row, fun, wanted):
    before, after = before_and_after(fun, row, X, compact=True)
    assert before != after == wanted


SPECIAL = np.array([[0.0, -0.0, 1.5], [np.inf, -np.inf, np.nan]])


@pytest.mark.parametrize("row, fun", [(r, fun) for r, (fun, _) in zip(ALGEBRA, IDENTITIES)])
def test_identities_change_no_bit(row, fun):
    graph = make_graph(fun)(SPECIAL)
    found = values(rewrite(graph, rules(row), compact=frozenset(graph.inputs)), SPECIAL)
    assert difference(found, values(graph, SPECIAL)) is None


def values(draft, *args):
    """The outputs of equations, run one after the other."""
    known = dict(zip(draft.inputs, args))
    with np.errstate(all="ignore"):
        for eq in draft.equations:
            given = [v.value if type(v) is Literal else known[v] for v in eq.inputs]
            known[eq.outputs[0]] = eq.prim.rebind((*given, *eq.params))
    return [known[v] for v in draft.outputs]


@pytest.mark.parametrize("fun", [
    lambda x: -x - cnp.exp(x),  # no -(x + exp(x)): that is 0, not -0, where both vanish
    lambda x: cnp.exp(x) + 0.0,  # 0 of a negative zero
    lambda x: cnp.exp(x) * 2.0, lambda x: x[0] * -cnp.exp(x[0, 0])])
def test_what_is_not_exact_stays(fun):
    graph = make_graph(fun)(X)
    found = rewrite(graph, rules(*ALGEBRA), compact=frozenset(graph.inputs))  # else many rules ask in vain
    assert equations(found) == equations(graph)


def test_constants_are_computed_and_equal_equations_merged():
    graph = make_graph(lambda x: (cnp.exp(x + x), cnp.exp(x + x) * cnp.sin(x)))(X)
    sine = next(eq for eq in graph.equations if eq.prim.name == "sin")
    known = Equation(sine.prim, [Literal(np.zeros((2, 3)))], (), sine.outputs)
    draft = Draft(graph.inputs, [known if eq is sine else eq for eq in graph.equations], graph.outputs)
    assert equations(rewrite(draft, {})) == "b = add a a; c = exp b; d = multiply c 0.0"


def test_what_a_block_gives_keeps_its_name():
    graph = make_graph(lambda x: (cnp.exp(x), cnp.exp(x + 0.0), cnp.sin(x)))(X)
    *rest, sine = graph.equations
    known = Equation(sine.prim, [Literal(np.zeros((2, 3)))], (), sine.outputs)
    found = rewrite(Draft(graph.inputs, [*rest, rest[0], known], graph.outputs), {}, admits=lambda eq: True)
    assert found.outputs == graph.outputs and found.equations[-1] is known


ROWS_OF = {
    "put": lambda x, rows, places: _put(x, rows, places, lambda hit: hit),
    "put aligned": lambda x, rows, places: _put(x, rows, places, lambda hit: op("reshape")(hit, (2, 1))),
    "add": lambda x, rows, places: x + op("scatter_add")(rows, places, 0, 2),
    "add before": lambda x, rows, places: op("scatter_add")(rows, places, 0, 2) + x,
}


def _put(x, rows, places, aligned):
    writer = op("last_writer")(places, x.shape[0])
    hit = aligned(op("greater_equal")(writer, 0))
    return op("where")(hit, op("take")(rows, op("maximum")(writer, 0), 0), x)


@pytest.mark.parametrize("row, name", list(zip(ROWS, ROWS_OF, strict=True)))
def test_rows_are_written_in_place(row, name):
    x = X if "aligned" in name or "add" in name else X[:, 0]
    before, after = before_and_after(ROWS_OF[name], row, x, x + 1, PLACES, admits=lambda eq: True)
    assert before != after
    assert after == f"d = {'put' if 'put' in name else 'add'}_rows[box0=0] a b c"


def _parts(x, y, z):
    zeros = np.zeros(6)
    for index, v in ((slice(0, 2), x), (slice(2, 4), y), *([(slice(3, 5), z)] if z is not None else [])):
        zeros = op("index_update")(zeros, v, index, True, False)
    return zeros


@pytest.mark.parametrize("rows, fun, wanted", [
    (PARTS[:1], lambda x, y: _parts(x, y, None), "c = assemble[box0=((0, 2),), box1=((2, 2),)] a b"),
    (PARTS, lambda x, y: _parts(x, y, x * y),
     "c = multiply a b; d = assemble[box0=((0, 2),), box1=((2, 2),), box2=((3, 2),)] a b c")])
def test_parts_added_to_zeros_are_assembled(rows, fun, wanted):
    graph = make_graph(fun)(np.ones(2), np.ones(2))
    assert equations(rewrite(graph, rules(*rows), admits=lambda eq: True)) == wanted
    apart = {id(eq) for eq in graph.equations}
    assert equations(rewrite(graph, rules(*rows), admits=lambda eq: True, apart=apart)) == equations(graph)


@pytest.mark.parametrize("fun, wanted", [
    (lambda x, y: op("reduce_sum")(x @ y, (0,), False),
     "c = reduce_sum[axes=(0,), keepdims=False] a; d = einsum[subscripts=y,yz->z] c b"),
    (lambda x, y: op("reduce_sum")(-(x @ y) * 2.0, (1,), False),
     "c = reduce_sum[axes=(1,), keepdims=False] b; d = einsum[subscripts=xy,y->x] a c; e = negative d; "
     "f = multiply e 2.0"),
    (lambda x, y: cnp.sum((p := x @ y), 0) + p[0], None)])  # the product is there
def test_sums_come_before_products(fun, wanted):
    before, after = before_and_after(fun, PRODUCTS[0], X, X.T)
    assert after == (before if wanted is None else wanted)


@pytest.mark.parametrize("quiet, wanted", [
    (True, "c = exp a; d = divide 1.0 b; e = multiply a d; f = multiply c d; g = add e f"),
    (False, "c = divide a b; d = exp a; e = divide d b; f = add c e")])
def test_quotients_of_a_sweep_share_a_reciprocal(quiet, wanted):
    before, after = before_and_after(lambda x, y: x / y + cnp.exp(x) / y, PRODUCTS[1], X, X, quiet=quiet)
    assert before == "c = divide a b; d = exp a; e = divide d b; f = add c e"
    assert sorted(after.split("; ")) == sorted(wanted.split("; ")) or quiet and after.count("divide") == 1


@pytest.mark.parametrize("row, guarded", [(SOFTMAX[0], False), (SOFTMAX[1], True)])
def test_softmax_takes_the_exponentials_of_logsumexp(row, guarded):
    def fun(x):
        total = op("logsumexp")(x, (1,), False)
        total = op("reshape")(total, (2, 1))
        return cnp.exp(x - (op("where")(op("equal")(total, -np.inf), 0.0, total) if guarded else total))

    _, after = before_and_after(fun, row, LONG)
    top = ("b = reduce_max[axes=(1,), keepdims=True] a; c = isfinite b; d = where c b 0.0; e = subtract a d; "
           "f = exp e; g = reduce_sum[axes=(1,), keepdims=True] f; ")
    assert after == top + ("h = equal g 0.0; i = where h 1.0 g; j = divide 1.0 i; k = multiply f j" if guarded else
                           "h = divide 1.0 g; i = multiply f h")
