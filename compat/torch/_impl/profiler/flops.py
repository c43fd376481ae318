"""Costs of the products and convolutions of a program, counted while it runs: one count for each module and operation.

The formulas are PyTorch's: two operations for each multiplication. Operations that are composed of products count as
the products that they run.
"""

from math import isqrt, prod

from ..modes.modes import modes, set_modes
from ..state.recorder import Makers, Span, sequence_of
from ..types.tensor_type import TensorBase, shape_dtype

# How many products the rule of a primitive runs for each operand.
_COUNTED = {"matmul": 1, "affine": 1, "einsum": 1, "conv": 1, "conv_input": 1, "lstm_sequence": 2}


class Counter:
    """A recorder that counts; what recorded before sees all that runs, too.

    Args:
        formulas: `{packet: formula}` of the user, of shapes or, where `formula._get_raw`, of what was given.
        add: `add(packet, count)`.
        packet: `packet("mm")` gives `aten.mm`.
    """

    def __init__(self, formulas, add, packet):
        self.formulas = formulas
        self.add = add
        self.packet = packet
        self.makers = Makers()
        self.outer = modes().recorder

    def enter(self):
        """Begin to count."""
        set_modes(recorder=self)

    def leave(self):
        """Count no more."""
        set_modes(recorder=self.outer)

    def run(self, name, fn, args, kwargs=None, given=()):
        """`fn(*args)`, which computes the operation `name`; `given` are its arguments."""
        first = self.makers.before()
        out = fn(*args) if self.outer is None else self.outer.run(name, fn, args, kwargs, given)
        found = self.formula(name.removeprefix("aten::"), given, kwargs or {}, out)
        if found is not None:
            self.add(found[0], found[1])
            self.makers.note(first, sequence_of(out), found[2:])
        return out

    def formula(self, word, given, kwargs, out):
        """`(packet, count, packet of its gradients, count of each, or a function of what is active)`, or None."""
        maker = _OPERATIONS.get(word)
        if self.formulas and self.packet(word) in self.formulas:
            return self.packet(word), self.formulas[self.packet(word)](*given, **kwargs, out_val=out), None, 0
        if maker is None:
            return None
        tensors = [t for t in (*given, *kwargs.values()) if isinstance(t, TensorBase)]
        shapes = [tuple(shape_dtype(t)[0]) for t in tensors]
        times = prod(mapped(tensors).values())
        if word in _OF_VECTORS and mapped(tensors):  # vectors of a batch are the rows of a matrix
            shapes[-1] = (*shapes[-1], 1) if len(shapes[-1]) == 1 else shapes[-1]
        found = maker(shapes, given, out)
        if found is None:
            return None
        packet, count, backward, each = found
        below = self.packet(packet)
        if below in self.formulas:
            count, times = self.formulas[below](*kernel_arguments(word, given, kwargs), out_val=out), 1
        return below, count * times, self.packet(backward), each if callable(each) else each * times

    def node(self, node, ct, drive):
        """A node's turn in a sweep."""
        return node.run_watched(ct, drive) if self.outer is None else self.outer.node(node, ct, drive)

    def rule(self, node, ct, drive):
        """A node's rule."""
        first = self.makers.before()
        out = node.apply(ct, drive) if self.outer is None else self.outer.rule(node, ct, drive)
        rule = node.rule
        weight = 0 if rule is None or rule.prim is None else _COUNTED.get(rule.prim.name, 0)
        packet, each = self.makers.of(-node.seq, (None, 0)) if weight else (None, 0)
        if packet is not None:
            parents = node.parents if type(node.parents) is tuple else (node.parents,)
            active = [i for i, p in zip(rule.active, parents) if i < 2 and (
                drive.needed is None or p.seq in drive.needed)]
            self.add(packet, each(active) if callable(each) else each * weight * len(active))
            if drive.create_graph and not callable(each):  # products of the same sizes
                self.makers.note(first, self.makers.before(), (packet, each))
        return out

    def begin(self, name, args=(), kwargs=None, scope=0):
        """A label begins, which a profile outside notes."""
        return Span(name, scope, 0) if self.outer is None else self.outer.begin(name, args, kwargs, scope)

    def finish(self, span, out=None):
        """A label ends."""
        if self.outer is not None:
            self.outer.finish(span, out)


def mapped(tensors):
    """The sizes of the batches that tensors are values of, by level."""
    found = {}
    for t in tensors:
        while isinstance(t, TensorBase):
            if getattr(t.level_trace, "kind", None) == "vmap":
                found[t.level_trace] = t.level_trace.size
            t = t.value
    return found


def kernel_arguments(word, given, kwargs):
    """The arguments of the operation that PyTorch runs below `linear`; those of others as they are given."""
    if word != "linear":
        return given
    input, weight, *bias = (t.detach() for t in (*given, *kwargs.values()) if t is not None)
    return *bias, input.reshape(-1, input.shape[-1]), weight.t()


def of_shapes(formula):
    """A formula of shapes as one of tensors."""
    def shaped(x):
        if isinstance(x, TensorBase):
            return x.shape
        return type(x)(map(shaped, x)) if type(x) in (tuple, list) else x

    def counted(*args, out_val=None, **kwargs):
        return formula(*map(shaped, args), out_shape=shaped(out_val), **{k: shaped(v) for k, v in kwargs.items()})

    return counted


def _product(forward, x, y):
    """The product of tensors of the shapes `x` and `y` as `matmul` gives it; vectors on the right count nothing."""
    if len(y) == 1 or len(x) == 1 and len(y) > 2:
        return None
    rows = x[-2] if len(x) > 1 else 1
    if len(y) > 2 and len(x) > 2:
        batch = max(prod(x[:-2]), prod(y[:-2])) if 1 in (prod(x[:-2]), prod(y[:-2])) else prod(
            max(a, b) for a, b in zip((1,) * (len(y) - len(x)) + x[:-2], (1,) * (len(x) - len(y)) + y[:-2]))
        count = 2 * batch * rows * x[-1] * y[-1]
        return "bmm" if forward == "mm" else forward, count, "bmm", count
    count = 2 * prod(x[:-2]) * prod(y[:-2]) * rows * x[-1] * y[-1]
    return forward, count, "mm", count


def _linear(shapes, given, out):
    return _product("mm" if len(shapes) < 3 else "addmm", shapes[0], shapes[1][::-1])


def _attention(shapes, given, out):
    q, k, v = shapes[:3]
    scores = 2 * prod(q[:-1]) * k[-2] * q[-1]
    values = 2 * prod(q[:-1]) * k[-2] * v[-1]
    return "bmm", scores + values, "bmm", (scores + values) // 2  # of each of two products


def _einsum(shapes, given, out):
    if not isinstance(given[0], str) or "." in given[0] or len(shapes) < 2:
        return None
    left, _, right = given[0].replace(" ", "").partition("->")
    terms = left.split(",")
    if "->" not in given[0]:
        right = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    sizes = {c: n for term, shape in zip(terms, shapes) for c, n in zip(term, shape)}
    total, pairs, first = 0, 0, terms[0]
    for i, second in enumerate(terms[1:], 1):
        later = set(right).union(*terms[i + 1:])
        kept = {c for c in first + second if c in later}
        both = set(first) & set(second)
        if both - kept:
            total += 2 * prod(sizes[c] for c in kept | both)
        pairs += 1
        first = "".join(sorted(kept))
    return ("bmm", total, "bmm", total // pairs) if total else None


def _convolution(transposed):
    def counted(shapes, given, out):
        x, w = shapes[:2]
        y = tuple(shape_dtype(out)[0])
        if len(x) < len(w):
            x, y = (1, *x), (1, *y)

        def backward(active):
            count = _windows(y, w, x, not transposed) if 0 in active else 0
            if 1 in active:
                count += _windows(_turned(y), _turned(x), _turned(w), False) if transposed else _windows(
                    _turned(x), _turned(y), _turned(w), False)
            return count

        return "convolution", _windows(x, w, y, transposed), "convolution_backward", backward

    return counted


def _windows(x, w, y, transposed):
    return 2 * prod((x if transposed else y)[2:]) * prod(w) * x[0]


def _turned(shape):
    return (shape[1], shape[0], *shape[2:])


def _steps(shapes, given, out):
    """Steps of a recurrent layer: the products of states `(n, k)` and a weight `(gates, k)`."""
    gates, *_ = shapes
    weight = next(s for s in shapes[1:] if len(s) == 2 and s[0] == gates[-1])
    count = 2 * prod(gates[:-1]) * prod(weight)
    return "mm", count, "mm", count


def _tensordot(shapes, given, out):
    a, b, c = (prod(s) for s in (*shapes[:2], shape_dtype(out)[0]))
    count = 2 * c * isqrt(a * b // c) if c else 0
    return "mm", count, "mm", count


def _chain(shapes, given, out):
    """The cheapest order of the products of a chain of matrices."""
    shapes = [tuple(shape_dtype(t)[0]) for t in given[0]]
    if len(shapes) < 2:
        return None
    sizes = [shapes[0][0] if len(shapes[0]) == 2 else 1, *[s[0] for s in shapes[1:]],
             shapes[-1][1] if len(shapes[-1]) == 2 else 1]
    n = len(shapes)
    best = {(i, i): 0 for i in range(n)}
    for width in range(1, n):
        for i in range(n - width):
            best[i, i + width] = min(
                best[i, k] + best[k + 1, i + width] + 2 * sizes[i] * sizes[k + 1] * sizes[i + width + 1]
                for k in range(i, i + width))
    return "mm", best[0, n - 1], "mm", best[0, n - 1] // (n - 1)


def _after_bias(forward):
    return lambda shapes, given, out: _product(forward, *shapes[1:3])


def _powers(shapes, given, out):
    n = abs(given[1])
    count = 2 * prod(shapes[0]) * shapes[0][-1]
    steps = max(n.bit_length() - 1 + bin(n).count("1") - 1, 0)
    key = "mm" if len(shapes[0]) == 2 else "bmm"
    return key, steps * count, key, count


_OF_VECTORS = frozenset({"mv", "matmul"})
_OPERATIONS = {
    "mv": lambda shapes, given, out: _product("mm", *shapes[:2]),
    "mm": lambda shapes, given, out: _product("mm", *shapes[:2]),
    "matmul": lambda shapes, given, out: _product("mm", *shapes[:2]),
    "bmm": lambda shapes, given, out: _product("bmm", *shapes[:2]),
    "inner": lambda shapes, given, out: _product("mm", shapes[0], shapes[1][::-1]) if len(shapes[1]) == 2 else None,
    "addmm": _after_bias("addmm"), "baddbmm": _after_bias("baddbmm"), "addbmm": _after_bias("bmm"),
    "linear": _linear, "einsum": _einsum, "scaled_dot_product_attention": _attention,
    "tensordot": _tensordot, "linalg_multi_dot": _chain, "linalg_matrix_power": _powers, "matrix_power": _powers,
    "lstm_sequence": _steps, "lstm_step": _steps, "gru_step": _steps,
    **{f"conv{n}d": _convolution(False) for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _convolution(True) for n in (1, 2, 3)},
}
