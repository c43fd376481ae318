"""Drawings of graphs for notebooks: layers from inputs to outputs, as SVG in HTML."""

from ...core.lazy import LazyModule
from .equations import Body, Literal, Var
from .printing import text_of

HTML = LazyModule("html")
LIMIT = 200  # equations; a longer graph is shown as text
_CHAR, _PAD, _GAP, _ROW, _HEIGHT = 7.3, 12, 18, 62, 34  # pixels
_SWEEPS = 6


def html_of(graph):
    """A graph as HTML: its drawing, and those of its bodies, folded, below it."""
    if len(graph.equations) > LIMIT:
        return f"<pre>{HTML.escape(text_of(graph))}</pre>"
    parts = [svg_of(graph)]
    for eq in graph.equations:
        for name, param in zip(eq.prim.params, eq.params):
            if type(param) is Body and param.graph is not None:
                head = HTML.escape(f"{name} of {eq.prim.name}")
                parts.append(f"<details><summary>{head}</summary>{html_of(param.graph)}</details>")
    return f"<div>{''.join(parts)}</div>"


def svg_of(graph):
    """The drawing of a graph, those of its bodies left out."""
    layers, edges = _layered(graph)
    _order(layers)
    _place(layers)
    width = max([n.x + n.width / 2 for layer in layers for n in layer], default=0) + _PAD
    height = len(layers) * _ROW - (_ROW - _HEIGHT) + 2 * _PAD
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
           f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="12" fill="currentColor">']
    for a, b in edges:
        out.append(_curve(a, b))
    for layer in layers:
        out += [_box(n) for n in layer if n.lines]
    return "".join([*out, "</svg>"])


class _Node:
    """What is drawn at one place: a box with lines of text, or a bend of an edge, which has none."""

    __slots__ = ("lines", "about", "kind", "width", "x", "y", "above", "below")

    def __init__(self, lines=(), about="", kind="bend"):
        self.lines = lines
        self.about = about
        self.kind = kind
        self.width = max(map(len, lines)) * _CHAR + 2 * _PAD if lines else 2.0
        self.x = self.y = 0.0
        self.above, self.below = [], []


def _layered(graph):
    """`(layers, edges)`: every edge leads from one layer to the next, long ones through bends."""
    made, depth = {}, {}
    nodes = []

    def add(node, sources, level=None):
        level = max([depth[s] for s in sources], default=-1) + 1 if level is None else level
        depth[node] = level
        nodes.append((node, sources))
        return node

    for v in graph.inputs:
        made[v] = add(_Node((repr(v.aval),), "input", "input"), [], 0)
    for eq in graph.equations:
        sources = list(dict.fromkeys([made[v] for v in eq.inputs if type(v) is Var]))
        numbers = [_number(v) for v in eq.inputs if type(v) is Literal]
        name = " ".join([eq.prim.name, *[n for n in numbers if n]])
        shapes = " ".join([repr(v.aval) for v in eq.outputs])
        about = ", ".join([f"{k}={p}" for k, p in zip(eq.prim.params, eq.params) if type(p) is not Body])
        node = _Node(tuple(_short(t) for t in (name, shapes) if t), "\n".join(filter(None, (about, eq.line))),
                     "loop" if eq.bodies() else "equation")
        made.update(dict.fromkeys(eq.outputs, add(node, sources)))
    last = max(depth.values(), default=-1) + 1
    for k, v in enumerate(graph.outputs):
        text = f"out {k}" if type(v) is Var else f"out {k} {_number(v)}".rstrip()
        add(_Node((text,), "output", "output"), [made[v]] if type(v) is Var else [], last)
    layers = [[] for _ in range(last + 1)]
    edges = []
    for node, sources in nodes:
        layers[depth[node]].append(node)
        for source in sources:
            for level in range(depth[source] + 1, depth[node]):
                bend = _Node()
                layers[level].append(bend)
                _join(source, bend, edges)
                source = bend
            _join(source, node, edges)
    return layers, edges


def _join(a, b, edges):
    a.below.append(b)
    b.above.append(a)
    edges.append((a, b))


def _number(v):
    return _short(str(v.value), 12) if not getattr(v.value, "ndim", 0) else repr(v.aval)


def _short(text, most=30):
    return text if len(text) <= most else text[: most - 1] + "…"


def _order(layers):
    """Order each layer by the middle of its neighbours, down and up in turn, so that few edges cross."""
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        place = {n: k / max(len(layer), 1) for layer in layers for k, n in enumerate(layer)}
        for layer in layers if down else layers[::-1]:
            layer.sort(key=lambda n: _middle([place[m] for m in (n.above if down else n.below)], place[n]))
            place.update({n: k / len(layer) for k, n in enumerate(layer)})


def _middle(values, otherwise):
    return sum(values) / len(values) if values else otherwise


def _place(layers):
    """Positions in pixels: each box near the middle of its neighbours, none upon another."""
    for k, layer in enumerate(layers):
        start = 0.0
        for n in layer:
            n.x, n.y = start + n.width / 2, _PAD + k * _ROW + _HEIGHT / 2
            start += n.width + _GAP
    for sweep in range(2 * _SWEEPS):
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wanted = [_middle([m.x for m in (n.above if sweep % 2 == 0 else n.below)], n.x) for n in layer]
            right, left = list(wanted), list(wanted)
            for k in range(1, len(layer)):
                right[k] = max(right[k], right[k - 1] + _apart(layer[k - 1], layer[k]))
            for k in range(len(layer) - 2, -1, -1):
                left[k] = min(left[k], left[k + 1] - _apart(layer[k], layer[k + 1]))
            for n, a, b in zip(layer, left, right):  # the mean of two orders that keep the distances keeps them, too
                n.x = (a + b) / 2
    least = min([n.x - n.width / 2 for layer in layers for n in layer], default=0.0)
    for layer in layers:
        for n in layer:
            n.x += _PAD - least


def _apart(a, b):
    return (a.width + b.width) / 2 + _GAP


def _curve(a, b):
    start = a.y + (_HEIGHT / 2 if a.lines else 0)
    stop = b.y - (_HEIGHT / 2 if b.lines else 0)
    half = (start + stop) / 2
    return (f'<path d="M{a.x:.1f} {start:.1f}C{a.x:.1f} {half:.1f} {b.x:.1f} {half:.1f} {b.x:.1f} {stop:.1f}" '
            'fill="none" stroke="currentColor" stroke-opacity="0.45"/>')


_FILLS = {"input": "#7a9", "output": "#7a9", "equation": "#88a", "loop": "#c93"}


def _box(n):
    x, y = n.x - n.width / 2, n.y - _HEIGHT / 2
    rounded = 17 if n.kind in ("input", "output") else 4
    lines = "".join(f'<text x="{n.x:.1f}" y="{n.y + 4 + 14 * (k - (len(n.lines) - 1) / 2):.1f}" text-anchor="middle">'
                    f"{HTML.escape(text)}</text>" for k, text in enumerate(n.lines))
    return (f'<g><title>{HTML.escape(n.about)}</title><rect x="{x:.1f}" y="{y:.1f}" width="{n.width:.1f}" '
            f'height="{_HEIGHT}" rx="{rounded}" fill="{_FILLS[n.kind]}" fill-opacity="0.25" stroke="currentColor" '
            f'stroke-opacity="0.5"/>{lines}</g>')
