"""Registration of parameters, buffers and submodules, under the names of a module's attributes."""

from collections import OrderedDict

from ..tensor.tensor_queries import typename
from ..types.parameter import Parameter
from ..types.tensor_type import TensorBase
from .global_hooks import EVERYWHERE, replaced
from .held_tensors import Buffer


class Registration:
    """The tables of a module, and attributes that look into them."""

    training: bool

    def __init__(self, *args, **kwargs):
        if not self.call_super_init:
            if kwargs:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                                f"'{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} "
                                "were given")
        own = self.__dict__
        own["training"] = True
        own["_parameters"], own["_buffers"], own["_non_persistent_buffers_set"] = {}, {}, set()
        own["_backward_pre_hooks"], own["_backward_hooks"] = OrderedDict(), OrderedDict()
        own["_is_full_backward_hook"] = None
        for name in ("_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
                     "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks",
                     "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"):
            own[name] = OrderedDict()
        own["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __check_name(self, what, name):
        table = self.__dict__.get(f"_{what}s")
        if table is None:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            shown = f", got: {name}" if what == "module" else ""
            raise KeyError(f'{what} name can\'t contain "."{shown}')
        if not name:
            raise KeyError(f'{what} name can\'t be empty string ""')

    def register_buffer(self, name, tensor, persistent=True):
        """Add a tensor that is no parameter; `state_dict` holds it if it is persistent.

        Raises:
            TypeError: neither a tensor nor None. KeyError: a name that is taken, empty, or has a dot.
        """
        self.__check_name("buffer", name)
        if tensor is not None and not isinstance(tensor, TensorBase):
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None "
                            "required)")
        self._buffers[name] = replaced(EVERYWHERE.buffers, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Add a parameter, or None under a name that may get one.

        Raises:
            TypeError: neither a Parameter nor None. ValueError: not a leaf. KeyError: as of `register_buffer`.
        """
        self.__check_name("parameter", name)
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or "
                            "None required)")
        if param.grad_fn:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                             f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
                             "the forward() method.")
        self._parameters[name] = replaced(EVERYWHERE.parameters, self, name, param)

    def add_module(self, name, module):
        """Add a module under a name.

        Raises:
            TypeError: neither a Module nor None. KeyError: as of `register_buffer`.
        """
        if not isinstance(module, Registration) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self.__check_name("module", name)
        self._modules[name] = replaced(EVERYWHERE.modules, self, name, module)

    def register_module(self, name, module):
        """`add_module`."""
        self.add_module(name, module)

    def get_submodule(self, target):
        """The module under a dotted path; the empty path is this one."""
        if target == "":
            return self
        found = self
        for name in target.split("."):
            if not hasattr(found, name):
                raise AttributeError(f"{found._get_name()} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Registration):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target, module, strict=False):
        """Put a module under a dotted path; `strict` only in the place of one that is there."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, Registration):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        owner = self.get_submodule(path)
        if strict and not hasattr(owner, name):
            raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
        if hasattr(owner, name) and not isinstance(getattr(owner, name), Registration):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(owner, name, module)

    def __get_under(self, target, table, what):
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
        found = getattr(owner, name)
        if name not in getattr(owner, table) and not (table == "_parameters" and isinstance(found, Parameter)):
            raise AttributeError(f"`{name}` is not {what}")
        return found

    def get_parameter(self, target):
        """The parameter under a dotted path."""
        return self.__get_under(target, "_parameters", "an nn.Parameter")

    def get_buffer(self, target):
        """The buffer under a dotted path."""
        return self.__get_under(target, "_buffers", "a buffer")

    def __getattr__(self, name):
        own = self.__dict__
        if "_parameters" in own:
            found = own["_parameters"]
            if name in found:
                return found[name]
        if "_buffers" in own:
            found = own["_buffers"]
            if name in found:
                return found[name]
        if "_modules" in own:
            found = own["_modules"]
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        own = self.__dict__
        parameters = own.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self.__forget(name, own, self._buffers, self._modules)
            self.register_parameter(name, value)
            return
        if parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None "
                                "expected)")
            self.register_parameter(name, None)
            return
        modules = own.get("_modules")
        if isinstance(value, Registration):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self.__forget(name, own, parameters, self._buffers)
            modules[name] = replaced(EVERYWHERE.modules, self, name, value)
            return
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None "
                                "expected)")
            modules[name] = replaced(EVERYWHERE.modules, self, name, value)
            return
        buffers = own.get("_buffers")
        if isinstance(value, TensorBase) and isinstance(value, Buffer) or buffers is not None and name in buffers:
            self.__set_buffer(name, value, buffers)
            return
        object.__setattr__(self, name, value)

    def __set_buffer(self, name, value, buffers):
        if value is not None and not isinstance(value, TensorBase):
            raise TypeError(f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or "
                            "None expected)")
        if buffers is None:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        if isinstance(value, Buffer):
            self.__forget(name, self.__dict__, self._parameters, self._modules)
            self.register_buffer(name, value, value.persistent)
        else:
            buffers[name] = replaced(EVERYWHERE.buffers, self, name, value)

    def __forget(self, name, *tables):
        for table in tables:
            table.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name):
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self):
        keys = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted([key for key in keys if not key[:1].isdigit()])  # no "0" of a container
