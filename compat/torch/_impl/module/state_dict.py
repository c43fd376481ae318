"""The state of a module as a dict of tensors, and back."""

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ..graph.hooks import RemovableHandle
from ..modes.grad_mode import no_grad
from ..modes.modes import restoring
from ..state.meta import is_meta
from ..types.parameter import Parameter
from ..types.tensor_type import TensorBase
from .held_tensors import is_lazy

EXTRA = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class StateDict:
    """`state_dict` and `load_state_dict`, with hooks."""

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """The parameters and persistent buffers, here and below, by name.

        Args:
            destination: a dict to fill; by default a new OrderedDict.
            prefix: what the names begin with.
            keep_vars: give the tensors themselves, not `detach()` of them.
        """
        if args:
            warnings.warn("Positional args are being deprecated, use kwargs instead. Refer to "
                 "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                 FutureWarning, stacklevel=2)
            given = dict(zip(("destination", "prefix", "keep_vars"), args))
            destination = given["destination"] if destination is None else destination
            prefix = given.get("prefix", prefix) if prefix == "" else prefix
            keep_vars = given.get("keep_vars", keep_vars) if keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in list(self._state_dict_pre_hooks.values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook, public in list(self._state_dict_hooks.values()):
            found = hook(self, destination, prefix, metadata)
            if public and found is not None:
                raise RuntimeError("state_dict post-hook must return None")
            destination = destination if found is None else found
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, value in persistent(self):
            if value is not None:
                destination[prefix + name] = value if keep_vars else value.detach()
        if overrides(self, "get_extra_state"):
            destination[prefix + EXTRA] = self.get_extra_state()

    def get_extra_state(self):
        """The extra state for `state_dict`, of a subclass that defines this and `set_extra_state`."""
        raise RuntimeError(f"Module.get_extra_state() was called, but {type(self).__name__} does not define it: a "
                           "class with extra state defines get_extra_state and set_extra_state")

    def set_extra_state(self, state):
        """Take what `get_extra_state` gave, when a `state_dict` is loaded."""
        raise RuntimeError(f"Module.set_extra_state() was called, but {type(self).__name__} does not define it: a "
                           "class with extra state defines get_extra_state and set_extra_state")

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy parameters and buffers from a dict of tensors.

        Args:
            state_dict: tensors by name, as `state_dict()` gives them.
            strict: raise for names that are missing here or there.
            assign: put the tensors in the place of the module's own, in place of copying them.
        Returns:
            the `missing_keys` and the `unexpected_keys`.
        Raises:
            RuntimeError: names (with `strict`) or shapes that do not fit.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        def load(module, given, prefix):
            own = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                own["assign_to_params_buffers"] = assign
            module._load_from_state_dict(given, prefix, own, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    path = f"{prefix}{name}."
                    load(child, {k: v for k, v in given.items() if k.startswith(path)}, path)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in list(module._load_state_dict_post_hooks.values()):
                if hook(module, keys) is not None:
                    raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are not "
                                         "expected to return new values, if incompatible_keys need to be modified, it "
                                         "should be done inplace.")

        load(self, state_dict, "")
        if strict:
            for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    errors.insert(0, "{} key(s) in state_dict: {}. ".format(what, ", ".join(f'"{k}"' for k in keys)))
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(type(self).__name__,
                                                                                    "\n\t".join(errors)))
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = {name: value for name, value in persistent(self) if value is not None}
        for name, value in own.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            problem = self.__load_tensor(name, value, key, state_dict[key], assign)
            if problem:
                error_msgs.append(problem)
        extra = prefix + EXTRA
        if overrides(self, "set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    name, dot, _ = key[len(prefix):].partition(".")
                    if not (dot and name in self._modules) and not (not dot and name in own):
                        unexpected_keys.append(key)

    @restoring
    def __load_tensor(self, name, value, key, given, assign):
        """Copy or assign one tensor; returns what is wrong."""
        if not isinstance(given, TensorBase):
            return (f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                    f"checkpoint but received {type(given)}")
        lazy = is_lazy(value)
        if not lazy and value.dim() == 0 and given.dim() == 1:
            given = given[0]
        if not lazy and given.shape != value.shape:
            return (f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                    f"current model is {value.shape}.")
        try:
            with no_grad():
                if not assign and is_meta(value) and not is_meta(given):
                    warnings.warn(f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter "
                                  "in the current model, which is a no-op. (Did you mean to pass `assign=True` to "
                                  "assign items in the state dictionary to their corresponding key in the module "
                                  "instead of copying them in place?)", stacklevel=2)
                elif not assign:
                    value.copy_(given)
                elif isinstance(value, Parameter):
                    found = given if isinstance(given, Parameter) else Parameter(given, value.requires_grad)
                    found.requires_grad = value.requires_grad
                    setattr(self, name, found)
                else:
                    setattr(self, name, given)
        except Exception as error:
            return (f'While copying the parameter named "{key}", whose dimensions in the model are {value.size()} and '
                    f"whose dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}.")
        return None

    # hooks

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("Cannot register the same function as the state dict post hook that was previously "
                               "registered via register_state_dict_post_hook")
        return RemovableHandle(self._state_dict_hooks, (hook, False))

    def register_state_dict_post_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata)` behind `state_dict()`; it changes the dict in
        place."""
        hook._from_public_api = True
        return RemovableHandle(self._state_dict_hooks, (hook, True))

    def register_state_dict_pre_hook(self, hook):
        """Call `hook(module, prefix, keep_vars)` before `state_dict()`."""
        return RemovableHandle(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return RemovableHandle(self._load_state_dict_pre_hooks, BoundHook(hook, self) if with_module else hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`
        before a `state_dict` is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(module, incompatible_keys)` behind `load_state_dict`; it may change the keys in place."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook)


def persistent(module):
    """The parameters and the persistent buffers of a module alone."""
    yield from module._parameters.items()
    for name, value in module._buffers.items():
        if name not in module._non_persistent_buffers_set:
            yield name, value


class BoundHook:
    """A hook that gets its module first; a copy of the module has one of its own."""

    def __init__(self, hook, module):
        self.hook, self.module = hook, module

    def __call__(self, *args, **kwargs):
        return self.hook(self.module, *args, **kwargs)


def overrides(module, name):
    """Tell whether the class of a module has a method of its own under a name of StateDict's."""
    return getattr(type(module), name) is not getattr(StateDict, name)
