"""ParameterList and ParameterDict."""

import operator
from collections.abc import Iterable, Mapping

from ..types.parameter import Parameter
from ..types.tensor_type import TensorBase
from .module import Module


def described(key, value, typename):
    """A line of the repr of a list or dict."""
    if not isinstance(value, TensorBase):
        return f"({key}): Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.size()))
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    place = f" ({value.device})" if value.is_cuda else ""
    return f"({key}): {kind} containing: [{typename(value)} of size {size}{place}]"


def as_parameter(value):
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
        setattr(self, self._name_at(index), as_parameter(param))

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
        lines = [described(str(i), value, lambda t: t.dtype) for i, value in enumerate(self)]
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
        setattr(self, self._checked(key), as_parameter(value))

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
        lines = [described(key, value, lambda t: t.type()) for key, value in self.items()]
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
