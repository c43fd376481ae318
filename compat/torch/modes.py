"""The modes of the stateful layer: one record of dynamic scope, None while all is default."""

from contextvars import ContextVar


class Modes:
    """Grad mode, inference mode, saved-tensor hooks, anomaly mode, the profiler, the levels of `func`; immutable.

    `grad` belongs to the innermost level, `lower` holds the (trace, grad mode) of the levels below it: a `no_grad`
    inside a transform affects it and those around it, one outside of it does not reach inside.
    """

    __slots__ = ("grad", "inference", "hooks", "hooks_disabled", "anomaly", "foreign", "level", "lower", "maps",
                 "mutable_saved", "recorder", "sweeping")

    def __init__(self):
        self.grad = True
        self.inference = False
        self.hooks = ()  # (pack, unpack) pairs, innermost last
        self.hooks_disabled = None  # the message of disable_saved_tensors_hooks
        self.anomaly = None  # None, or whether NaN is checked for
        self.level = None  # the innermost grad level; None: the ambient one
        self.lower = ()
        self.maps = ()  # the running vmaps, innermost last
        self.foreign = None  # the level below which a covector transform runs that new tensors are values of
        self.sweeping = False  # whether a sweep of the engine runs here
        self.recorder = None  # what the profiler collects with, while one runs
        self.mutable_saved = None  # the context of allow_mutation_on_saved_tensors

    def but(self, **changes):
        """A copy with some fields changed."""
        new = Modes.__new__(Modes)
        for name in Modes.__slots__:
            setattr(new, name, changes[name] if name in changes else getattr(self, name))
        return new


MODES: ContextVar[Modes | None] = ContextVar("covector_torch_modes", default=None)
DEFAULT = Modes()
_DEFAULTS = tuple((name, getattr(DEFAULT, name)) for name in ("grad", *Modes.__slots__))


def modes():
    """The modes now, always a record."""
    return MODES.get() or DEFAULT


def set_modes(**changes):
    """Change the modes; returns what was there, for `restore`."""
    before = MODES.get()
    new = (before or DEFAULT).but(**changes)
    MODES.set(new if any(getattr(new, name) != value for name, value in _DEFAULTS) else None)
    return before


def restore(before):
    """Put back what `set_modes` returned."""
    MODES.set(before)


def enter_level(trace):
    """Leave the transforms above a level (None: above the ambient one) for a while; returns what to restore."""
    m = before = MODES.get()
    number = 0 if trace is None else trace.level
    while m is not None and m.level is not None and m.level.level > number:
        (lower, grad), *rest = m.lower
        m = m.but(level=lower, grad=grad, lower=tuple(rest))
    if m is not None and m.maps and m.maps[-1].level > number:
        m = m.but(maps=tuple([t for t in m.maps if t.level <= number]))
    MODES.set(m)
    return before


def enter_below(trace):
    """Leave a level and all above it for a while; returns what to restore."""
    before = enter_level(trace)
    m = MODES.get()
    if m is not None and m.level is trace:
        (lower, grad), *rest = m.lower
        m = m.but(level=lower, grad=grad, lower=tuple(rest))
    if m is not None and m.maps and m.maps[-1] is trace:
        m = m.but(maps=m.maps[:-1])
    MODES.set(m)
    return before


def grad_levels(m):
    """The running grad levels of a record, outermost first."""
    if m.level is None:
        return ()
    return *[level for level, _ in reversed(m.lower) if level is not None], m.level


def transforming():
    """Whether a `func` transform runs."""
    m = MODES.get()
    return m is not None and (m.level is not None or bool(m.maps))


def leave_level(trace):
    """Leave a level, if it is the innermost, for a while; vmaps above it stay. Returns what to restore."""
    m = before = MODES.get()
    if m is not None and m.level is trace:
        (lower, grad), *rest = m.lower
        MODES.set(m.but(level=lower, grad=grad, lower=tuple(rest)))
    return before


def records(trace):
    """Whether operations on values of a grad level are recorded now: its own mode and all above it must be on."""
    m = MODES.get()
    if m is None:
        return True
    if m.level is trace or m.level is None and not trace.level:
        return m.grad and not m.inference
    if not m.grad:
        return False
    for lower, grad in m.lower:
        if lower is trace or lower is None and not trace.level:
            return grad
        if not grad:
            return False
    return True
