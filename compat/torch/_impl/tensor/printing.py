"""PyTorch's repr of tensors."""

import math

import numpy as np

from ..dispatch.call import attach
from ..graph.node_data import visible
from ..inplace.inplace import chain
from ..modes.modes import modes
from ..state.levels import BatchTrace
from ..state.meta import is_meta, shown as shown_meta
from ..types import dtypes
from ..types.devices import moved
from ..types.parameter import PLAIN_KINDS, Parameter
from ..types.size import CPU
from ..types.tensor_type import FOREIGN, Tensor, TensorBase, needs_grad
from ..values.tangents import tangent_of
from .facts import edge_or_none


class Options:
    """Settings of `set_printoptions`; process-wide as torch's."""

    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = None


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Set the options for printing tensors."""
    if profile is not None:
        if profile not in ("default", "short", "full"):
            raise ValueError(f"unknown profile {profile!r}; give 'default', 'short' or 'full'")
        Options.precision = 2 if profile == "short" else 4
        Options.threshold = math.inf if profile == "full" else 1000
        Options.edgeitems = 2 if profile == "short" else 3
        Options.linewidth = 80
    for name, value in (("precision", precision), ("threshold", threshold), ("edgeitems", edgeitems),
                        ("linewidth", linewidth)):
        if value is not None:
            setattr(Options, name, value)
    Options.sci_mode = sci_mode


class Formatter:
    """The number format of one tensor: width, integers, scientific notation."""

    def __init__(self, array):
        self.floating = array.dtype.kind in "fV"
        self.int_mode = True
        self.sci_mode = False
        self.max_width = 1
        flat = array.reshape(-1)
        if not self.floating:
            for value in flat.tolist():
                self.max_width = max(self.max_width, len(f"{value}"))
            return
        flat = flat.astype(np.float64)
        finite = flat[np.isfinite(flat) & (flat != 0)]
        if not finite.size:
            return
        size = np.abs(finite)
        low, high = float(size.min()), float(size.max())
        if any(v != math.ceil(v) for v in finite.tolist()):
            self.int_mode = False
        self.sci_mode = Options.sci_mode
        if self.sci_mode is None:
            self.sci_mode = high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4
        if self.sci_mode:
            self.widen(finite, lambda v: f"{{:.{Options.precision}e}}".format(v))
        elif self.int_mode:
            self.widen(finite, lambda v: f"{v:.0f}", 1)
        else:
            self.widen(finite, lambda v: f"{{:.{Options.precision}f}}".format(v))

    def widen(self, values, form, extra=0):
        """Make room for the longest."""
        for v in values.tolist():
            self.max_width = max(self.max_width, len(form(v)) + extra)

    def width(self):
        """Characters of a number."""
        return self.max_width

    def format(self, value):
        """One number."""
        if self.floating:
            if self.sci_mode:
                text = f"{{:{self.max_width}.{Options.precision}e}}".format(value)
            elif self.int_mode:
                text = f"{value:.0f}"
                if math.isfinite(value):
                    text += "."
            else:
                text = f"{{:.{Options.precision}f}}".format(value)
        else:
            text = f"{value}"
        return (self.max_width - len(text)) * " " + text


class ComplexFormatter:
    """The same for complex numbers: real and imaginary parts have formats of their own."""

    def __init__(self, array):
        self.real = Formatter(array.real)
        self.imag = Formatter(array.imag)

    def width(self):
        """Characters of a number."""
        return self.real.width() + self.imag.width() + 1

    def format(self, value):
        """One number."""
        real, imag = self.real.format(value.real), self.imag.format(value.imag).lstrip() + "j"
        return real + imag if imag.startswith("-") else real + "+" + imag


def formatter(array):
    """The format of an array's numbers."""
    return ComplexFormatter(array) if array.dtype.kind == "c" else Formatter(array)


def summarized(array):
    """The corners that a summary shows."""
    if not array.ndim:
        return array
    e = Options.edgeitems
    if array.ndim == 1:
        return np.concatenate((array[:e], array[-e:])) if len(array) > 2 * e else array
    if len(array) > 2 * e:
        return np.stack([summarized(x) for x in [*array[:e], *array[-e:]]])
    return np.stack([summarized(x) for x in array]) if len(array) else array


def corners(array):
    """The corners of an array that a summary shows, and one element more along each axis that it shortens."""
    e = Options.edgeitems
    for axis, n in enumerate(array.shape):
        if n > 2 * e + 1:
            whole = (slice(None),) * axis
            array = np.concatenate((array[(*whole, slice(e + 1))], array[(*whole, slice(n - e, n))]), axis)
    return array


def vector(array, indent, summarize, form):
    """A row of numbers, wrapped."""
    per_line = max(1, math.floor((Options.linewidth - indent) / (form.width() + 2)))
    e = Options.edgeitems
    if summarize and len(array) > 2 * e:
        data = [form.format(v) for v in array[:e].tolist()] + [" ..."] + [form.format(v) for v in array[-e:].tolist()]
    else:
        data = [form.format(v) for v in array.tolist()]
    lines = [data[i : i + per_line] for i in range(0, len(data), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join([", ".join(line) for line in lines]) + "]"


def nested(array, indent, summarize, form):
    """The numbers of an array in brackets."""
    if not array.ndim:
        return form.format(array.item())
    if array.ndim == 1:
        return vector(array, indent, summarize, form)
    e = Options.edgeitems
    if summarize and len(array) > 2 * e:
        parts = [nested(x, indent + 1, summarize, form) for x in array[:e]] + ["..."] + [
            nested(x, indent + 1, summarize, form) for x in array[-e:]]
    else:
        parts = [nested(x, indent + 1, summarize, form) for x in array]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def with_suffixes(text, suffixes, indent, force_newline):
    """The text and what follows the numbers, on a new line where it is too long."""
    parts = [text]
    last = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        n = len(suffix)
        if force_newline or last + n + 2 > Options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            last = indent + n
            force_newline = False
        else:
            parts.append(", " + suffix)
            last += n + 2
    parts.append(")")
    return "".join(parts)


def represent(self, *, tensor_contents=None):
    """`repr(tensor)` as PyTorch prints it."""
    trace = self.level_trace
    if is_meta(self):
        return shown_meta(self)
    if trace is FOREIGN:
        return f"{type(self).__name__}({self.value!r})"
    if trace is not None and trace.done:
        return represent(self.value)
    if isinstance(trace, BatchTrace):
        mapped = None if self.autograd_meta is None else self.autograd_meta.mapped
        whole, axis = (self.value, 0) if mapped is None else mapped
        return f"BatchedTensor(lvl={level_number(trace)}, bdim={axis}, value=\n{indented(whole)}\n)"
    if isinstance(self.value, TensorBase):
        return f"GradTrackingTensor(lvl={level_number(trace)}, value=\n{indented(self.value)}\n)"
    name = "tensor" if type(self) in PLAIN_KINDS else type(self).__name__
    text = represent_ambient(self, name + "(", True)
    return f"Parameter({text})" if name != "tensor" and isinstance(self, Parameter) else text


def indented(t):
    """The lines of a tensor's repr inside another."""
    return "\n".join(line and "    " + line for line in represent(t).splitlines())


def level_number(trace):
    """A level's number as messages show it: 1 for the outermost transform that runs."""
    m = modes()
    running = sorted({t.level for t in (m.level, *[t for t, _ in m.lower], *m.maps) if t is not None})
    return running.index(trace.level) + 1 if trace.level in running else trace.level


def represent_ambient(self, prefix, history, numbers=False):
    """The repr of a tensor with memory; its numbers alone if that is all that is asked for."""
    array = self.value
    indent = len(prefix)
    suffixes = []
    summarize = array.size > Options.threshold
    if type(array) is not np.ndarray:
        suffixes.append(f"device='{self.device}'")
        array = moved(corners(array) if summarize else array, CPU)
    dtype = self.dtype
    usual = dtype in (dtypes.Default.float, dtypes.Default.float.to_complex(), dtypes.int64, dtypes.bool_)
    if not array.size:
        if array.ndim != 1:
            suffixes.append(f"size={tuple(array.shape)}")
        if dtype is not dtypes.Default.float:
            suffixes.append(f"dtype={dtype}")
        text = "[]"
    else:
        if not usual:
            suffixes.append(f"dtype={dtype}")
        text = nested(array, indent, summarize, formatter(summarized(array) if summarize else array))
    if numbers:
        return prefix + text
    force = False
    if history:
        node = stale = None
        try:
            node = edge_or_none(self)
        except RuntimeError:
            stale = True
        if stale:
            suffixes.append("grad_fn=<Invalid>")
        elif node is not None:
            shown = visible(node)[0].name().rpartition("::")[2]
            suffixes.append(f"grad_fn=<{shown}>")
        elif needs_grad(self):
            suffixes.append("requires_grad=True")
        if self.autograd_meta is not None and self.autograd_meta.tangent is not None:
            tangent = tangent_of(self)
            if tangent is not None:
                suffixes.append(f"tangent={tangent}")
    return with_suffixes(prefix + text, suffixes, indent, force)


def formatted(self, spec):
    """`format(tensor, spec)`: of a number by its value; one that cannot be read is shown, or refuses a `spec`."""
    if not self.ndim and type(self) is Tensor and (spec or not any(
            u.level_trace is FOREIGN or isinstance(u.level_trace, BatchTrace) for u in chain(self))):
        return self.item().__format__(spec)
    return object.__format__(self, spec) if spec else represent(self)


attach("__repr__", represent)
attach("__str__", represent)
attach("__format__", formatted)
