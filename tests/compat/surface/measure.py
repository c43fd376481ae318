"""What a library does with the samples of an operation: `{column: {label: outcome}}`, alike for both libraries."""

import warnings

import numpy as np
from surface_sample import Call, Dtype, Listed

import covector.compat.torch as compat
from covector.compat.torch._impl.dispatch.signatures import signatures

COLUMNS = ("value", "grad", "grad-grad", "forward", "vmap", "in-place", "out", "errors")
KINDS = (
    (TypeError, "T"),
    (IndexError, "I"),
    (NotImplementedError, "N"),
    (ValueError, "V"),
    (RuntimeError, "R"),
    (AttributeError, "A"),
    (OverflowError, "O"),
    (AssertionError, "S"),
)
ABSENT = "-"


class Raised:
    """An error, as a letter for its type, and its message."""

    def __init__(self, error):
        self.code = next((letter for kind, letter in KINDS if isinstance(error, kind)), type(error).__name__)
        self.message = f"{type(error).__name__}: {error}"
        if self.code == "N" and "not implemented for" in self.message or "is not supported for" in self.message:
            self.code = "k"  # no kernel for this dtype

    def __repr__(self):
        return self.message[:150]


def code(outcome):
    """One letter for an outcome: what is written down of PyTorch."""
    return outcome.code if isinstance(outcome, Raised) else ABSENT if outcome == ABSENT else "."


def attempt(f):
    """What `f` gives, or its error."""
    try:
        return f()
    except Exception as error:  # any error of either library is an outcome
        return Raised(error)


def flat(out):
    """The tensors and plain values of a nest."""
    if isinstance(out, tuple | list) and not hasattr(out, "numel"):
        return [t for o in out for t in flat(o)]
    return [out]


def moving(t):
    """Whether a value may carry a derivative."""
    return hasattr(t, "requires_grad") and (t.is_floating_point() or t.is_complex())


def plain(t, values=True):
    """A tensor of either library as `(dtype, shape, strides, values)`."""
    if not hasattr(t, "requires_grad"):
        return t if isinstance(t, bool | int | float | complex | str | type(None)) else str(t)
    d = t.detach()
    if str(d.dtype) == "torch.bfloat16":
        d = d.float()
    return (
        str(t.dtype),
        tuple(t.shape),
        tuple(t.stride()),
        np.array(d.resolve_conj().clone().tolist()).reshape(tuple(t.shape)) if values else None,
    )


class Probe:
    """One operation in one library."""

    def __init__(self, torch, row):
        self.torch, self.row, self.names = torch, row, argument_names(row)
        self.fun = row.function(torch)

    def tensor(self, a):
        """A tensor of an array; arrays in another order of memory keep it."""
        t = self.torch.tensor(np.ascontiguousarray(a))
        return t.t().contiguous().t() if a.ndim == 2 and not a.flags.c_contiguous else t

    def made(self, x):
        """An argument as the library takes it."""
        if isinstance(x, np.ndarray):
            return self.tensor(x)
        if isinstance(x, Dtype):
            return getattr(self.torch, x)
        if isinstance(x, Listed):
            return [self.made(v) for v in x]
        if isinstance(x, tuple) and any(isinstance(v, np.ndarray) for v in x):
            return tuple(self.made(v) for v in x)
        return x

    def arguments(self, call, tensors=None):
        """`(args, named)`, with tensors in the places of arrays where given."""
        if tensors is not None:
            rest = iter(tensors)

            def place(x):
                if isinstance(x, np.ndarray):
                    return next(rest)
                return [place(v) for v in x] if isinstance(x, Listed) else self.made(x)

        else:
            place = self.made
        return [place(a) for a in call.args], {k: place(v) for k, v in call.named.items()}

    def run(self, call, tensors=None, fun=None):
        """The answer of one call."""
        args, named = self.arguments(call, tensors)
        return (fun or self.fun)(*args, **named)

    def seen(self, out):
        """The answer as plain values."""
        if self.row.via is not None:
            out = self.row.via(out)
        return [plain(t, not self.row.random) for t in flat(out)]

    def value(self, call, fun=None):
        return attempt(lambda: self.seen(self.run(call, fun=fun)))

    def values(self):
        """The forms of a call, and its variants by dtype, size and special values."""
        found = {}
        for i, call in enumerate(self.row.calls):
            found[f"call {i}"] = self.value(call)
            found[f"single {i}"] = self.value(call.changed(narrowed))
        call = self.row.calls[0]
        if self.row.name.count(".") == 0 and call.args and isinstance(call.args[0], np.ndarray):
            found["method"] = self.value(call, self.method(self.row.last))
        if self.names and len(self.names) >= len(call.args):
            by_name = Call(**dict(zip(self.names, call.args)), **call.named)
            found["by name"] = self.value(by_name)
        for label, change in VARIANTS.items():
            singular = label == "ties" and self.row.regular  # its factors are as the processor rounds
            if call.arrays() and label not in self.row.crashes and not singular:
                found[label] = self.value(call.changed(change))
        for i, one in enumerate(self.row.calls):
            for old, new in (("dim", "axis"), ("keepdim", "keepdims")):
                if old in one.named:
                    named = {new if k == old else k: v for k, v in one.named.items()}
                    found[f"{new} {i}"] = self.value(Call(*one.args, **named))
        return found

    def method(self, name):
        """The operation as a method of its first argument."""
        if not hasattr(self.torch.Tensor, name):
            raise_absent = lambda *args, **named: ABSENT  # noqa: E731
            return raise_absent
        return lambda x, *args, **named: getattr(x, name)(*args, **named)

    def leaves(self, call, requires=True):
        """Tensors of a call's arrays; those of floats ask for gradients."""
        tensors = [self.tensor(a) for a in call.arrays()]
        return [t.requires_grad_() if requires and moving(t) else t for t in tensors]

    def loss(self, out):
        """A number of all that carries a gradient."""
        total = None
        for k, o in enumerate(flat(out)):
            if getattr(o, "requires_grad", False):
                o = self.torch.view_as_real(o.resolve_conj()) if o.is_complex() else o
                weights = self.torch.tensor(np.cos(np.arange(o.numel()) + k).reshape(tuple(o.shape)))
                part = (o.double() * weights).sum()
                total = part if total is None else total + part
        return total

    def answer(self, call, tensors, fun=None):
        out = self.run(call, tensors, fun)
        return self.row.via(out) if self.row.via is not None else out

    def gradients(self, call, order, fun=None, wrap=None):
        """Gradients, or those of their squares, of everything that asks for them; None where there are none."""
        tensors = self.leaves(call)
        given = tensors if wrap is None else wrap(tensors)
        out = self.answer(call, given, fun)
        loss, leaves = self.loss(out), [t for t in tensors if t.requires_grad]
        if loss is None:
            return ABSENT
        grads = self.torch.autograd.grad(loss, leaves, allow_unused=True, create_graph=order > 1)
        if order > 1:
            loss = self.loss([g * g for g in grads if g is not None])
            if loss is None:
                return [np.zeros(tuple(t.shape)) for t in leaves]
            grads = self.torch.autograd.grad(loss, leaves, allow_unused=True)
        return [np.zeros(tuple(t.shape)) if g is None else plain(g)[3] for g, t in zip(grads, leaves)]

    def grads(self, order):
        found = {f"call {i}": attempt(lambda c=call: self.gradients(c, order)) for i, call in enumerate(self.row.calls)}
        call = self.row.calls[0]
        if call.arrays() and self.row.smooth:
            kinks = ("ties", "zeros") * (not self.row.regular)
            for label in (*kinks, "complex", "empty") if order == 1 else ("complex",):
                if label not in self.row.crashes:
                    found[label] = attempt(lambda change=VARIANTS[label]: self.gradients(call.changed(change), order))
        return found

    def forward(self):
        """Tangents along fixed directions, by func.jvp."""
        return {f"call {i}": attempt(lambda c=call: self.tangents(c)) for i, call in enumerate(self.row.calls)}

    def tangents(self, call):
        tensors = self.leaves(call, requires=False)
        places = [i for i, t in enumerate(tensors) if moving(t)]
        if not places:
            return ABSENT

        def f(*primals):
            full = list(tensors)
            for i, p in zip(places, primals):
                full[i] = p
            return tuple([o for o in flat(self.answer(call, full)) if moving(o)])

        primals = tuple(tensors[i] for i in places)
        if not f(*primals):
            return ABSENT
        directions = tuple(
            self.torch.tensor(np.sin(np.arange(t.numel()) + 1.0).reshape(tuple(t.shape))).to(t.dtype) for t in primals
        )
        return [plain(t)[3] for t in self.torch.func.jvp(f, primals, directions)[1]]

    def mapped(self):
        """Two examples at once, by func.vmap: all floats mapped, then the first only."""
        found = {}
        for i, call in enumerate(self.row.calls):
            found[f"call {i}"] = attempt(lambda c=call: self.batch(c, None))
        call = self.row.calls[0]
        if len(call.arrays()) > 1:
            found["first"] = attempt(lambda: self.batch(call, 0))
            found["last"] = attempt(lambda: self.batch(call, -1))
        return found

    def batch(self, call, only):
        arrays = call.arrays()
        places = [i for i, a in enumerate(arrays) if a.dtype.kind in "fc"] or list(range(len(arrays)))
        places = places if only is None else places[only:][:1]
        if not places:
            return ABSENT
        tensors = [
            self.tensor(np.stack([a, a * 0.9 if a.dtype.kind in "fc" else a])) if i in places else self.tensor(a)
            for i, a in enumerate(arrays)
        ]
        dims = tuple(0 if i in places else None for i in range(len(arrays)))

        def f(*args):
            out = flat(self.answer(call, list(args)))
            return tuple([o for o in out if hasattr(o, "requires_grad")])

        out = self.torch.func.vmap(f, in_dims=dims, randomness="different")(*tensors)
        return [plain(o, not self.row.random)[::3] for o in out]

    def inplace(self):
        """The in-place form: its value, its gradient, and what it refuses."""
        name = self.row.last if self.row.last.endswith("_") else self.row.last + "_"
        root = self.torch.nn.functional if self.row.name.startswith("nn.functional.") else self.torch.Tensor
        if self.row.name.partition(".")[0] in ("linalg", "fft", "special", "masked", "signal") or name.startswith("__"):
            return {"has": ABSENT}
        found = {}
        if self.row.name.startswith("nn.functional."):
            flag = lambda *args, **named: self.fun(*args, **named, inplace=True)  # noqa: E731
            found = {
                f"flag {i}": attempt(lambda c=c: self.written(c, flag))
                for i, c in enumerate(self.row.calls)
                if c.arrays()
            }
            if all(code(v) != "." for v in found.values()):
                found = {}
        if not hasattr(root, name):
            return found or {"has": ABSENT}
        fun = getattr(root, name)
        for i, call in enumerate(self.row.calls):
            if call.args and isinstance(call.args[0], np.ndarray):
                found[f"call {i}"] = attempt(lambda c=call: self.written(c, fun))
                found[f"grad {i}"] = attempt(
                    lambda c=call: self.gradients(c, 1, fun, lambda ts: [ts[0].clone(), *ts[1:]])
                )
                found[f"single {i}"] = attempt(lambda c=call: self.written(c.changed(narrowed), fun))
        for call in self.row.calls[:1]:
            if call.args and isinstance(call.args[0], np.ndarray):
                found["leaf"] = attempt(lambda: self.seen(self.run(call, self.leaves(call), fun)))
                for label, change in (("whole", whole), ("truth", truth), ("small", shrunk), ("expanded", None)):
                    found[label] = attempt(lambda change=change: self.odd(call, fun, change))
        return found or {"has": ABSENT}

    def written(self, call, fun):
        tensors = self.leaves(call, requires=False)
        out = self.run(call, tensors, fun)
        return [*self.seen(out), out is tensors[0], tensors[0]._version]

    def odd(self, call, fun, change):
        """An in-place form on a tensor that may not hold the answer."""
        tensors = self.leaves(call, requires=False)
        if change is None:
            tensors[0] = tensors[0][:1].expand(2, *tensors[0].shape[1:])
        else:
            tensors[0] = self.tensor(change(call.arrays()[0]))
        return self.seen(self.run(call, tensors, fun))

    def out(self):
        """`out=`: empty, full, of another shape, of other dtypes, and where a gradient is asked for."""
        if self.row.name.startswith("__"):
            return {"has": ABSENT}
        found = {}
        for i, call in enumerate(self.row.calls):
            found[f"call {i}"] = attempt(lambda c=call: self.filled(c))
        call = self.row.calls[0]
        if code(found["call 0"]) != ABSENT:
            for label, change in OUTS.items():
                found[label] = attempt(lambda change=change: self.filled(call, change))
            found["leaf"] = attempt(lambda: self.filled(call, None, True))
            found["number"] = attempt(lambda: self.seen(self.run(Call(*call.args, **call.named, out=3))))
        return found

    def filled(self, call, change=None, requires=False):
        torch = self.torch
        change = change or (lambda t: (tuple(t.shape), t.dtype))
        shapes = [change(t) for t in flat(self.run(call)) if hasattr(t, "requires_grad")]
        targets = [torch.zeros(shape, dtype=self.made(dtype)) for shape, dtype in shapes]
        args, named = self.arguments(call, self.leaves(call, requires))
        try:
            out = self.fun(*args, **named, out=targets[0] if len(targets) == 1 else tuple(targets))
        except TypeError as error:
            if any(
                word in str(error)
                for word in (
                    "unexpected keyword",
                    "no overload",
                    "invalid combination",
                    "takes no keyword",
                    "unrecognized keyword",
                    "an unexpected",
                    "takes exactly",
                    "is an invalid keyword",
                )
            ):
                return ABSENT
            raise
        same = all(a is b for a, b in zip(flat(out), targets))
        return [*self.seen(targets if self.row.via else targets), same]

    def errors(self):
        """Wrong calls: by type, number, shape, axis and name of arguments."""
        call = self.row.calls[0]
        found = {}
        for label, wrong in self.wrong(call):
            found[label] = self.value(wrong)
        return found

    def patternless(self, shape):
        """An array of a shape: ones, or where matrices have to be regular, numbers without a pattern."""
        return np.random.default_rng(3).normal(size=shape) if self.row.regular else np.ones(shape)

    def wrong(self, call):
        yield "nothing", Call()
        if self.row.name.startswith("__"):  # called by the interpreter, without names
            yield from (("text", Call(call.args[0], "x")), ("object", Call(call.args[0], object())))
            return
        yield "unknown name", Call(*call.args, **call.named, nothing=1)
        yield "too many", Call(*call.args, *[3] * 9, **call.named)
        for i, a in enumerate(call.args):
            for label, odd in (
                ("text", "x"),
                ("none", None),
                ("object", object()),
                ("half", 0.5),
                ("list", [[1.0, 2.0]]),
            ):
                if isinstance(a, np.ndarray) or label in ("text", "object"):
                    yield f"{label} as {i}", Call(*call.args[:i], odd, *call.args[i + 1 :], **call.named)
            if isinstance(a, np.ndarray) and a.ndim:
                for label, odd in (
                    ("shape", self.patternless((*a.shape[:-1], 7))),
                    ("axes", self.patternless((2, 2, *a.shape))),
                    ("scalar", np.ones(())),
                    ("dtype", narrowed(whole(a) if a.dtype.kind == "f" else a.astype(float))),
                    ("truth", truth(a)),
                    ("complex", a.astype(complex)),
                ):
                    yield f"{label} of {i}", Call(*call.args[:i], odd, *call.args[i + 1 :], **call.named)
        for n, one in enumerate(self.row.calls):
            for k in one.named:
                for label, odd in (
                    ("text", "x"),
                    ("far", 99),
                    ("far back", -99),
                    ("float", 1.5),
                    ("none", None),
                    ("twice", (0, 0)),
                    ("object", object()),
                ):
                    if label.startswith("far") and "dim" not in k:
                        continue
                    yield f"{k} {label} {n}", Call(*one.args, **one.named | {k: odd})

    def all(self):
        """Every column."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = {"value": self.values()}
            derivative = not self.row.random
            found["grad"] = self.grads(1) if derivative else {"has": ABSENT}
            found["grad-grad"] = self.grads(2) if derivative else {"has": ABSENT}
            found["forward"] = self.forward() if derivative else {"has": ABSENT}
            found["vmap"] = self.mapped()
            found["in-place"] = self.inplace()
            found["out"] = self.out()
            found["errors"] = self.errors()
        return found


def narrowed(a):
    """Single precision."""
    return a.astype({"d": np.float32, "D": np.complex64}.get(a.dtype.char, a.dtype))


def floats(change):
    """A change of floating arrays alone."""
    return lambda a: change(a) if a.dtype.kind == "f" else a


def whole(a):
    """Small integers of floats."""
    return np.round(4 * a.real).astype(np.int64)


def truth(a):
    """Booleans."""
    return a.real > 0.3


def shrunk(a):
    """The first part of the last axis."""
    return a[..., :1].copy()


def special(a):
    """NaN and infinities among the numbers."""
    a = a.copy()
    for i, v in zip(range(0, a.size, 3), (np.nan, np.inf, -np.inf, 0.0)):
        a.flat[i] = v
    return a


VARIANTS = {
    "half": floats(lambda a: a.astype(np.float16)),
    "complex": floats(lambda a: a + 0.3j * a[..., ::-1] if a.ndim else a + 0.3j),
    "whole": floats(whole),
    "bytes": floats(lambda a: np.abs(whole(a)).astype(np.uint8)),
    "truth": floats(truth),
    "empty": lambda a: a[:0] if a.ndim else a,
    "last empty": floats(lambda a: a[..., :0] if a.ndim else a),
    "one": floats(lambda a: np.array(a[(0,) * a.ndim])),
    "special": floats(special),
    "ties": floats(np.ones_like),
    "zeros": floats(np.zeros_like),
    "turned": floats(lambda a: np.asfortranarray(a) if a.ndim == 2 else a),
}
OUTS = {
    "empty": lambda t: ((0,), t.dtype),
    "other shape": lambda t: ((*t.shape, 2), t.dtype),
    "single": lambda t: (tuple(t.shape), Dtype("float32")),
    "whole": lambda t: (tuple(t.shape), Dtype("int64")),
    "truth": lambda t: (tuple(t.shape), Dtype("bool")),
    "complex": lambda t: (tuple(t.shape), Dtype("complex128")),
}


def argument_names(row):
    """The names of the positional arguments of an operation, where one of its signatures takes its first call."""
    probe = Probe.__new__(Probe)
    probe.torch = compat
    args, named = probe.arguments(row.calls[0])
    for way in signatures(row.name):
        if way.refusal(row.last, tuple(args), named) is None:
            return [p.name for p in way.parameters[: way.positional]]
    return []


def strides(x):
    """The steps of a tensor's memory where they can be seen: of axes longer than 1, where there are elements."""
    return [s for n, s in zip(x[1], x[2]) if n > 1] if 0 not in x[1] else []


def alike(ours, theirs, near=1e-7, more=False):
    """Why two outcomes differ, or None.

    Args:
        near: how near numbers must be, where no dtype says more.
        more: whether an answer may stand where PyTorch has none.
    """
    a, b = code(ours), code(theirs)
    if b == "k" or more and (a == "." != b or a == "-" and b not in ".-"):
        return None  # PyTorch has no kernel for the dtype, or no derivative
    if a != b:
        return f"{ours!r} here, {theirs!r} in PyTorch"
    if a != ".":
        return None
    if len(ours) != len(theirs):
        return f"{len(ours)} answers here, {len(theirs)} in PyTorch"
    text = str([x[0] for x in theirs if isinstance(x, tuple) and x])
    near = max(near, 2e-2 if "float16" in text else 3e-4 if "32" in text or "complex64" in text else 0)
    for x, y in zip(ours, theirs):
        if isinstance(x, tuple) and isinstance(y, tuple):
            if x[:-1][:2] != y[:-1][:2] or len(x) == 4 and strides(x) != strides(y):
                return f"{x[:-1]} here, {y[:-1]} in PyTorch"
            x, y = x[-1], y[-1]
        if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
            if x.shape != y.shape or not np.allclose(x, y, rtol=near, atol=near / 10, equal_nan=True):
                return f"{x.tolist()} here, {y.tolist()} in PyTorch"
        elif (
            isinstance(x, np.ndarray) != isinstance(y, np.ndarray)
            or type(x) is not type(y)
            or not (x == y or x != x and y != y or isinstance(x, float | complex) and np.isclose(x, y))
        ):
            return f"{x!r} here, {y!r} in PyTorch"
    return None


def differences(ours, theirs, row):
    """Lines for what differs between the outcomes of an operation in two libraries."""
    found = []
    for column in COLUMNS:
        mine, other = ours[column], theirs[column]
        for label in {**mine, **other}:
            if label not in mine or label not in other:
                missing, known = ("covector", other) if label not in mine else ("PyTorch", mine)
                why = None if code(known[label]) == ABSENT else f"not in {missing}"
            else:
                narrow = "32" in str([(c.args, c.named) for c in row.calls])
                # One unit in the last place of half precision: where PyTorch rounds depends on the processor.
                near = (1e-3 if label == "half" else 3e-4 if narrow else 1e-7) * row.tol
                why = alike(mine[label], other[label], near, column in MORE or label.startswith("grad"))
            if why:
                found.append((row.name, column, label, why))
    return found


MORE = ("grad", "grad-grad", "forward", "vmap")  # columns in which covector may do more
