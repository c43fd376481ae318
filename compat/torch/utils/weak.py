"""torch.utils.weak: dictionaries whose keys are held weakly and told apart by identity, as tensors have to be."""

from collections.abc import MutableMapping
from weakref import ref


class WeakIdRef(ref):
    """A weak reference that is equal to those of the same object, however that compares."""

    __slots__ = ("_id",)

    def __init__(self, key, callback=None):
        self._id = id(key)
        super().__init__(key, callback)

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        mine, theirs = self(), other()
        return self is other if mine is None or theirs is None else mine is theirs


class TensorWeakRef:
    """A weak reference to a tensor: a call gives the tensor, None once it is gone."""

    def __init__(self, tensor):
        self.ref = ref(tensor)

    def __call__(self):
        return self.ref()


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary of the objects that are alive, by identity."""

    def __init__(self, dict=None, ref_type=WeakIdRef):
        self.data = {}
        self.ref_type = ref_type
        known = ref(self)

        def forget(key):
            room = known()
            if room is not None:
                room.data.pop(key, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __setitem__(self, key, value):
        self.data[self.ref_type(key, self._forget)] = value

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __delitem__(self, key):
        del self.data[self.ref_type(key)]

    def __contains__(self, key):
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # nothing refers weakly to it
            return False

    def __len__(self):
        return sum(key() is not None for key in list(self.data))

    def __iter__(self):
        for key in list(self.data):
            found = key()
            if found is not None:
                yield found

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __eq__(self, other):
        if not isinstance(other, WeakIdKeyDictionary):
            return NotImplemented
        return {id(k): v for k, v in self.items()} == {id(k): v for k, v in other.items()}

    __hash__ = None

    def __or__(self, other):
        return self.copy().__ior__(other)

    def __ior__(self, other):
        self.update(other)
        return self

    def __ror__(self, other):
        return type(self)(other, self.ref_type).__ior__(self)

    def copy(self):
        """The same keys and values in another dictionary."""
        return type(self)(self, self.ref_type)

    __copy__ = copy

    def keyrefs(self):
        """The weak references that are the keys."""
        return list(self.data)


WeakTensorKeyDictionary = WeakIdKeyDictionary
__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]
