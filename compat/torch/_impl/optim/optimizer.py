"""`Optimizer`: groups of parameters, their state, hooks around steps and state dicts."""

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain

from ..graph.hooks import RemovableHandle
from ..lists.updates import zeroed
from ..modes.grad_mode import no_grad
from ..modes.modes import MODES
from ..profiler.profiler import record_function
from ..types.tensor_type import Tensor, TensorBase

_GLOBAL_BEFORE = OrderedDict()
_GLOBAL_AFTER = OrderedDict()


class _Required:
    """Stands for an option that has no default."""

    def __repr__(self):
        return "<required parameter>"


required = _Required()


def register_optimizer_step_pre_hook(hook):
    """Call `hook(optimizer, args, kwargs)` before each step of every optimizer."""
    return RemovableHandle(_GLOBAL_BEFORE, hook)


def register_optimizer_step_post_hook(hook):
    """Call `hook(optimizer, args, kwargs)` after each step of every optimizer."""
    return RemovableHandle(_GLOBAL_AFTER, hook)


class Optimizer:
    """Base class of optimizers: parameters in groups, options of each group, state of each parameter.

    Args:
        params: tensors, `(name, tensor)` pairs, or dicts with the key "params" and options of that group.
        defaults: the options of groups that do not give their own.
    Raises:
        TypeError, ValueError: as PyTorch's, for what is no list of leaf tensors.

    >>> import covector.compat.torch as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0., 0.], requires_grad=True)
    """

    OptimizerPreHook = Callable
    OptimizerPostHook = Callable

    def __init__(self, params, defaults):
        self.defaults = defaults
        Optimizer.__setstate__(self, {})  # that of a subclass expects groups
        if isinstance(params, TensorBase):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            + params.type())
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._plans = {}
        for name in ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre",
                     "load_state_dict_post"):
            self.__dict__.setdefault(f"_optimizer_{name}_hooks", OrderedDict())
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{type(self).__name__}.zero_grad"
        self._patch_step_function()

    def _patch_step_function(self):
        step = type(self).step
        if not getattr(step, "hooked", None):
            type(self).step = self.profile_hook_step(step)
            type(self).step.hooked = True

    @staticmethod
    def profile_hook_step(func):
        """A method `step` that calls the hooks around itself, and has a name in profiles."""

        @functools.wraps(func)
        def step(*args, **kwargs):
            self = args[0]
            m = MODES.get()
            if m is not None and m.recorder is not None:
                with record_function(f"Optimizer.step#{type(self).__name__}.step"):
                    return hooked(self, args, kwargs)
            return hooked(self, args, kwargs)

        def hooked(self, args, kwargs):
            if _GLOBAL_BEFORE or self._optimizer_step_pre_hooks:
                for hook in [*_GLOBAL_BEFORE.values(), *self._optimizer_step_pre_hooks.values()]:
                    found = hook(self, args, kwargs)
                    if found is None:
                        continue
                    if not isinstance(found, tuple) or len(found) != 2:
                        raise RuntimeError(f"{func} must return None or a tuple of (new_args, new_kwargs), but got "
                                           f"{found}.")
                    args, kwargs = found
            out = func(*args, **kwargs)
            if _GLOBAL_AFTER or self._optimizer_step_post_hooks:
                for hook in [*self._optimizer_step_post_hooks.values(), *_GLOBAL_AFTER.values()]:
                    hook(self, args, kwargs)
            return out

        return step

    def __repr__(self):
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append("\n" * (i > 0) + f"Parameter Group {i}")
            lines += [f"    {k}: {group[k]}" for k in sorted(group) if k != "params"]
        return "\n".join([*lines, ")"])

    def register_step_pre_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new `(args, kwargs)`."""
        return RemovableHandle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return RemovableHandle(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Call `hook(optimizer)` before `state_dict`."""
        return registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Call `hook(optimizer, state_dict)` after `state_dict`; it may return another one."""
        return registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Call `hook(optimizer, state_dict)` before `load_state_dict`; it may return another one."""
        return registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Call `hook(optimizer)` after `load_state_dict`."""
        return registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    @no_grad()
    def state_dict(self):
        """The state by the places of parameters, and the options of the groups: `{"state": …, "param_groups": …}`."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        places = {}
        for p in chain.from_iterable(g["params"] for g in self.param_groups):
            places.setdefault(id(p), len(places))
        groups = [{**{k: v for k, v in g.items() if k != "params"}, "params": [places[id(p)] for p in g["params"]]}
                  for g in self.param_groups]
        found = {"state": {places[id(k)] if isinstance(k, TensorBase) else k: v for k, v in self.state.items()},
                 "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, found)
            found = found if changed is None else changed
        return found

    @no_grad()
    def load_state_dict(self, state_dict):
        """Take state and options from a `state_dict`; tensors take the dtype and the device of their parameter.

        Raises:
            ValueError: its groups are not those of this optimizer.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups = deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(own["params"]) for g, own in zip(groups, self.param_groups)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                             "group")
        owner = {k: (p, own) for g, own in zip(groups, self.param_groups) for k, p in zip(g["params"], own["params"])}
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owner:
                p, own = owner[key]
                state[p] = fitted(p, value, None, own)
            else:
                state[key] = value
        for g, own in zip(groups, self.param_groups):
            g["params"] = own["params"]
            if "param_names" in own and "param_names" not in g:
                g["param_names"] = own["param_names"]
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def zero_grad(self, set_to_none=True):
        """Set the gradients of all parameters to None, or fill them with zeros."""
        written = []
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    meta = p.autograd_meta
                    if meta is not None:
                        meta.grad = None
                elif p.grad is not None:
                    if p.grad.grad_fn is not None:
                        p.grad.detach_()
                    else:
                        p.grad.requires_grad_(False)
                    written.append(p.grad)
        if written and not zeroed(written):
            for g in written:
                g.zero_()

    def step(self, closure=None):
        """Update the parameters.

        Args:
            closure: computes the loss and its gradients, and returns the loss.
        """
        raise NotImplementedError

    def add_param_group(self, param_group):
        """Add a group of parameters: a dict with the key "params" and options of that group."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, TensorBase):
            params = [params]
        elif isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of "
                            "tensors in sets will change between runs. Please use a list instead.")
        params = list(params)
        group = param_group
        named = [isinstance(p, tuple) for p in params]
        if any(named):
            if not all(named):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            group["param_names"] = [name for name, _ in params]
            params = [p for _, p in params]
        group["params"] = params
        for p in params:
            if not isinstance(p, TensorBase):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type_name(p)}")
            if not self.defaults.get("differentiable", None) and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            group.setdefault(name, default)
        if len({id(p) for p in params}) != len(params):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                          "an error; see github.com/pytorch/pytorch/issues/40967 for more information", stacklevel=3)
        if self.param_groups and ("param_names" in group) != ("param_names" in self.param_groups[0]):
            words = "with names to the optimizer" if "param_names" in group else "without names to the optimizer"
            raise ValueError("all optimizer param groups should be with/without names. cannot add param group " + words)
        before = {id(p) for g in self.param_groups for p in g["params"]}
        if not before.isdisjoint([id(p) for p in params]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)


def type_name(x):
    """torch's name of a type in this message."""
    return type(x).__name__


def registered(hooks, hook, prepend):
    """The handle of a hook, the first of all if `prepend`."""
    handle = RemovableHandle(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def fitted(p, value, key, group):
    """A value of a state dict for a parameter: tensors in its dtype, on its device, but for the count of steps."""
    if isinstance(value, Tensor):
        if key == "step":
            return value.float() if group.get("capturable") or group.get("fused") else value
        return value.to(p.device, p.dtype if p.is_floating_point() else None)
    if isinstance(value, dict):
        return {k: fitted(p, v, k, group) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(fitted(p, v, None, group) for v in value)
    return value
