"""Layered graph drawing: assign nodes to layers with few crossings and no overlaps."""

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
