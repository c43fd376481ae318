"""Vector spaces of values: zeros, ones, bases, random elements, sums and inner products."""

import numpy as np

from .... import numpy as cnp
from ....extend import Tracer, aval_of


class VSpace:
    """The vector space of a value; of what it consists `vspace` says.

    A class of one's own is given one by `VSpace.register(its type, its vector space)`; covector's transforms take it
    once `covector.tree.register` says what arrays it is made of.
    """

    mappings: dict = {}
    iscomplex = False

    def __init__(self, value):
        pass

    def zeros(self):
        """The zero."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its zero is; define zeros()")

    def ones(self):
        """The element of ones."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its ones are; define ones()")

    def standard_basis(self):
        """The elements of the standard basis, in order."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its basis is; define standard_basis()")

    def randn(self):
        """A random element."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to draw from it; define randn()")

    def add(self, x_prev, x_new):
        """The sum."""
        return self._add(x_prev, x_new)

    def mut_add(self, x_prev, x_new):
        """The sum, possibly in the memory of `x_prev`; None there is zero."""
        return self._mut_add(self.zeros() if x_prev is None else x_prev, x_new)

    def scalar_mul(self, x, a):
        """A multiple."""
        return self._scalar_mul(x, a)

    def inner_prod(self, x, y):
        """The inner product, a real number."""
        return self._inner_prod(x, y)

    def covector(self, x):
        """The conjugate."""
        return self._covector(x)

    def _add(self, x, y):
        return x + y

    def _mut_add(self, x, y):
        x += y
        return x

    def _scalar_mul(self, x, a):
        return x * a

    def _inner_prod(self, x, y):
        raise NotImplementedError(f"{type(self).__name__} does not say what its inner product is; define _inner_prod()")

    def _covector(self, x):
        return x

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        return f"{type(self).__name__}_{self.__dict__}"

    @classmethod
    def register(cls, value_type, vspace_maker=None):
        """Say that values of a type lie in spaces that `vspace_maker`, or this class, makes of them."""
        VSpace.mappings[value_type] = vspace_maker or cls


class ArrayVSpace(VSpace):
    """Real arrays of one shape and dtype."""

    def __init__(self, value):
        aval = aval_of(value) if isinstance(value, Tracer) else np.asarray(value)
        self.shape = tuple(aval.shape)
        self.dtype = aval.dtype

    @property
    def size(self):
        """The number of real components of an element."""
        return int(np.prod(self.shape))

    @property
    def ndim(self):
        """The number of axes."""
        return len(self.shape)

    def zeros(self):
        return np.zeros(self.shape, self.dtype)

    def ones(self):
        return np.ones(self.shape, self.dtype)

    def standard_basis(self):
        for place in np.ndindex(*self.shape):
            x = self.zeros()
            x[place] = 1
            yield x

    def randn(self):
        return np.array(np.random.randn(*self.shape)).astype(self.dtype)  # noqa: NPY002 - autograd's tests seed it

    def _mut_add(self, x, y):
        return x + y if isinstance(x, Tracer) or isinstance(y, Tracer) else super()._mut_add(x, y)

    def _inner_prod(self, x, y):
        return cnp.dot(cnp.ravel(x), cnp.ravel(y))


class ComplexArrayVSpace(ArrayVSpace):
    """Complex arrays of one shape and dtype, as a real vector space."""

    iscomplex = True

    @property
    def size(self):
        return 2 * int(np.prod(self.shape))

    def ones(self):
        return np.full(self.shape, 1 + 1j, self.dtype)

    def standard_basis(self):
        for place in np.ndindex(*self.shape):
            for unit in (1.0, 1.0j):
                x = self.zeros()
                x[place] = unit
                yield x

    def randn(self):
        return super().randn() + 1j * super().randn()

    def _inner_prod(self, x, y):
        return cnp.real(cnp.dot(cnp.conj(cnp.ravel(x)), cnp.ravel(y)))

    def _covector(self, x):
        return cnp.conj(x)


class ContainerVSpace(VSpace):
    """Tuples, lists, dicts and named tuples of other values; `shape` holds the spaces of these."""

    def __init__(self, value):
        self.shape = _rebuilt(value, [vspace(v) for v in _values(value)])

    @property
    def size(self):
        """The number of real components of an element."""
        return sum(space.size for space in _values(self.shape))

    def zeros(self):
        return self._map(lambda space: space.zeros())

    def ones(self):
        return self._map(lambda space: space.ones())

    def randn(self):
        return self._map(lambda space: space.randn())

    def standard_basis(self):
        spaces = _values(self.shape)
        for k, space in enumerate(spaces):
            for x in space.standard_basis():
                yield _rebuilt(self.shape, [x if j == k else other.zeros() for j, other in enumerate(spaces)])

    def _add(self, x, y):
        return self._map(lambda space, a, b: space.add(a, b), x, y)

    def _mut_add(self, x, y):
        return self._map(lambda space, a, b: space.mut_add(a, b), x, y)

    def _scalar_mul(self, x, a):
        return self._map(lambda space, v: space.scalar_mul(v, a), x)

    def _inner_prod(self, x, y):
        return sum(space.inner_prod(a, b) for space, a, b in zip(_values(self.shape), self._parts(x), self._parts(y)))

    def _covector(self, x):
        return self._map(lambda space, v: space.covector(v), x)

    def _map(self, fun, *values):
        return _rebuilt(self.shape, [fun(*parts) for parts in zip(_values(self.shape), *map(self._parts, values))])

    def _parts(self, value):
        return [value[key] for key in self.shape] if isinstance(self.shape, dict) else list(value)


def _values(container):
    return list(container.values() if isinstance(container, dict) else container)


def _rebuilt(container, values):
    """A tuple, list or dict like another one, of other values."""
    if isinstance(container, dict):
        return type(container)(zip(container, values))
    return type(container)(*values) if hasattr(container, "_fields") else type(container)(values)


def vspace(value):
    """The vector space of an array, a float, a complex number, or a tuple, list or dict of them.

    Raises:
        TypeError: there is none; integers and other objects are in none.

    >>> import numpy as np
    >>> from covector.compat.autograd.extend import vspace
    >>> vspace(np.ones((2, 3))).shape, vspace({"a": 1.0, "b": 1j}).size
    ((2, 3), 3)
    """
    maker = VSpace.mappings.get(type(value))
    if maker is not None:
        return maker(value)
    if isinstance(value, Tracer):
        return (ComplexArrayVSpace if value.dtype.kind == "c" else ArrayVSpace)(value)
    if isinstance(value, tuple | list | dict):
        return ContainerVSpace(value)
    if isinstance(value, np.ndarray):
        return _space_of_array(value)
    raise TypeError(f"Can't find vector space for value {value!r} of type {type(value)}: valid are arrays, floats, "
                    "complex numbers, and tuples, lists and dicts of them; use float(x) for a number, or "
                    "VSpace.register for a class of your own")


def _space_of_array(value):
    return (ComplexArrayVSpace if np.iscomplexobj(value) else ArrayVSpace)(value)


VSpace.register(np.ndarray, _space_of_array)
for _kind in (float, np.longdouble, np.float64, np.float32, np.float16):
    ArrayVSpace.register(_kind)
for _kind in (complex, np.clongdouble, np.complex64, np.complex128):
    ComplexArrayVSpace.register(_kind)


# Cotangents that are a function which adds them to a buffer: autograd's SparseObject.


class SparseObject:
    """A cotangent given by `mut_add(zeros) -> zeros with it added`, in the vector space `vs`."""

    __slots__ = ("vs", "mut_add")

    def __init__(self, vs, mut_add):
        self.vs = vs
        self.mut_add = mut_add


def dense(ct):
    """A cotangent as an array."""
    return ct.mut_add(ct.vs.zeros()) if type(ct) is SparseObject else ct


VSpace.register(SparseObject, lambda x: x.vs)
