"""The modes of the stateful layer: one record of dynamic scope, None while all is default."""

import functools
from contextvars import ContextVar


class Modes:
    """Grad mode, inference mode, saved-tensor hooks, anomaly mode, the profiler, the levels of `func`; immutable.

    `grad` belongs to the innermost level, `lower` holds the (trace, grad mode) of the levels below it: a `no_grad`
    inside a transform affects it and those around it, one outside it does not reach inside.
    """

    __slots__ = ("grad", "inference", "hooks", "hooks_disabled", "anomaly", "foreign", "level", "lower", "maps",
                 "mapped", "mutable_saved", "packing", "quick", "recorder", "still", "selector", "answers", "alone",
                 "nans", "ungraded", "functions", "device", "without", "frozen", "autocast")

    def __init__(self):
        self.grad = True
        self.inference = False
        self.hooks = ()  # saved-tensor hooks, each a Packing, innermost last
        self.hooks_disabled = None  # the message of disable_saved_tensors_hooks
        self.anomaly = None  # None, or whether NaN is checked for
        self.level = None  # the innermost grad level; None: the ambient one
        self.lower = ()
        self.alone = False  # the level whose grad mode is off for itself alone: those below it record
        self.maps = ()  # the running vmaps, innermost last
        self.foreign = None  # the level below which a covector transform runs that new tensors are values of
        self.recorder = None  # what the profiler collects with, while one runs
        self.nans = None  # under covector.debug_nans: what looks at operations and nodes (nans.py)
        self.functions = ()  # the function modes, innermost last (dispatch/torch_function.py)
        self.frozen = ()  # the levels (None: the ambient one) at which forward mode is off
        self.autocast = None  # what autocast is set to (autocast_mode.py)
        self.device = None  # of tensors made by factories that name none; None for the CPU
        self.selector = None  # what a selective checkpoint asks about each operation
        self.answers = None  # what it lets primitives run through: `outputs(prim, compute)`
        self.mutable_saved = None  # the context of allow_mutation_on_saved_tensors
        self.quick = None  # the innermost level, where it records and nothing but levels is in force (level_lanes.py)
        self.mapped = None  # the innermost level where it is a vmap and nothing but levels is in force (map_lanes.py)
        self.without = None  # what `under` gives, in a tuple
        self.packing = None  # the innermost saved-tensor hooks, where nothing but hooks is in force
        self.ungraded = None  # what `ungrading` gives, in a list
        self.still = False  # whether nothing but no_grad or inference_mode is in force

    def but(self, **changes):
        """A copy with some fields changed."""
        new = Modes.__new__(Modes)
        new.grad = self.grad
        new.inference = self.inference
        new.hooks = self.hooks
        new.hooks_disabled = self.hooks_disabled
        new.anomaly = self.anomaly
        new.level = self.level
        new.lower = self.lower
        new.alone = self.alone
        new.maps = self.maps
        new.foreign = self.foreign
        new.recorder = self.recorder
        new.selector = self.selector
        new.answers = self.answers
        new.mutable_saved = self.mutable_saved
        new.nans = self.nans
        new.functions = self.functions
        new.device = self.device
        new.frozen = self.frozen
        new.autocast = self.autocast
        for name, value in changes.items():
            setattr(new, name, value)
        level = new.level
        new.without = new.quick = new.mapped = new.packing = new.ungraded = None
        if (level is not None or new.maps) and not (
                new.inference or new.hooks or new.nans is not None or new.anomaly is not None
                or new.foreign is not None or new.recorder is not None or new.selector is not None
                or new.mutable_saved is not None or new.functions or new.device is not None or new.frozen
                or new.autocast is not None):
            if new.maps and (level is None or new.maps[-1].level > level.level):
                new.mapped = new.maps[-1]
            elif new.grad:
                new.quick = level
        new.still = not new.grad and new.default_but_recording()
        if new.hooks and new.grad and not new.inference and new.default_but_hooks():
            new.packing = new.hooks[-1]
        return new

    def ungrading(self):
        """The modes in no_grad."""
        if self.ungraded is None:
            self.ungraded = [self.but(grad=False)]
        return self.ungraded[0]

    def under(self):
        """The modes below the innermost vmap; None where they are the default ones."""
        if self.without is None:
            new = self.but(maps=self.maps[:-1])
            self.without = (None if new.default() else new,)
        return self.without[0]

    def default(self):
        """Tell whether all is default."""
        return self.grad and not self.inference and self.default_but_recording()

    def default_but_recording(self):
        """Tell whether all but grad mode and inference mode is default."""
        return not self.hooks and self.default_but_hooks()

    def default_but_hooks(self):
        """Tell whether all but grad mode, inference mode and saved-tensor hooks is default."""
        return (self.level is None and not (self.maps or self.functions or self.frozen) and self.alone is False
                and self.foreign is self.recorder is self.anomaly is self.hooks_disabled is self.mutable_saved is None
                and self.selector is self.answers is self.device is self.autocast is None
                and self.nans is None and not self.lower)


MODES: ContextVar[Modes | None] = ContextVar("covector_torch_modes", default=None)
DEFAULT = Modes()


def modes():
    """The modes now, always a record."""
    return MODES.get() or DEFAULT


def set_modes(**changes):
    """Change the modes; returns what was there, for `restore`."""
    return changed(changes)[0]


restore = MODES.set  # put back what `MODES.get()` gave; one call into C, before which no signal arrives


def restoring(fun):
    """`fun` of this library: the modes are afterwards what they were, also if a signal arrives as a context inside is
    left."""
    @functools.wraps(fun)
    def run(*args, **kwargs):
        before = MODES.get()
        try:
            return fun(*args, **kwargs)
        finally:
            restore(before)

    return run


def enter(**changes):
    """Change the modes for a context of the user's; returns what `leave` takes."""
    return changed(changes)


def changed(changes):
    """Set fields of the modes; the modes before and after, and the fields."""
    before = MODES.get()
    new = (before or DEFAULT).but(**changes)
    own = None if new.default() else new
    try:
        MODES.set(own)
    except BaseException:  # a signal: who asked will not hear that it is done
        MODES.set(before)
        raise
    return before, own, changes


def enter_still(own, changes):
    """`enter` of a record that was made before, where all is default: `no_grad` is entered at every step, and inside
    of itself."""
    before = MODES.get()
    if before is None:
        try:
            MODES.set(own)
        except BaseException:
            MODES.set(before)
            raise
    elif before is not own:
        return enter(**changes)
    return before, own, changes


NO_GRAD = {"grad": False}
INFERENCE = {"grad": False, "inference": True}
IN_NO_GRAD, IN_INFERENCE = DEFAULT.but(**NO_GRAD), DEFAULT.but(**INFERENCE)


def leave(entered):
    """Undo `enter`: contexts that were entered since and not left keep what they changed."""
    before, own, changes = entered
    try:
        leave_once(before, own, changes)
    except BaseException:  # a signal: what has happened already does no harm again
        leave_once(before, own, changes)
        raise


def leave_once(before, own, changes):
    """`leave`, where no signal arrives."""
    if MODES.get() is own:
        MODES.set(before)
    else:
        was = before or DEFAULT
        set_modes(**{name: getattr(was, name) for name in changes})


def enter_level(trace):
    """Leave the transforms above a level (None: above the ambient one) for a while; returns what to restore."""
    m = before = MODES.get()
    number = 0 if trace is None else trace.level
    while m is not None and m.level is not None and m.level.level > number:
        (lower, grad), *rest = m.lower
        m = m.but(level=lower, grad=grad, lower=tuple(rest))
    if m is not None and m.maps and m.maps[-1].level > number:
        m = m.but(maps=tuple([t for t in m.maps if t.level <= number]))
    if m is not before:
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
    """Tell whether a `func` transform runs."""
    m = MODES.get()
    return m is not None and (m.level is not None or bool(m.maps))


def leave_level(trace):
    """Leave a level, if it is the innermost, for a while; vmaps above it stay. Returns what to restore."""
    m = before = MODES.get()
    if m is not None and m.level is trace:
        (lower, grad), *rest = m.lower
        MODES.set(m.but(level=lower, grad=grad, lower=tuple(rest)))
    return before


def pushes(trace):
    """Tell whether operations at a level (None: the ambient one) push tangents: neither it nor any above it is
    frozen."""
    m = MODES.get()
    if m is None or not m.frozen:
        return True
    for level in (m.level, *[level for level, _ in m.lower]):
        if level in m.frozen:
            return False
        if level is trace:
            return True
    return None not in m.frozen


def records(trace):
    """Tell whether operations on values of a grad level are recorded now: its own mode and all above it must be on."""
    m = MODES.get()
    if m is None:
        return True
    if m.level is trace or m.level is None and not trace.level:
        return m.grad and not m.inference
    if not m.grad and m.level is not m.alone:
        return False
    for lower, grad in m.lower:
        if lower is trace or lower is None and not trace.level:
            return grad
        if not grad and lower is not m.alone:
            return False
    return True


def carries(trace):
    """Tell whether values of a grad level bring their nodes to operations now: where these are recorded, and where a
    level above runs, whose pullback finds what it saved when the mode may be on again."""
    m = MODES.get()
    return m is None or m.level is not None and m.level is not trace or records(trace)


# The exception that ends a recomputation as soon as all saved tensors are there.


class Complete(BaseException):  # noqa: N818 (nothing is wrong: what turns errors into others lets it pass)
    """All that is needed has been computed again. Who writes beside what is recorded does so before it passes on."""
