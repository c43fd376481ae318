"""Graphs printed, walked and drawn."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import covector as cv

SVG = "{http://www.w3.org/2000/svg}"
X = np.ones((4, 3))


def network(w, x):
    return np.sum(np.tanh(np.maximum(x @ w, 0)) ** 2)


def boxes(svg):
    return [tuple(float(r.get(k)) for k in ("x", "y", "width", "height")) for r in svg.iter(f"{SVG}rect")]


def test_the_drawing_has_a_box_for_each_value_and_none_upon_another():
    graph = cv.make_graph(cv.value_and_grad(network))(np.ones(3), X)
    svg = ElementTree.fromstring(graph._repr_html_()).find(f".//{SVG}svg")
    found = boxes(svg)
    assert len(found) == len(graph.inputs) + len(graph.equations) + len(graph.outputs)
    for k, (x, y, w, h) in enumerate(found):
        assert 0 <= x and x + w <= float(svg.get("width")) and 0 <= y and y + h <= float(svg.get("height"))
        assert not any(abs(y - b) < h and x < a + v and a < x + w for a, b, v, _ in found[:k])
    middle = max(x + w for x, y, w, h in found[: 1 + len(cv.make_graph(network)(np.ones(3), X).equations)])
    for path in svg.iter(f"{SVG}path"):  # edges lead down on the left, and up on the right
        numbers = list(map(float, re.findall(r"-?[\d.]+", path.get("d"))))
        if path.get("class") == "saved":
            assert numbers[0] <= middle < numbers[-2]
        else:
            assert (numbers[1] < numbers[-1]) == (numbers[0] < middle)
    assert "maximum 0" in [text.text for text in svg.iter(f"{SVG}text")]


def texts(html):
    return [text.text for text in ElementTree.fromstring(html).iter(f"{SVG}text")]


def test_values_have_the_names_of_parameters_and_variables():
    def model(params, *, x):
        hidden = np.tanh(x @ params["w"])
        hidden += params["b"][0]
        total: float = np.sum(hidden)
        return total * 2.0

    found = texts(cv.make_graph(model)({"w": np.ones(3), "b": [1.0]}, x=X)._repr_html_())
    assert {"params['b'][0]", "params['w']", "x", "hidden = tanh", "hidden = add", "total = reduce_sum"} <= set(found)
    assert "multiply 2.0" in found
    graph = cv.make_graph(lambda x: np.sin(x))(1.0)
    assert "sin" in texts(graph._repr_html_())  # `graph` names the graph, and not what it computes


def test_a_function_that_goes_on_with_a_derivative_is_drawn_in_one_piece():
    html = cv.make_graph(lambda x: cv.grad(np.sin)(x) * x + 1.0)(1.0)._repr_html_()
    assert 'class="saved"' not in html
    assert 'class="saved"' in cv.make_graph(cv.grad(lambda x: np.sin(x) * x))(1.0)._repr_html_()


def test_a_compiled_function_draws_itself_with_its_source():
    def smooth(x):
        y = np.sin(x) * x + 1.0
        return np.tanh(y) * y

    compiled = cv.jit(smooth, compiler_options={"printer": "numpy"})
    assert compiled._repr_html_() is None
    big = np.ones(1 << 17)
    compiled(big)
    html = compiled._repr_html_()
    found = texts(html)
    assert "one loop:" in found and "y = add 1.0" in found and "x" in found
    assert "def run(" in html and html == compiled.lower(big)._repr_html_()
    ElementTree.fromstring(cv.jit(np.sin).lower(1.0)._repr_html_())


def test_draw_says_what_operations_cost(tmp_path):
    def loss(w):
        return np.sum((X @ w) ** 2)

    picture = cv.debug.draw(cv.value_and_grad(loss), cost=True)(np.ones(3))
    costs = dict(zip([eq.prim.name for eq in picture.graph.equations], picture.costs))
    assert costs["matmul"][:2] in ((32, 24), (24, 24)) and costs["reduce_sum"][:2] == (8, 4)
    assert all(seconds > 0 for _, _, seconds in picture.costs)
    assert any(text.startswith("8 B 4 op") for text in texts(picture._repr_html_()))
    assert "# 8 B 4 op" in repr(picture) and repr(picture).endswith("writes it)")
    for name in ("graph.svg", "graph.html"):
        picture.save(tmp_path / name)
        ElementTree.parse(tmp_path / name)
    loops = cv.debug.draw(lambda x: cv.scan(lambda c, v: (c * v + 1.0, None), x, np.ones(5))[0], cost=True)(1.0)
    assert loops.costs[0][1] == 10


def test_tape_shows_what_the_gradient_is_made_of():
    def loss(w, x):
        hidden = np.tanh(x @ w)
        return np.sum(hidden * hidden) + w[0]

    w = np.array([0.3, 0.1, -0.2])
    steps = cv.debug.tape(loss)(w, X)
    found = {step.node: step.cotangent for step in steps.steps}
    for name, expected in zip("wx", cv.grad(loss, (0, 1))(w, X)):
        np.testing.assert_allclose(found[name], expected)
    assert steps.steps[0].node.startswith("add") and float(steps.value) == float(loss(w, X))
    assert "the gradient" in repr(steps) and "<td>w</td>" in steps._repr_html_()
    with pytest.raises(ValueError, match=r"with .sum\(\)"):
        cv.debug.tape(np.sin)(w)
    with pytest.raises(NotImplementedError, match="operations with one output"):
        cv.debug.tape(lambda a: np.sum(np.linalg.svd(a)[1]))(np.eye(2))


def test_spy_shows_patterns():
    jacobian = cv.jacobian(lambda x: np.diff(x))(np.ones(4))
    spy = cv.debug.spy(jacobian)
    assert len(spy.rows) == 6 and repr(spy).splitlines()[0] == "x x . ."
    assert len(boxes(ElementTree.fromstring(spy._repr_html_()))) == 7
    assert repr(cv.debug.spy(np.eye(100))) == "100 by 100, 100 of 10000 entries not zero"
    assert len(boxes(ElementTree.fromstring(cv.debug.spy(np.ones((500, 500)))._repr_html_()))) <= 160**2 + 1
    ElementTree.fromstring(cv.debug.spy(np.zeros((0, 3)))._repr_html_())
    with pytest.raises(ValueError, match=r"shape \(3,\); reshape it"):
        cv.debug.spy(np.ones(3))


def test_spy_takes_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    assert repr(cv.debug.spy(sparse.csr_array(np.eye(2)))) == "x .\n. x\n2 by 2, 2 of 4 entries not zero"


def test_a_profile_draws_a_timeline():
    html = cv.profile(cv.grad(lambda x: np.sum(np.sin(x) * x)))(np.ones(1000))._repr_html_()
    assert "sin" in texts(html) and "<polygon" in html.replace("ns0:", "")


def test_bodies_are_drawn_below_and_text_is_escaped():
    def body(c):
        cv.debug.print("<b>{}</b>", c)
        return c * 2.0

    graph = cv.make_graph(lambda x: cv.while_loop(lambda c: c < 10.0, body, x))(1.0)
    html = graph._repr_html_()
    heads = [s.text for s in ElementTree.fromstring(html).iter("summary")]
    assert heads == ["cond of while", "body of while"]
    assert "<b>" not in html and "<script" not in html


def test_a_long_graph_is_shown_as_text():
    def long(x):
        for _ in range(201):
            x = np.sin(x)
        return x < 1.0

    html = cv.make_graph(long)(1.0)._repr_html_()
    assert html.startswith("<pre>{ lambda a:f64[] .") and "sin" in html


def test_graphs_without_equations_are_drawn():
    for fun in (lambda x: x, lambda x: 1.0, lambda x: ()):
        ElementTree.fromstring(cv.make_graph(fun)(1.0)._repr_html_())


def test_walk_and_print(capsys):
    graph = cv.make_graph(lambda x: cv.scan(lambda c, v: (c * v, None), x, X[0])[0])(1.0)
    assert [eq.prim.name for eq in graph.walk()] == ["multiply", "scan"]
    graph.print()
    assert capsys.readouterr().out == f"{graph!r}\n"
    graph.print(lines=True)
    assert len(re.findall(r"# test_graph_drawings\.py:\d+$", capsys.readouterr().out, re.MULTILINE)) == 2
    assert "scan" in graph.to_dot()


def test_names_and_keys_stay_text_in_drawings():
    def odd(params):
        return np.sin(params['"];</text>\x00'])

    graph = cv.make_graph(odd)({'"];</text>\x00': X})
    svg = ElementTree.fromstring(graph._repr_html_())
    assert sum("</text>" in (found or "") for found in [t.text for t in svg.iter(f"{SVG}text")]) == 1
    name = '"]; x [label="'
    twice = cv.extend.primitive(name, impl=lambda xp, x: 2.0 * x, shape=lambda x: x,
                                jvp={"x": lambda dx: 2.0 * dx}, vjp={"x": lambda ct: 2.0 * ct}, batch=lambda x: x,
                                samples=lambda rng: [(rng.normal(size=3), {})])
    try:
        assert r'eq0 [shape=box, label="\"]; x [label=\""];' in cv.make_graph(twice)(X).to_dot()
    finally:
        cv.extend.REGISTRY.pop(name)
