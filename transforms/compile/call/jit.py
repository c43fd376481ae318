"""`jit`: stage a function once for each signature, and run generated source from then on."""

import os
import threading
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple, overload

import numpy as np

from ....core.arrays.avals import aval_of
from ....core.arrays.backend import compiler, installed, is_array
from ....core.arrays.dtypes import is_inexact
from ....core.checks import check_function
from ....core.errors import at_user_line
from ....core.lazy import LazyModule
from ....core.primitive.primitive import RAW
from ....core.tape.recording import ONE_AT_A_TIME
from ....core.trace.device import library_of
from ....core.trace.tracer import Tracer
from ....core.types import Any, Callable, Fun
from ...arguments.arguments import computable, flatten, flatten_call, settle
from ...arguments.escape_checks import check_escaped
from ...arguments.statics import check_positions, positions, statics, with_static, without_static
from ...arguments.transformed import transformed
from ...graph.drawing import html_of
from ...graph.printing import input_labels
from ...interpreters.gradient import vjp
from ...reverse.nan_checks import has_nan
from ...scope.axis_environment import axis_sizes
from ...scope.debug_modes import modes
from ...scope.errstate import unmarked
from ...staging.graph import ShapeDtype
from ...staging.staging import stage
from ..analysis.cost import WORTH, looked_at
from ..render.functions import MISS, note_line
from .call import Compiled, call_compiled
from .signature import DONATED, NUMBER, check_donated, described_change, give_away, leaf_key, quick_look, static_key

ndarray = np.ndarray
_KEPT = 256  # signatures kept of one function
_LOOKS = 16  # signatures that are looked at before anything is looked up
_OFTEN = 16  # signatures after which a message says what changes
_NATIVE: Any = LazyModule("covector.transforms.compile.call.native_program")
_DEVICE: Any = LazyModule("covector.transforms.compile.call.device_program")
_EXPLANATION: Any = LazyModule("covector.transforms.compile.call.explanation")
_PRINTERS = ("auto", "numpy", "scalar", "graph", "llvm", "cuda")


class CacheInfo(NamedTuple):
    """Statistics of a compiled function: calls with a known signature, and compilations."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


@overload
def jit(
    fun: Fun, *, static_argnums: int | Sequence[int] = (), static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (), compiler_options: dict[str, Any] | None = None,
) -> Fun: ...
@overload
def jit(
    fun: None = None, *, static_argnums: int | Sequence[int] = (), static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (), compiler_options: dict[str, Any] | None = None,
) -> Callable[[Fun], Fun]: ...
def jit(
    fun: Any = None, *, static_argnums: int | Sequence[int] = (), static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (), compiler_options: dict[str, Any] | None = None,
) -> Any:
    """Compile a function: stage it once for each signature, and run what is generated for it from then on.

    Args:
        fun: a function of pytrees of arrays and numbers that returns such a pytree. It runs once for each signature, on
            traced values: what it prints, or asks of the world, happens then and not again.
        static_argnums, static_argnames: positions and names of arguments that are passed to `fun` as they are, and
            looked up by type and value; they need a hash. A parameter that is named in one is found in the other.
        donate_argnums: positions of arguments whose arrays the function may write to; they must not be used again.
        compiler_options: `{"printer": name}` chooses what is generated: "numpy" for NumPy calls, "scalar" for Python
            floats, "graph" to run equation by equation, "llvm" for native code (with the extra `covector[llvm]`; values
            agree to rounding), "cuda" for kernels on arrays of CuPy (these run equation by equation else); by default
            ("auto") the fastest of "numpy", "scalar" and, where it is installed, "llvm".
    Returns:
        a function with the same values and derivatives, to be used under any transform. `.lower(*args)` shows what was
        compiled, `.explain(*args)` says which parts run natively and why the others do not, `.cache_info()` counts
        signatures, `.clear_cache()` forgets them.
    Raises:
        ConversionError: `fun` asks for the value of an argument, as `if x > 0` does.
        TypeError: a static argument has no hash, or is a traced value.
        ValueError: a position that `fun` has no argument at, or that is both static and donated.
        MissingLibraryError: native code was asked for, and llvmlite is not installed.
        BackendError: CUDA kernels were asked for, and the arguments are no arrays of CuPy.

    A signature is the structure of the arguments, the shape and dtype of each array, whether a number is a Python one,
    and the static values. Arrays that `fun` closes over are constants: small ones are copied when it is staged; large
    ones must not be written to.

    >>> import numpy as np, covector
    >>> f = covector.jit(lambda x: (np.sin(x) ** 2).sum())
    >>> float(f(np.zeros(3)))
    0.0
    >>> covector.grad(f)(np.zeros(3))
    array([0., 0., 0.])
    """
    if fun is None:
        return lambda f: jit(f, static_argnums=static_argnums, static_argnames=static_argnames,
                             donate_argnums=donate_argnums, compiler_options=compiler_options)
    check_function(fun, "jit")
    options = {"static_argnums": static_argnums, "static_argnames": static_argnames, "donate_argnums": donate_argnums,
               "compiler_options": compiler_options}
    return _Jit(fun, static_argnums, static_argnames, donate_argnums, compiler_options).public(options)


class _Entry(NamedTuple):
    """The compiled form of a signature."""

    call: Any
    rebuild: Any
    donated: tuple[int, ...]  # the places of leaves that it may write to
    looks: dict[tuple[bool, ...], Any]  # what `quick_look` gives, by how the arrays lie in memory


class _Jit:
    """The state of one compiled function."""

    def __init__(self, fun, static_argnums, static_argnames, donate_argnums, options):
        self.fun = fun
        self.name = _name_of(fun)
        self.places, self.names = statics(fun, static_argnums, static_argnames, "jit")
        self.donated = positions(donate_argnums, "donate_argnums of jit")
        check_positions(fun, self.donated, "donate_argnums of jit")
        for k in self.donated:
            if k in self.places:
                raise ValueError(f"jit was told that argument {k} of {self.name} is static and donated, but only "
                                 f"arrays are donated; leave it out of one of the two{at_user_line()}")
        self.options = _checked_options(options)
        self.cache = OrderedDict()
        self.looks = []
        self.lock = threading.RLock()  # a call may compile the same function again, inside of its own staging
        self.hits = self.misses = 0
        self.told = False
        self.any: Any = None  # the function that takes any signature
        self.again: Any = None  # the same of `(args, kwargs)`
        self.shown: Any = None  # a weak reference to what users call

    def public(self, options):
        """The function that users call; `options` are those of `jit`."""
        looks = self.looks

        def again(args, kwargs):
            try:
                for look in looks:
                    out = look(args, kwargs)
                    if out is not MISS:
                        return out
                return self.call(args, kwargs)
            except Exception as error:
                note_line(error)
                raise

        def compiled(*args, **kwargs):
            return again(args, kwargs)

        self.again, self.any = again, compiled
        compiled.__name__ = compiled.__qualname__ = self.name
        public: Any = transformed(compiled, self.fun, jit, (self.fun,), options, own=False)
        public.lower = self.lower
        public.explain = self.explain
        public.cache_info = self.cache_info
        public.clear_cache = self.clear_cache
        public._repr_html_ = self.drawn
        self.shown = weakref.ref(public)
        return public

    def drawn(self):
        """Draw the newest signature for notebooks, with its source; None before the first call."""
        entry = next(reversed(self.cache.values()), None)
        if entry is None:
            return None
        programs = entry.call.programs
        return html_of_program(programs.of((True,) * len(programs.places)), entry.call.graph)

    def cache_info(self):
        """`CacheInfo(hits, misses, maxsize, currsize)`; calls that take the quickest way are not counted as hits."""
        return CacheInfo(self.hits, self.misses, _KEPT, len(self.cache))

    def clear_cache(self):
        """Forget every signature."""
        with self.lock:
            self.cache.clear()
            self.looks.clear()
            self.call_first(self.any)  # the front that users call knows a signature, too

    def lower(self, *args, **kwargs):
        """Compile the function for such arguments, or a `ShapeDtype` for each array of them, to look at the stages."""
        static, dynamic, leaves, _, rebuild = self.taken_apart(args, kwargs)
        leaves = [np.empty(x.shape, x.dtype) if type(x) is ShapeDtype else x for x in leaves]
        entry, captured = self.staged(static, dynamic, leaves, rebuild)
        if captured:
            check_escaped(captured)
        return Lowered(entry.call, [settle(x) for x in leaves])

    def explain(self, *args, **kwargs):
        """Say which parts of the function for such arguments run in native code, which NumPy runs, and why."""
        return _EXPLANATION.Explanation(self.lower(*args, **kwargs)._program)

    def call(self, args, kwargs):
        """Run a call that missed the fast guards; under `debug_nans`, without compilation."""
        if modes().nans:
            return run_watched(self.fun, args, kwargs, self.name)
        static, dynamic, leaves, form, rebuild = self.taken_apart(args, kwargs)
        # Before the lookup: a donated array has given its memory away, and a known signature would read what is there
        # now.
        if DONATED:
            check_donated(leaves, self.name)
        key = self.key(static, form, leaves)
        entry = self.cache.get(key)
        captured = []
        if entry is None:
            entry, captured = self.staged(static, dynamic, leaves, rebuild)
            if not captured:
                self.remember(key, entry)
        else:
            self.hits += 1
        leaves = [settle(x) for x in leaves]  # what was deferred is computed now, once
        device = "device" in self.options
        # A transform around it, or a value of one.
        if captured or not all(type(x) in RAW or device and is_array(x) for x in leaves):
            return entry.rebuild(call_compiled(entry.call, [*leaves, *captured]))
        if entry.donated:
            return entry.rebuild(entry.call.run(give_away(leaves, entry.donated, self.name)))
        if not axis_sizes():  # a quick look does not see the mapped axes around it
            self.look_for(args, kwargs, static, leaves, entry)
        return entry.rebuild(entry.call.run(leaves))

    def taken_apart(self, args, kwargs):
        """Static arguments by place or name, the others as a pytree, its leaves, structure, and what rebuilds it."""
        static, dynamic = without_static(args, kwargs, self.places, self.names)
        leaves, rebuild, form = flatten_call(*dynamic)
        return static, dynamic, leaves, form, rebuild

    def key(self, static, form, leaves):
        """The signature of a call."""
        known = [(k, static_key(v, f"{'the ' * (type(k) is str)}argument {k}")) for k, v in static.items()]
        return form, tuple([leaf_key(settle(x)) for x in leaves]), tuple(known), axis_sizes()

    def staged(self, static, dynamic, leaves, rebuild):
        """`(entry, captured)` of a new signature; `captured` are values of surrounding transforms it closes over."""
        keys = [leaf_key(settle(x)) for x in leaves]
        avals = [k[1] if type(k) is tuple else k for k in keys]
        numbers, arrays = [{i for i, k in enumerate(keys) if type(k) is tuple and k[0] is kind}
                           for kind in (NUMBER, np.ndarray)]

        def run(given, named):
            args, kwargs = with_static(given, named, static)
            out = self.fun(*args, **kwargs)
            self.check_result(out)
            return out

        with unmarked():  # what it warns of is decided where it runs, not where it is staged
            graph, _ = stage(run, avals, rebuild, "jit", like=leaves, numbers=numbers, arrays=arrays)
        captured = graph.captured
        donated = () if captured else self.donated_leaves(dynamic, static)
        call = Compiled(graph.with_inputs(graph.inputs), self.name, own=True,
                        options={**self.options, "donated": donated}, library=library_of(*leaves))
        call.graph.labels = input_labels(self.fun, dynamic[0], dynamic[1], tuple(static))
        return _Entry(call, graph.rebuild, donated, {}), captured

    def donated_leaves(self, dynamic, static):
        """The places of the leaves of donated arguments."""
        found = []
        places = {k if k >= 0 else k + len(dynamic[0]) + len(static) for k in self.donated}
        start = 0
        kept = [k for k in range(len(dynamic[0]) + len(static)) if k not in static]
        for k, arg in zip(kept, dynamic[0]):  # static arguments have places, and no leaves
            count = len(flatten(arg)[0])
            if k in places:
                found += range(start, start + count)
            start += count
        return tuple(found)

    def check_result(self, out):
        """Raise for a result that holds anything else than arrays; it may hold none."""
        for leaf in flatten(out)[0]:
            if not computable(settle(leaf)):
                raise TypeError(f"jit needs a function that returns arrays and numbers, but {self.name} returned "
                                f"{leaf!r} of type {type(leaf).__name__}; return arrays, and keep the rest outside"
                                f"{at_user_line()}")

    def remember(self, key, entry):
        """Keep a signature; say what changes where there are many."""
        with self.lock:
            self.misses += 1
            if self.misses >= _OFTEN and not self.told:
                self.told = True
                warnings.warn(f"jit compiled {self.name} {self.misses} times; what was new the last time: "
                              f"{described_change(key, list(self.cache))}; keep shapes and static values the same, or "
                              f"call the function without jit{at_user_line()}", stacklevel=4)
            self.cache[key] = entry
            while len(self.cache) > _KEPT:
                self.cache.popitem(last=False)  # the oldest: one that is used often has its quick look

    def look_for(self, args, kwargs, static, leaves, entry):
        """Move the guard of calls like this one to the front; generate it the first time."""
        layout = tuple([x.flags.c_contiguous for x in leaves if type(x) is ndarray])
        if layout not in entry.looks:
            entry.call.programs.for_layout_of(leaves)  # which may find that it does not depend on that
            entry.looks[layout] = quick_look(args, kwargs, static, entry.call, entry.rebuild)
        look, front = entry.looks[layout]
        if look is not None:
            with self.lock:
                # In place: the function that users call holds this very list.
                self.looks[:] = [look, *self.looks[: _LOOKS - 1]]
                if front is not None:
                    self.call_first(front(self.again))

    def call_first(self, function):
        """Redirect the public function to another implementation."""
        public = self.shown()
        if public is not None and ONE_AT_A_TIME:  # else another thread may be about to call the one before
            public.__setstate__((function, (), {}, vars(public)))


def _name_of(fun):
    """The name of a function, of what a partial calls, or of the class of an object."""
    while not hasattr(fun, "__name__") and isinstance(fun, partial):
        fun = fun.func
    return getattr(fun, "__name__", type(fun).__name__)


def _checked_options(options):
    """The compiler options, after a look that they are known."""
    options = dict(options or {})
    printer = options.pop("printer", "auto")
    if options or printer not in _PRINTERS:
        raise ValueError(f"compiler_options of jit takes printer=, one of {', '.join(_PRINTERS)}, but got "
                         f"{options or printer!r}; leave it out to have the faster one chosen{at_user_line()}")
    if printer == "llvm":
        if installed("llvmlite") is None:
            compiler("llvmlite")  # an error that says what to install
        printer = _NATIVE.native
    if printer == "cuda":
        return {"printer": _DEVICE.cuda, "device": True}
    asked = {"native": _native_if_faster, "tell": lambda *given: _NATIVE.tell_of_loops(*given)}
    return {"printer": printer, "told": set(), **(asked if printer == "auto" else {})}


def _native_if_faster(program, cost):
    """`(text, function)` of a program in native code, whose modules are loaded for it; None where that does not pay."""
    may_pay = (cost + looked_at(program.graph.inputs) >= WORTH and installed("llvmlite") is not None
               and os.environ.get("COVECTOR_NATIVE") != "0")
    return _NATIVE.native_if_faster(program, cost) if may_pay else None


# The stages of a compiled function, for inspection.

HTML = LazyModule("html")


class Lowered:
    """The result of `jit(fun).lower(*args)`: the stages of a function for one signature.

    `graph` is what was staged; `source` the text of the generated function; `buffers` the bytes of each buffer;
    `passes` pairs of a name and the text of the graph after it.
    """

    def __init__(self, call, leaves):
        self._program = call.programs.for_layout_of(leaves)
        self.graph = call.graph

    @property
    def source(self):
        """The generated source."""
        return self._program.text

    @property
    def passes(self):
        """`[(name, text of the graph after it), …]`."""
        return [("staged", repr(self.graph)), *self._program.passes]

    @property
    def buffers(self):
        """The bytes of each buffer that temporaries share."""
        return [slot.nbytes for slot in self._program.slots]

    @property
    def groups(self):
        """The groups of equations that run a block of elements at a time, each as a list of names of operations."""
        return self._program.groups

    def __repr__(self):
        return f"Lowered({len(self.graph.equations)} equations, {len(self.source.splitlines())} lines of source)"

    def __str__(self):
        return f"{self.graph!r}\n\n{self.source}"

    def _repr_html_(self):
        return html_of_program(self._program, self.graph)


def html_of_program(program, graph):
    """The drawing of a graph after all passes, what runs as one loop as one box, and the generated source beside it."""
    draft = program.draft
    shown = SimpleNamespace(labels=graph.labels, inputs=draft.inputs, equations=draft.equations,
                            outputs=draft.outputs, captured=())
    source = HTML.escape(program.text or "run equation by equation")
    return ('<div style="display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start">'
            f'{html_of(shown)}<pre style="flex:1 1 24em;min-width:0;overflow:auto;max-height:40em">{source}</pre>'
            "</div>")


# `debug_nans` under jit: rerun a function that returned NaN under tracing, to find the operation.


def run_watched(fun, args, kwargs, name):
    """`fun(*args, **kwargs)`; raises FloatingPointError if it makes a NaN of plain arguments without one."""
    out = fun(*args, **kwargs)  # plain first: most calls have no NaN
    found = [settle(v) for v in flatten(out)[0]]
    if any(isinstance(v, Tracer) for v in found) or not has_nan([v for v in found if _is_float(v)]):
        return out  # other transforms look at each operation on their values
    leaves, rebuild = flatten((args, kwargs))
    places = [k for k, x in enumerate(leaves) if _is_float(x)]
    if has_nan([leaves[k] for k in places]):  # a NaN that was given is no fault of an operation
        return out

    def run(*values):
        full = list(leaves)
        for k, x in zip(places, values):
            full[k] = x
        args, kwargs = rebuild(full)
        fun(*args, **kwargs)
        return ()

    vjp(run, *[leaves[k] for k in places])
    raise FloatingPointError(f"jit of {name} returned a NaN, which no operation on its floating arguments made; look "
                             f"at its integers, and at the arrays it closes over{at_user_line()}")


def _is_float(x):
    """Tell whether a leaf is an array or a number that can be NaN."""
    try:
        return is_inexact(aval_of(x).dtype)
    except TypeError:
        return False
