"""Sequential, ModuleList and ModuleDict: modules in sequences, lists and dicts."""

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain, groupby, islice

from ..._impl.module.module import Module
from ..._impl.module.traversal import indented
from ..._impl.types.parameter import Parameter
from ..._impl.types.tensor_type import TensorBase


class Container(Module):
    """The oldest base of lists of modules; use Module."""

    def __init__(self, **kwargs):
        super().__init__()
        warnings.warn("nn.Container is deprecated. All of it's functionality is now implemented in nn.Module. Subclass "
                      "that instead.", FutureWarning, stacklevel=2)
        for name, module in kwargs.items():
            self.add_module(name, module)


class _Numbered(Module):
    """Modules under the names "0", "1", …"""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def _renumber(self, modules):
        self._modules = {str(i): m for i, m in enumerate(modules)}


class Sequential(_Numbered):
    """Modules one behind another: each takes the output of the one before.

    Args:
        args: the modules, or one OrderedDict of them by name.

    >>> import covector.compat.torch as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    >>> net(torch.ones(5, 3)).shape
    torch.Size([5, 1])
    >>> net
    Sequential(
      (0): Linear(in_features=3, out_features=4, bias=True)
      (1): ReLU()
      (2): Linear(in_features=4, out_features=1, bias=True)
    )
    """

    def __init__(self, *args):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else (
            (str(i), m) for i, m in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _name_at(self, index):
        index, count = operator.index(index), len(self)
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range")
        return next(islice(self._modules, index % count, None))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name_at(index)]

    def __setitem__(self, index, module):
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index):
        for name in list(self._modules)[index] if isinstance(index, slice) else [self._name_at(index)]:
            delattr(self, name)
        self._renumber(list(self))

    def forward(self, input):
        for module in self:
            input = module(input)
        return input

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(other)

    def __mul__(self, other):
        self._check_times(other)
        return Sequential(*chain.from_iterable([list(self)] * other))

    __rmul__ = __mul__

    def __imul__(self, other):
        self._check_times(other)
        return self.extend(list(self) * (other - 1))

    @staticmethod
    def _check_times(other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {Sequential} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {Sequential}")

    def append(self, module):
        """Add a module behind the last; returns the Sequential."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, sequential):
        """Add several modules behind the last; returns the Sequential."""
        for module in list(sequential):
            self.append(module)
        return self

    def insert(self, index, module):
        """Put a module before the one at an index; returns the Sequential."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, key):
        """Take a module out, and return it."""
        module = self[key]
        del self[key]
        return module


class ModuleList(_Numbered):
    """A list of modules, which the module that holds it knows.

    >>> import covector.compat.torch as torch
    >>> layers = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])
    >>> layers
    ModuleList(
      (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
    )
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def _name_at(self, index):
        index, count = operator.index(index), len(self)
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range")
        return str(index % count)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[self._name_at(index)]

    def __setitem__(self, index, module):
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index):
        modules = list(self)
        self._name_at(index) if not isinstance(index, slice) else None
        del modules[index]
        self._renumber(modules)

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        both = ModuleList()
        for i, module in enumerate(chain(self, other)):
            both.add_module(str(i), module)
        return both

    def insert(self, index, module):
        """Put a module before the one at an index."""
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def append(self, module):
        """Add a module behind the last; returns the list."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Take a module out, and return it."""
        module = self[key]
        del self[key]
        return module

    def extend(self, modules):
        """Add several modules behind the last; returns the list."""
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got " + type(modules).__name__)
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self):
        if not len(self):
            return self._get_name() + "()"
        lines, start = [], 0
        for text, same in groupby(map(repr, self)):
            count = len(list(same))
            name, times = (f"({start})", "") if count == 1 else (f"({start}-{start + count - 1})", f"{count} x ")
            lines.append(f"{name}: {times}{indented(text)}")
            start += count
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules, which the module that holds it knows.

    >>> import covector.compat.torch as torch
    >>> list(torch.nn.ModuleDict({"relu": torch.nn.ReLU(), "tanh": torch.nn.Tanh()}))
    ['relu', 'tanh']
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key):
        """Take a module out, and return it."""
        return self._modules.pop(key)

    def keys(self):
        """The names."""
        return self._modules.keys()

    def items(self):
        """The names with their modules."""
        return self._modules.items()

    def values(self):
        """The modules."""
        return self._modules.values()

    def update(self, modules):
        """Add the modules of a mapping, or of pairs of name and module."""
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleDict.update should be called with an iterable of key/value pairs, but got "
                            + type(modules).__name__)
        if isinstance(modules, OrderedDict | ModuleDict | Mapping):
            modules = modules.items()
        for i, pair in enumerate(modules):
            if not isinstance(pair, Iterable):
                raise TypeError(f"ModuleDict update sequence element #{i} should be Iterable; is {type(pair).__name__}")
            pair = tuple(pair)
            if len(pair) != 2:
                raise ValueError(f"ModuleDict update sequence element #{i} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]


# ParameterList and ParameterDict.


def _described(key, value, typename):
    """A line of the repr of a list or dict."""
    if not isinstance(value, TensorBase):
        return f"({key}): Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.size()))
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    place = f" ({value.device})" if value.is_cuda else ""
    return f"({key}): {kind} containing: [{typename(value)} of size {size}{place}]"


def _as_parameter(value):
    """A tensor as a parameter, anything else as it is."""
    return Parameter(value) if isinstance(value, TensorBase) and not isinstance(value, Parameter) else value


class ParameterList(Module):
    """A list of parameters; tensors become parameters, and anything else stays as it is.

    >>> import covector.compat.torch as torch
    >>> ps = torch.nn.ParameterList([torch.ones(2), torch.zeros(3)])
    >>> [name for name, _ in ps.named_parameters()]
    ['0', '1']
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _name_at(self, index):
        index = operator.index(index)
        if not -self._size <= index < self._size:
            raise IndexError(f"index {index} is out of range")
        return str(index % self._size)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(len(self)))])
        return getattr(self, self._name_at(index))

    def __setitem__(self, index, param):
        setattr(self, self._name_at(index), _as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, value):
        """Add a value behind the last; returns the list."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Add several values behind the last; returns the list."""
        if not isinstance(values, Iterable) or isinstance(values, TensorBase):
            raise TypeError("ParameterList.extend should be called with an iterable, but got "
                            + type(values).__name__)
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self):
        lines = [_described(str(i), value, lambda t: t.dtype) for i, value in enumerate(self)]
        return "\n".join("  " + line for line in lines)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict of parameters; tensors become parameters, and anything else stays as it is.

    >>> import covector.compat.torch as torch
    >>> torch.nn.ParameterDict({"a": torch.ones(2)})
    ParameterDict(  (a): Parameter containing: [torch.FloatTensor of size 2])
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _checked(key):
        if not isinstance(key, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys.")
        return key

    def __getitem__(self, key):
        return getattr(self, self._checked(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        setattr(self, self._checked(key), _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._checked(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """A ParameterDict of the same values."""
        return ParameterDict({key: self[key] for key in self._keys})

    def setdefault(self, key, default=None):
        """The value under a key, which is set first if it is not there."""
        if key not in self._keys:
            self[key] = default
        return self[key]

    def clear(self):
        """Take all values out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Take a value out, and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Take the last value out, and return it with its key."""
        key = next(reversed(self._keys), None)
        if key is None:
            raise KeyError("dictionary is empty")
        return key, self.pop(key)

    def get(self, key, default=None):
        """The value under a key, or a default."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys, default=None):
        """Another ParameterDict with one value under all keys."""
        return ParameterDict(dict.fromkeys(keys, default))

    def keys(self):
        """The keys."""
        return self._keys.keys()

    def items(self):
        """The keys with their values."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Add the values of a mapping, or of pairs of key and value."""
        if not isinstance(parameters, Iterable):
            raise TypeError("ParametersDict.update should be called with an iterable of key/value pairs, but got "
                            + type(parameters).__name__)
        if isinstance(parameters, Mapping) and not isinstance(parameters, ParameterDict):
            ordered = type(parameters) is not dict
            parameters = parameters.items() if ordered else sorted(parameters.items())
        elif isinstance(parameters, ParameterDict):
            parameters = parameters.items()
        for i, pair in enumerate(parameters):
            if not isinstance(pair, Iterable):
                raise TypeError(f"ParameterDict update sequence element #{i} should be Iterable; is "
                                f"{type(pair).__name__}")
            pair = tuple(pair)
            if len(pair) != 2:
                raise ValueError(f"ParameterDict update sequence element #{i} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]

    def extra_repr(self):
        lines = [_described(key, value, lambda t: t.type()) for key, value in self.items()]
        return "\n".join("  " + line for line in lines)

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        both = self.copy()
        both.update(other)
        return both

    def __ror__(self, other):
        both = ParameterDict(other)
        both.update(self)
        return both

    def __ior__(self, other):
        self.update(other)
        return self
