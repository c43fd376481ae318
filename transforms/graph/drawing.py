"""Drawings of graphs for notebooks: layers from inputs to outputs, derivatives beside them, as SVG in HTML."""

from ...core.lazy import LazyModule
from .equations import Body, Literal, Var
from .printing import names_of, text_of

HTML = LazyModule("html")
LIMIT = 200  # equations; a longer graph is shown as text
_APART = 48  # pixels between what is computed and its derivative


def html_of(graph, costs=None):
    """A graph as HTML: its drawing, and those of its bodies, folded, below it.

    Args:
        costs: `{equation: text}`, a further line for boxes.
    """
    if len(graph.equations) > LIMIT:
        return f"<pre>{HTML.escape(text_of(graph))}</pre>"
    parts = [f'<div style="overflow-x:auto">{svg_of(graph, costs)}</div>']
    for eq in graph.equations:
        for name, param in zip(eq.prim.params, eq.params):
            if type(param) is Body and param.graph is not None:
                head = HTML.escape(f"{name} of {eq.prim.name}")
                parts.append(f"<details><summary>{head}</summary>{html_of(param.graph)}</details>")
    return f"<div>{''.join(parts)}</div>"


def svg_of(graph, costs=None):
    """The drawing of a graph, those of its bodies left out.

    What a function computes runs down on the left; its derivative, if the graph ends in one, runs up on the right,
    with dashed lines for the values that it needs.
    """
    forward, backward, saved = _sides(graph, costs or {})
    width, height = forward.arrange()
    if backward.nodes:
        wide, high = backward.arrange(up=True)
        tall = max(height, high)
        backward.shift(width + _APART, tall - high)
        width, height = width + _APART + wide, tall
    for side in (forward, backward):
        side.shift(PAD, PAD)
    width, height = width + 2 * PAD, height + 2 * PAD
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
           f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="12" fill="currentColor">']
    out += [_curve(a, b, 1) for a, b in forward.edges]
    out += [_curve(a, b, -1) for a, b in backward.edges]
    out += [_dashes(a, b) for a, b in saved]
    for side in (forward, backward):
        out += [_box(n) for row in side.rows for n in row if n.lines]
    return "".join([*out, "</svg>"])


def _sides(graph, costs):
    """The nodes of the function, those of its derivative, and the pairs between which a line leads across."""
    forward, backward, saved = Layers(), Layers(), []
    names = names_of(graph)
    made = {}
    derivatives = _derivatives(graph.equations)

    def add(node, values, derivative, level=None):
        sources = list(dict.fromkeys([made[v] for v in values if type(v) is Var]))
        side = backward if derivative else forward
        own = [s for s in sources if s in side.depth]
        saved.extend([(s, node) for s in sources if s not in side.depth])
        return side.add(node, own, level)

    for v in graph.inputs:
        lines = (names[v], repr(v.aval)) if v in names else (repr(v.aval),)
        made[v] = add(DrawnNode(tuple(map(_short, lines)), "input", "input"), [], False, 0)
    for eq in graph.equations:
        made.update(dict.fromkeys(eq.outputs, add(_equation(eq, names, costs.get(eq)), eq.inputs, eq in derivatives)))
    ends = {id(side): side.last for side in (forward, backward)}
    for k, v in enumerate(graph.outputs):
        text = f"out {k}" if type(v) is Var else f"out {k} {_number(v)}".rstrip()
        derivative = type(v) is Var and made[v] in backward.depth
        level = ends[id(backward if derivative else forward)]
        add(DrawnNode((text,), "output", "output"), [v], derivative, level)
    return forward, backward, saved


def _derivatives(equations):
    """The equations that a transform wrote behind those of the function; none where the function goes on with them."""
    found = {eq for eq in equations if eq.quiet is True}
    made = {v for eq in found for v in eq.outputs}
    goes_on = any(eq not in found and not made.isdisjoint([v for v in eq.inputs if type(v) is Var]) for eq in equations)
    return set() if goes_on or len(found) == len(equations) else found


def _equation(eq, names, cost):
    """The box of an equation, or of a group of them that runs as one loop."""
    shapes = " ".join([repr(v.aval) for v in eq.outputs])
    inner = getattr(eq, "equations", None)
    if inner is not None:
        lines = ("one loop:", *[_titled(e, names) for e in inner], shapes)
        return DrawnNode(tuple(_short(t) for t in lines if t), "\n".join(e.line or "" for e in inner), "group")
    about = ", ".join([f"{k}={p}" for k, p in zip(eq.prim.params, eq.params) if type(p) is not Body])
    kind = "loop" if eq.bodies() else "derivative" if eq.quiet is True else "equation"
    lines = tuple(_short(t) for t in (_titled(eq, names), shapes, cost) if t)
    return DrawnNode(lines, "\n".join(filter(None, (about, eq.line))), kind)


def _titled(eq, names):
    numbers = [_number(v) for v in eq.inputs if type(v) is Literal]
    name = names.get(eq.outputs[0]) if len(eq.outputs) == 1 else None
    return " ".join([*([name, "="] if name else []), eq.prim.name, *[n for n in numbers if n]])


def _number(v):
    return _short(str(v.value), 12) if not getattr(v.value, "ndim", 0) else repr(v.aval)


def _short(text, most=30):
    return text if len(text) <= most else text[: most - 1] + "…"


def _plain(text):
    """A text in SVG, which takes no other control characters than ends of lines, and no halves of pairs."""
    return HTML.escape("".join([c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text]))


def _curve(a, b, down):
    start = a.y + down * a.height / 2
    stop = b.y - down * b.height / 2
    half = (start + stop) / 2
    return (f'<path d="M{a.x:.1f} {start:.1f}C{a.x:.1f} {half:.1f} {b.x:.1f} {half:.1f} {b.x:.1f} {stop:.1f}" '
            'fill="none" stroke="currentColor" stroke-opacity="0.45"/>')


def _dashes(a, b):
    start, stop = a.x + a.width / 2, b.x - b.width / 2
    half = (start + stop) / 2
    return (f'<path class="saved" d="M{start:.1f} {a.y:.1f}C{half:.1f} {a.y:.1f} {half:.1f} {b.y:.1f} {stop:.1f} '
            f'{b.y:.1f}" fill="none" stroke="currentColor" stroke-opacity="0.35" stroke-dasharray="4 3"/>')


_FILLS = {"input": "#7a9", "output": "#7a9", "equation": "#88a", "loop": "#c93", "derivative": "#c77", "group": "#59c"}


def _box(n):
    x, y = n.x - n.width / 2, n.y - n.height / 2
    rounded = 17 if n.kind in ("input", "output") else 4
    lines = "".join(f'<text x="{n.x:.1f}" y="{n.y + 4 + LINE * (k - (len(n.lines) - 1) / 2):.1f}" text-anchor="middle">'
                    f"{_plain(text)}</text>" for k, text in enumerate(n.lines))
    return (f'<g><title>{_plain(n.about)}</title><rect x="{x:.1f}" y="{y:.1f}" width="{n.width:.1f}" '
            f'height="{n.height:.0f}" rx="{rounded}" fill="{_FILLS[n.kind]}" fill-opacity="0.25" stroke="currentColor" '
            f'stroke-opacity="0.5"/>{lines}</g>')


# Layered graph drawing: assign nodes to layers with few crossings and no overlaps.

CHAR, PAD, GAP, BETWEEN, LINE = 7.3, 12, 18, 28, 14  # pixels
_SWEEPS = 6


class DrawnNode:
    """A box with lines of text at one place, or a bend of an edge, which has none."""

    __slots__ = ("lines", "about", "kind", "width", "height", "x", "y", "above", "below")

    def __init__(self, lines=(), about="", kind="bend"):
        self.lines = lines
        self.about = about
        self.kind = kind
        self.width = max(map(len, lines)) * CHAR + 2 * PAD if lines else 2.0
        self.height = max(LINE * len(lines) + 6, 34) if lines else 0.0
        self.x = self.y = 0.0
        self.above, self.below = [], []


class Layers:
    """Nodes and the edges between them; each node comes below all of its sources."""

    def __init__(self):
        self.nodes = []
        self.depth = {}
        self.edges = []  # between nodes of adjacent layers
        self.rows = []

    def add(self, node, sources, level=None):
        """Add a node; `level` puts it into a layer of its own choice."""
        deepest = max([self.depth[s] for s in sources], default=-1) + 1
        self.depth[node] = deepest if level is None else level
        self.nodes.append((node, sources))
        return node

    @property
    def last(self):
        """The number of layers so far."""
        return max(self.depth.values(), default=-1) + 1

    def arrange(self, up=False):
        """Order and place all nodes from (0, 0) on; `up`: the first layer is the lowest. Returns width and height."""
        self.rows = [[] for _ in range(self.last)]
        for node, sources in self.nodes:
            self.rows[self.depth[node]].append(node)
            for source in sources:
                for level in range(self.depth[source] + 1, self.depth[node]):
                    bend = DrawnNode()
                    self.rows[level].append(bend)
                    self._join(source, bend)
                    source = bend
                self._join(source, node)
        _order(self.rows)
        _place(self.rows)
        y = 0.0
        for row in self.rows[::-1] if up else self.rows:
            tallest = max([n.height for n in row], default=0.0)
            for n in row:
                n.y = y + tallest / 2
            y += tallest + BETWEEN
        boxes = [n for row in self.rows for n in row]
        return max([n.x + n.width / 2 for n in boxes], default=0.0), max(y - BETWEEN, 0.0)

    def shift(self, x, y):
        """Move everything."""
        for row in self.rows:
            for n in row:
                n.x += x
                n.y += y

    def _join(self, a, b):
        a.below.append(b)
        b.above.append(a)
        self.edges.append((a, b))


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
    """Positions in pixels along a layer: each box near the middle of its neighbours, none upon another."""
    for layer in layers:
        start = 0.0
        for n in layer:
            n.x = start + n.width / 2
            start += n.width + GAP
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
            n.x -= least


def _apart(a, b):
    return (a.width + b.width) / 2 + GAP
