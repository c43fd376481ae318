"""Values that are no arrays: what tensors of a layout other than `torch.strided` hold, and their cotangents."""


class OtherLayout:
    """A value with `shape` and `dtype`, whose `tensor()` is a tensor of its layout. NumPy computes nothing of it."""

    __slots__ = ()
    __array_ufunc__ = None

    def tensor(self):
        """A tensor that holds it, without a history."""
        raise NotImplementedError

    def memory(self):
        """The array whose writes count as writes to it."""
        raise NotImplementedError
