"""A node as users see it: its class and name, edges, hooks, saved values, and calling it by hand."""

from collections import OrderedDict

from ..engine.engine import prepare, root, sweep_from
from ..engine.gradient_edge import GradientEdge
from ..engine.graph_task import Sweep, level_of
from ..engine.root_gradients import collect
from ..graph.hooks import RemovableHandle, as_tensors
from ..graph.node import GradNode, JointNode
from ..graph.node_data import led_to, visible
from ..graph.node_errors import UNDEFINED
from ..modes.modes import modes
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..saved.saved import read, readable
from ..types.tensor_type import TensorBase
from ..values.core_values import lower


class ShownNode(GradNode):
    """The class that nodes get when they are handed out: what the engine does, with what users ask for."""

    __slots__ = ()
    requires_grad = True  # of every node

    def __new__(cls, *args, **kwargs):
        if cls is ShownNode:
            raise TypeError(f"Can't instantiate abstract class Node with abstract methods {', '.join(_ABSTRACT)}")
        raise TypeError(f"cannot create '{cls.__name__}' instances")

    @property
    def next_functions(self):
        """`((node, output number), …)` of the operands; `(None, 0)` for one that needs no gradient."""
        return tuple([(None if node is None else dress(node), nr) for node, nr in self.operands()])

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

    def __call__(self, *grads, **named):
        """Run the rule of the node on gradients; what it saved stays."""
        if named:
            raise TypeError("keyword arguments are not supported")
        return call_node(self, grads)

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __getattr__(self, key):
        if key.startswith(("_saved_", "_raw_saved_")):
            return read(self, key)
        raise AttributeError(f"'{self.name()}' object has no attribute '{key}'")

    def __dir__(self):
        """The attributes that a node shows in PyTorch: no slots, but the saved values that can be read."""
        special = [name for name in dir(object) if name.startswith("__")]
        return sorted([*special, *_SHOWN, *(["variable"] if self.of_leaf else readable(self))])


_ABSTRACT = ("_input_metadata", "_register_hook_dict", "_sequence_nr", "metadata", "name", "next_functions",
             "register_hook", "register_prehook")
_SHOWN = ("__call__", *_ABSTRACT, "requires_grad")
_CLASSES = {}  # (class of a node, PyTorch's name of it) -> the class that is shown


def dress(node):
    """Give a node a class of torch's name, so that `type(t.grad_fn).__name__` reads as in torch."""
    if not isinstance(node, ShownNode):
        node.__class__ = shown_class(type(node), node.name().rpartition("::")[2])
    return node


def shown_class(kind, name):
    """The class of nodes of a kind as users see them."""
    found = _CLASSES.get((kind, name))
    if found is None:
        found = type(name, (ShownNode, kind), {"__slots__": (), "__module__": "torch.autograd"})
        _CLASSES[kind, name] = found
    return found


def shown(node):
    """`(node, output number)` of an edge, dressed; `(None, 0)` where gradients go nowhere."""
    node, nr = led_to(node)
    return (None if node is None else dress(node)), nr


def call_node(node, grads):
    """`node(*grads)`: one tensor, or a tuple with None where no gradient goes."""
    expected = arity(node)
    if expected is not None and len(grads) != expected:
        raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
    for i, g in enumerate(grads):
        if g is not None and not isinstance(g, TensorBase):
            raise TypeError(f"argument {i} is not a Variable")
    if composed(node) and any(g is not None for g in grads):
        return pulled(node, grads)
    drive = Sweep(level_of(grads), True, modes().grad)
    drive.plain = drive.backward = False
    absent = UNDEFINED if len(grads) == 1 else None
    cts = tuple([absent if g is None else lower(g) for g in grads])
    token = error_state()
    try:
        suppress_fp_warnings()
        out = node.run_in_sweep(cts[0] if len(cts) == 1 else cts, drive)
    finally:
        restore_fp_warnings(token)
    found = as_tensors(out, drive) if out is not None else ()
    places = node.places()
    if places is not None:
        behind = dict(zip(places, found))
        found = tuple([behind.get(i) for i in range(len(node.operands()))])
    return found[0] if len(found) == 1 else found


def arity(node):
    """The number of gradients that a node takes, None where its rule alone does not tell."""
    if isinstance(node, JointNode):
        return len(node.parents)
    state = getattr(node, "_state", None)  # of a Function
    prim = None if node.rule is None else node.rule.prim
    if state is not None or prim is None or callable(prim.outputs):
        return None if state is None else state.outputs
    return prim.outputs or 1


# Calling a node by hand where the operation that it stands for is composed of several here: a sweep through all.


def composed(node):
    """Tell whether the operands that a node shows are not those of its rule."""
    edges = node.edges()
    if edges is None:
        return False
    parents = node.parents if type(node.parents) is tuple else (node.parents,)
    return tuple([e for e in edges if e is not None]) != tuple(parents)


def pulled(node, grads):
    """The gradients of the operands of a node, from its outputs to the nodes of the operands and no further."""
    behind = {led_to(e): e for e in node.edges() if e is not None}
    shown = node.operands()
    edges = [edge for edge in shown if edge[0] is not None]
    if len(set(edges)) < len(edges):
        raise NotImplementedError(f"calling {node.name()} of an operation with one operand twice is not supported: it "
                                  "is composed of several here; use torch.autograd.grad")
    create_graph = modes().grad
    heads = node.parents if isinstance(node, JointNode) else (node,)
    level = level_of(grads)
    roots = [root(i, GradientEdge(*visible(head), head), g, level, create_graph)
             for i, (head, g) in enumerate(zip(heads, grads)) if g is not None]
    sweep = Sweep(level, True, create_graph)
    sweep.backward = False
    inputs = [GradientEdge(*edge, behind[edge]) for edge in edges]
    nodes = prepare(sweep, roots, inputs, False)
    if sweep.runs is not None:
        sweep.runs -= {n.seq for n in nodes}
    sweep_from(roots, sweep)
    found = iter(collect(sweep, nodes, inputs, True))
    out = tuple([None if n is None else next(found) for n, _ in shown])
    return out[0] if len(out) == 1 else out
