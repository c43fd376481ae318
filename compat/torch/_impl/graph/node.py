"""The nodes of the stateful tape: what the sweep runs, with hooks, versions, captures and torch's names."""

import re
from collections import OrderedDict

import numpy as np

from ..... import extend
from .....extend import FREED, AmbientNode, Extra
from . import anomaly, versions
from .hooks import SHOWN, RemovableHandle, call_hooks, call_posthooks, call_prehooks, retain
from .node_errors import freed, modified
from .node_names import NamedRule, displayed, name_of
from .output_hooks import call_output_hooks, heard, part
from .pruned_rule import narrowed
from .undefined import UNDEFINED

ndarray = np.ndarray


class NodeExtra(Extra):
    """What few nodes have: hooks of the tensor and of the node, a retained tensor, names, packed saved values."""

    hooks = packing = tangents = name = edges = meta = prehooks = posthooks = None
    call = None  # (row, arguments but for tensors, keywords) of the operation
    outputs = None  # of a node with several: what output_hooks.py knows of their hooks
    retained = None  # a weak reference to the tensor whose gradient is kept
    traceback = None
    seen = None  # the parent in the sense of anomaly mode
    quiet = True  # names alone: the sweep need not look here

    def __init__(self):
        pass


class GradNode(AmbientNode):
    """One recorded operation of the stateful layer."""

    __slots__ = ()
    extra_class = NodeExtra
    lost = False  # whether what arrives goes nowhere
    undefined_inputs = False  # whether an all-undefined cotangent still runs the rule

    def ensure_hooks(self):
        """The extra of a node about to get something that the sweep must see."""
        extra = self.more()
        extra.quiet = False
        return extra

    def run(self, ct, drive):
        """The cotangents of the parents, after hooks, retained gradients and captures; None ends this path."""
        if drive.plain and (self.extra is None or self.extra.quiet):
            rule = self.rule
            saved = self.saved
            if rule.keeps:
                if saved is FREED:
                    raise freed()
                if versions.WRITTEN and (type(saved) is not ndarray or versions.written(saved) is not None) and (
                        self.changed(saved) is not None):
                    return self.run_slowly(ct, drive)
                if not drive.retain:
                    self.saved = FREED
            return rule.back(ct, saved) if ct is not UNDEFINED else self.undefined()
        return self.run_slowly(ct, drive)

    def run_slowly(self, ct, drive):
        """`run` with everything that can happen at a node."""
        if drive.recorder is not None and not picks(self):
            return drive.recorder.node(self, ct, drive)
        return self.guarded(ct, drive)

    def guarded(self, ct, drive):
        """The steps, in anomaly mode or under debug_nans with an eye on them."""
        watched = drive.anomaly is not None or drive.nans
        return anomaly.guarded(self, drive, ct) if watched else self.steps(ct, drive)

    def steps(self, ct, drive):
        """Tensor hooks, retained gradient, capture, node hooks around the rule."""
        extra = self.extra
        captured = drive.capture is not None and self.seq in drive.capture
        if type(ct) is extend.Scatter and (extra is not None or captured):
            ct = ct.dense()  # the rule alone takes it as it is
        runs = drive.runs is None or self.seq in drive.runs
        raw = ct
        if extra is not None and not (picks(self) and heard(self)):
            if extra.hooks:
                ct = call_hooks(extra.hooks, ct, drive)
            if extra.retained is not None:
                retain(extra, ct, drive)
            if extra.outputs:
                ct = call_output_hooks(extra.outputs, ct, drive)
        if drive.outputs is not None and self.seq in drive.outputs:
            for nr, seq in drive.outputs[self.seq]:
                drive.take(seq, part(raw if runs else ct, nr))
        if captured:
            drive.take(self.seq, raw if runs else ct)
        if not runs:
            return None
        if extra is not None and extra.prehooks:
            ct = call_prehooks(self, ct, drive)
        out = self.apply(ct, drive) if drive.recorder is None or picks(self) else drive.recorder.rule(self, ct, drive)
        if extra is not None and extra.posthooks:
            out = call_posthooks(self, out, ct, drive)
        return out if drive.needed is None else self.pruned(out, drive.needed)

    def apply(self, ct, drive):
        """Unpack, lift, free, and run the rule."""
        if ct is UNDEFINED:
            return self.undefined()
        rule, saved, part = self.rule, self.saved, None
        if rule.keeps:
            if saved is FREED:
                raise freed()
            extra = self.extra
            if extra is not None and extra.packing is not None:
                saved = extra.packing.unpack(self, saved, drive)
            else:
                if versions.WRITTEN and self.changed(saved) is not None:
                    part = narrowed(self)
                    self.check(saved, part)
                if drive.create_graph or extra is not None and extra.tangents is not None:
                    saved = drive.trace.lift(self, saved, drive.create_graph)
            if not drive.retain:
                self.free()
        elif rule.once and drive.create_graph:
            drive.trace.refuse_again(rule)
        return rule.back(ct, saved) if part is None else part.back(ct, saved, len(rule.names) == 1)

    def undefined(self):
        """Undefined cotangents for all parents."""
        return (UNDEFINED,) * len(self.parents) if type(self.parents) is tuple else UNDEFINED

    def pruned(self, out, needed):
        """Cotangents without those of parents that lead nowhere wanted."""
        if type(self.parents) is not tuple:
            return out if self.parents.seq in needed else None
        kept = tuple([c if p.seq in needed else None for c, p in zip(out, self.parents)])
        return kept if any(c is not None for c in kept) else None

    def check(self, saved, part=None):
        """Raise if an array that the rule, or a part of it, needs was written to in place since."""
        found = self.changed(saved, part)
        if found is not None:
            raise self.modified(*found)

    def changed(self, saved, part=None):
        """`(array, versions, origin)` of the first saved array that was written to in place since, or None."""
        rule = self.rule
        for k, (x, origin) in enumerate(zip((saved,) if len(rule.origins) == 1 else saved, rule.origins)):
            if origin is None or part is not None and k not in part.positions:
                continue
            for value in x if type(x) is tuple else (x,):
                array = value if type(value) is ndarray else extend.unwrap(value)
                if type(array) is ndarray:
                    changed = versions.changed_since(array, self.seq)
                    if changed is not None:
                        return array, changed, origin
        return None

    def modified(self, array, changed, origin, source=None):
        """torch's error for a saved value that was written to; `source` is its own node where that is known."""
        words = ""
        if origin == -1:
            source = self
        elif origin is not None and origin in self.rule.active:
            parents = self.parents if type(self.parents) is tuple else (self.parents,)
            source = parents[self.rule.active.index(origin)]
        if source is not None:
            node, nr = visible(source)
            words = "" if isinstance(node, AccumulateGrad) else f", which is output {nr} of {short(node.name())},"
        return modified(array, changed, words)

    # what a user sees of a node

    def name(self):
        """torch's name of the operation: `MulBackward0`."""
        extra = self.extra
        if extra is not None and extra.name is not None:
            return extra.name
        rule = self.rule
        return rule.title if type(rule) is NamedRule else name_of(rule)

    @property
    def metadata(self):
        """A dict of the user's, made when first asked for; anomaly mode keeps there what it knows."""
        extra = self.more()
        if extra.meta is None:
            extra.meta = {}
        if extra.traceback is not None:
            extra.meta.setdefault("traceback_", extra.traceback.format())
            if extra.seen is not None:
                extra.meta.setdefault("parent_", dress(extra.seen))
        return extra.meta

    def edges(self):
        """The nodes of the operation's operands, where those of the rule's are not the same; None where they are."""
        extra, rule = self.extra, self.rule
        if extra is not None and extra.edges is not None:
            return extra.edges
        return rule.shows(self) if type(rule) is NamedRule and rule.shows is not None else None

    @property
    def next_functions(self):
        """`((node, output number), …)` of the operands; `(None, 0)` for one that needs no gradient."""
        edges = self.edges()
        if edges is not None:
            return displayed(self.name(), [(None, 0) if e is None else shown(e) for e in edges])
        rule = self.rule
        parents = self.parents if type(self.parents) is tuple else (self.parents,)
        if rule is None or not rule.active or rule.prim is None:
            return tuple([shown(p) for p in parents])
        if rule.prim.variadic:
            return tuple([shown(p) for p in parents])
        count = rule.prim.nin - len(rule.prim.nondiff)
        places = [i for i in range(rule.prim.nin) if i not in rule.prim.nondiff]
        out = [(None, 0)] * count
        for i, p in zip(rule.active, parents):
            out[places.index(i)] = shown(p)
        return displayed(self.name(), out)

    def register_hook(self, fn):
        """Call `fn(grad_inputs, grad_outputs)` after the node has run; it may return other grad_inputs."""
        extra = self.ensure_hooks()
        if extra.posthooks is None:
            extra.posthooks = OrderedDict()
        return RemovableHandle(extra.posthooks, fn)

    def register_prehook(self, fn):
        """Call `fn(grad_outputs)` before the node runs; it may return other grad_outputs."""
        extra = self.ensure_hooks()
        if extra.prehooks is None:
            extra.prehooks = OrderedDict()
        return RemovableHandle(extra.prehooks, fn)

    @staticmethod
    def _register_hook_dict(tensor):
        """Share the hooks of a tensor with this node, as torch's internals do."""
        raise NotImplementedError(
            "Node._register_hook_dict attaches the hooks of a torch.Tensor to its node from C++; here "
            "Tensor.register_hook does both, use it instead"
        )

    def _sequence_nr(self):
        return -self.seq

    @property
    def _input_metadata(self):
        return ()

    def __call__(self, *grads):
        """Run the rule of the node on gradients; what it saved stays."""
        return CALL[0](self, grads)

    def __repr__(self):
        return f"<{self.name()} object at {id(self):#x}>"

    requires_grad = True  # of every node

    def __getattr__(self, key):
        if key.startswith(("_saved_", "_raw_saved_")):
            return SAVED_READERS[0](self, key)
        raise AttributeError(f"'{self.name()}' object has no attribute '{key}'")

    def __dir__(self):
        """What a node shows in PyTorch: no slots, but the saved values that can be read."""
        return sorted([name for name in dir(object) if name.startswith("__")] + [*SHOWN_NAMES, *SAVED_READERS[1](self)])


SHOWN_NAMES = ("__call__", "_input_metadata", "_register_hook_dict", "_sequence_nr", "metadata", "name",
               "next_functions", "register_hook", "register_prehook", "requires_grad")
CALL = []  # filled by engine.py
SAVED_READERS = []  # how a saved value is read, and which can be; filled by saved.py, which needs tensors


class AccumulateGrad(GradNode):
    """The node of a leaf: adds what arrives into `.grad`. Cached weakly on the leaf, which `saved` holds."""

    __slots__ = ()

    @property
    def variable(self):
        """The leaf."""
        return self.saved

    def __dir__(self):
        return sorted([*GradNode.__dir__(self), "variable"])

    @property
    def next_functions(self):
        """A leaf has none."""
        return ()

    def name(self):
        """torch's name of the node of a leaf."""
        return "torch::autograd::AccumulateGrad"

    def run(self, ct, drive):
        """Hooks, capture, accumulation, hooks after it."""
        if self.extra is None and drive.plain:
            if drive.capture is None:
                if type(ct) is ndarray and FIRST[0](self.saved, ct):
                    return None
            elif self.saved.autograd_meta.hooks is None and self.seq in drive.capture:
                drive.captured[self.seq] = ct
                return None
        return self.steps(ct, drive) if drive.plain else self.run_slowly(ct, drive)

    def steps(self, ct, drive):
        """What `run` does, on the long path."""
        extra = self.extra
        captured = drive.capture is not None and self.seq in drive.capture
        runs = not captured if drive.runs is None else self.seq in drive.runs
        raw = ct
        hooks = self.saved.autograd_meta.hooks if self.saved.autograd_meta is not None else None
        if hooks:
            ct = call_hooks(hooks, ct, drive)
        if captured:
            drive.take(self.seq, raw if runs else ct)
        if not runs:
            return None
        if extra is not None and extra.prehooks:
            ct = call_prehooks(self, ct, drive)
        if drive.recorder is None:
            ACCUMULATE[0](self.saved, ct, drive)
        else:
            drive.recorder.rule(self, ct, drive)
        if extra is not None and extra.posthooks:
            call_posthooks(self, (), ct, drive)
        return None

    def apply(self, ct, drive):
        """Add what arrived into `.grad`."""
        ACCUMULATE[0](self.saved, ct, drive)


class Sink(AccumulateGrad):
    """The node of a view of a leaf that was made in no_grad: it shows that it requires a gradient, which is dropped."""

    __slots__ = ()
    lost = True

    def run(self, ct, drive):
        """Nothing."""


ACCUMULATE = []  # filled by accumulate.py
FIRST = []


def short(name):
    """A node's name as messages of PyTorch show it: `Mul` for `MulBackward0`."""
    return re.sub(r"Backward\d*$", "", name)


def visible(node):
    """`(node, output number)` of an edge: the picked output of a node with several is shown as its number."""
    return (node.parents, node.rule.active[0]) if picks(node) else (node, 0)


def picks(node):
    """Whether a node only picks an output of one with several."""
    rule = node.rule
    return (rule is not None and rule.prim is None and type(node.parents) is not tuple and rule.collect is None
            and isinstance(node.parents, GradNode) and hasattr(rule, "names") and rule.names == ("pick",))


def shown(node):
    """`visible`, the node having the class that `type(...)` shows; `(None, 0)` where gradients go nowhere."""
    if node.lost:
        return None, 0
    node, nr = visible(node)
    return dress(node), nr


SHOWN.append(shown)
_CLASSES = {}


def dress(node):
    """Give a node a class of torch's name, so that `type(t.grad_fn).__name__` reads as in torch."""
    kind = type(node)
    if kind is GradNode or kind is AccumulateGrad:
        name = node.name().rpartition("::")[2]
        if name != kind.__name__:
            found = _CLASSES.get(name)
            if found is None:
                found = _CLASSES[name] = type(name, (GradNode,), {"__slots__": (), "__module__": "torch.autograd"})
            node.__class__ = found
    return node
