"""Methods of tensors besides the operations: state, gradients, hooks and history."""

from collections import OrderedDict
from weakref import ref

import numpy as np

from ..... import extend
from ..dispatch.backward_calls import backward
from ..dispatch.overriding import prepare
from ..dispatch.telling import by_mode
from ..engine.engine import plain_backward
from ..engine.graph_task import note_hooks
from ..graph import versions
from ..graph.hooks import RemovableHandle, listen
from ..graph.node_data import picks, visible
from ..graph_view.shown_node import dress
from ..modes.inference import check_leaf
from ..modes.modes import MODES
from ..state.edges import edge, made_aside, version_of
from ..state.levels import BatchTrace, GradTrace
from ..state.meta import is_meta
from ..types.arrays import ARRAYS
from ..types.tensor_type import (
    FAST,
    FOREIGN,
    GENERAL,
    Tensor,
    TensorBase,
    at_level,
    bottom,
    completes,
    current,
    infer,
    more,
    needs_grad,
    wrap,
)
from ..views.memory import (
    counted,
    unlinked,
)
from . import facts
from .facts import check_new_grad, edge_or_none, in_transform, visible_level, warn_non_leaf

ndarray = np.ndarray
stop_gradient = extend.REGISTRY["stop_gradient"].fun


ATTACHED = facts


@completes
class Methods:
    """Methods of Tensor besides the operations."""

    __init_subclass__ = classmethod(prepare)

    # history

    @property
    def requires_grad(self):
        """Tell whether a gradient is computed for it."""
        return visible_level(self) and needs_grad(self)

    @requires_grad.setter
    def requires_grad(self, value):
        if type(value) is not bool and not isinstance(value, np.bool_):
            raise RuntimeError(f"requires_grad must be a bool, not {type(value).__name__}")
        if in_transform(self) and self.is_leaf and bool(value) is self.requires_grad:
            return  # nothing changes
        if value and not in_transform(self) and not self.is_leaf:
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        if value and self.dtype.category < 2 and not in_transform(self):
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad=True):
        """Set whether it requires a gradient (leaves only); returns the tensor."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.requires_grad_, (self,) if requires_grad is True else (self, requires_grad), {})
        if type(requires_grad) is not bool and not isinstance(requires_grad, np.bool_):
            raise TypeError("requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                            f"{type(requires_grad).__name__}")
        if in_transform(self):
            raise RuntimeError("You are attempting to call Tensor.requires_grad_() (or perhaps using "
                               "torch.autograd.functional.* APIs) inside of a function being transformed by a "
                               "functorch transform. This is unsupported, please attempt to use the functorch "
                               "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside "
                               "of a function being transformed instead.")
        if not requires_grad:
            if self.node is not None:
                raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a "
                                   "computed variable in a subgraph that doesn't require differentiation use "
                                   "var_no_grad = var.detach().")
            self.wants_grad = False
            return self
        if not (self.dtype.is_floating_point or self.dtype.is_complex):
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        check_leaf(self)
        if self.node is None and (not needs_grad(self) or made_aside(self)):
            self.wants_grad = True
        return self

    @property
    def is_leaf(self):
        """Tell whether it is a leaf: not computed by a recorded operation."""
        return not visible_level(self) or made_aside(self) or edge_or_none(self) is None

    @property
    def grad_fn(self):
        """The node of the operation that computed it, or None."""
        if not visible_level(self):
            return None
        node = edge_or_none(self)
        return None if node is None else dress(visible(node)[0])

    @property
    def output_nr(self):
        """Its index among the outputs of its node."""
        node = edge_or_none(self) if getattr(self.autograd_meta, "creation", None) is None else self.node
        return 0 if node is None else visible(node)[1]

    @property
    def grad(self):
        """The accumulated gradient, or None."""
        meta = self.autograd_meta
        if meta is None or meta.grad is None:
            if self.node is not None and not (meta is not None and meta.retains) and visible_level(self):
                warn_non_leaf()
            return None
        return meta.grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            check_new_grad(self, value)
            more(self).grad = value
        elif self.autograd_meta is not None:
            self.autograd_meta.grad = None

    @grad.deleter
    def grad(self):
        if self.autograd_meta is not None:
            self.autograd_meta.grad = None

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Add the gradients of this tensor to the `.grad` of the leaves it depends on."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.backward, (self,), {"gradient": gradient, "retain_graph": retain_graph,
                                                      "create_graph": create_graph, "inputs": inputs})
        if inputs is not None or create_graph or not plain_backward(self, gradient, retain_graph):
            backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def detach(self):
        """Return the same memory as a tensor without a history."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.detach, (self,), {})
        trace = self.level_trace
        if trace is None:
            t = wrap(self.value)
        elif trace is FOREIGN:
            t = at_level(FOREIGN, stop_gradient(current(self)))
        else:
            t = at_level(trace, self.value.detach())
        meta = self.autograd_meta
        if meta is not None and meta.inference:
            infer(t)
        return t

    def detach_(self):
        """Drop the history of this tensor itself."""
        meta = self.autograd_meta
        if meta is not None and meta.base is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                               "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
                               "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
                               "these gradients. To fix this error, please refer to the Optimizer.zero_grad() function "
                               "in torch/optim/optimizer.py as the solution.")
        if self.node is not None and type(array := bottom(self)) in ARRAYS:
            self.node.more().detached = True
            versions.watch(array)
        self.node = None
        self.wants_grad = False
        if meta is not None:
            meta.tangent = None
        return self

    def retain_grad(self):
        """Retain the gradient of a non-leaf tensor in `.grad`."""
        if in_transform(self) and self.requires_grad:
            raise RuntimeError("You are attempting to call Tensor.retain_grad() inside of a function being transformed "
                               "by a functorch transform. This is unsupported, please attempt to use the functorch "
                               "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call retain_grad() outside of "
                               "a function being transformed instead.")
        if in_transform(self) or not needs_grad(self):
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        node = None if made_aside(self) else edge_or_none(self)
        if node is None:
            return
        more(self).retains = True
        node.ensure_hooks().retained = ref(self)
        if picks(node):
            listen(node)

    @property
    def retains_grad(self):
        """Tell whether `.grad` of this non-leaf tensor is retained."""
        return self.autograd_meta is not None and self.autograd_meta.retains and edge_or_none(self) is not None

    def register_hook(self, hook):
        """Call `hook(grad)` when the gradient of this tensor has been computed; it may return a replacement."""
        if in_transform(self) is BatchTrace or not needs_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        node = edge_or_none(self)
        if node is None:
            meta = more(self)
            if meta.hooks is None:
                meta.hooks = OrderedDict()
                note_hooks(self)
            edge(self)
            return RemovableHandle(meta.hooks, hook)
        extra = node.ensure_hooks()
        if extra.hooks is None:
            extra.hooks = OrderedDict()
            if picks(node):
                listen(node)
        return RemovableHandle(extra.hooks, hook)

    @property
    def _backward_hooks(self):
        node = edge_or_none(self)
        return (self.autograd_meta.hooks if self.autograd_meta is not None else None) if node is None else (
            node.extra.hooks if node.extra is not None else None)

    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(self)` after its `.grad` has been accumulated."""
        if not needs_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if edge_or_none(self) is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        meta = more(self)
        if meta.post is None:
            meta.post = OrderedDict()
            note_hooks(self)
        return RemovableHandle(meta.post, hook)

    # memory

    @property
    def _version(self):
        return version_of(counted(self))

    @property
    def _base(self):
        return None if self.autograd_meta is None else self.autograd_meta.base

    def _is_view(self):
        return self.autograd_meta is not None and self.autograd_meta.base is not None

    def is_inference(self):
        """Tell whether it was created in inference mode."""
        return self.autograd_meta is not None and self.autograd_meta.inference

    @property
    def data(self):
        """Return the same memory without a history, with a version counter of its own."""
        if in_transform(self) is BatchTrace:
            raise RuntimeError("accessing `data` under vmap transform is not allowed")
        if isinstance(self.level_trace, GradTrace) and not self.level_trace.done:
            return at_level(self.level_trace, self.value)  # the history of its own level alone goes
        t = self.detach()
        if t.level_trace is None:
            t.value = unlinked(self.value)
        return t

    @data.setter
    def data(self, value):
        if (kind := in_transform(self)) is not None:
            where = "under vmap" if kind is BatchTrace else "inside functorch"
            raise RuntimeError(f"mutating directly with `.data` {where} transform is not allowed.")
        if not isinstance(value, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        b = bottom(value)
        if type(b) not in ARRAYS or type(bottom(self)) not in ARRAYS:
            if is_meta(self) and is_meta(value):
                return setattr(self, "value", value.value)
            raise RuntimeError("data can only be set on tensors with their own memory, outside transforms, to such of "
                               f"the same device, but got a tensor of {self.device} and one of {value.device}")
        self.value = unlinked(b)
        meta = self.autograd_meta
        if b.dtype not in (np.float32, np.float64) or type(b) is not ndarray:
            self.dispatch_key = GENERAL
        elif self.dispatch_key == GENERAL and self.level_trace is None and (meta is None or (
                meta.base is meta.tangent is meta.forward_base is None and not meta.inference and not meta.relaid)):
            self.dispatch_key = FAST
