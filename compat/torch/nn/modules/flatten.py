"""torch.nn.modules.flatten: several axes as one, and back."""

from ..._impl.module.module import Module


class Flatten(Module):
    """The axes from `start_dim` to `end_dim` as one.

    >>> import covector.compat.torch as torch
    >>> torch.nn.Flatten()(torch.ones(5, 2, 3)).shape
    torch.Size([5, 6])
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """An axis as several.

    Args:
        dim: the axis.
        unflattened_size: their lengths; for an axis given by name, pairs of name and length.
    """

    NamedShape = tuple

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if isinstance(dim, int):
            self._require_tuple_int(unflattened_size)
        elif isinstance(dim, str):
            self._require_tuple_tuple(unflattened_size)
        else:
            raise TypeError("invalid argument type for dim parameter")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_tuple_tuple(self, input):
        if not isinstance(input, tuple):
            raise TypeError("unflattened_size must be a tuple of tuples, " + f"but found type {type(input).__name__}")
        for i, pair in enumerate(input):
            if not isinstance(pair, tuple):
                raise TypeError(f"unflattened_size must be tuple of tuples, but found element of type "
                                f"{type(pair).__name__} at pos {i}")

    def _require_tuple_int(self, input):
        if not isinstance(input, tuple | list):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(input).__name__}")
        for i, n in enumerate(input):
            if not isinstance(n, int):
                raise TypeError(f"unflattened_size must be tuple of ints, but found element of type "
                                f"{type(n).__name__} at pos {i}")

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
