"""Graphs printed, walked and drawn."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import covector as cv

SVG = "{http://www.w3.org/2000/svg}"
X = np.ones((4, 3))


def network(w, x):
    return np.sum(np.tanh(np.maximum(x @ w, 0)) ** 2)


def boxes(svg):
    return [tuple(float(r.get(k)) for k in ("x", "y", "width", "height")) for r in svg.iter(f"{SVG}rect")]


def test_the_drawing_has_a_box_for_each_value_and_none_upon_another():
    graph = cv.make_graph(cv.value_and_grad(network))(np.ones(3), X)
    svg = ElementTree.fromstring(graph._repr_html_()).find(f"{SVG}svg")
    found = boxes(svg)
    assert len(found) == len(graph.inputs) + len(graph.equations) + len(graph.outputs)
    for k, (x, y, w, h) in enumerate(found):
        assert 0 <= x and x + w <= float(svg.get("width")) and 0 <= y and y + h <= float(svg.get("height"))
        assert not any(abs(y - b) < h and x < a + v and a < x + w for a, b, v, _ in found[:k])
    for path in svg.iter(f"{SVG}path"):  # every edge leads down
        numbers = list(map(float, re.findall(r"-?[\d.]+", path.get("d"))))
        assert numbers[1] < numbers[-1]
    assert "maximum 0" in [text.text for text in svg.iter(f"{SVG}text")]


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


STATIC = Path(__file__).resolve().parents[2] / "docs" / "_static"


def pictures():
    """The drawings of the landing page: a function and its gradient."""
    def loss(w, x):
        return np.sum(np.tanh(x @ w) ** 2)

    for name, fun in (("value", loss), ("gradient", cv.grad(loss))):
        html = cv.make_graph(fun)(np.ones(3), X)._repr_html_()
        yield STATIC / f"{name}.svg", re.search("<svg.*</svg>", html, re.DOTALL)[0] + "\n"


def test_the_landing_page_shows_what_is_drawn():
    for path, text in pictures():
        assert path.read_text(encoding="utf-8") == text, "python tests/transforms/test_graph_drawings.py writes it anew"


if __name__ == "__main__":
    for path, text in pictures():
        path.write_text(text, encoding="utf-8")
