"""Putting items together: batches of tensors from lists of whatever datasets give."""

import copy
import re
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import numpy as np

from ..public_names import torch
from ..types import dtypes

MESSAGE = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_convert(data):
    """Make tensors of the NumPy arrays in a nest."""
    if isinstance(data, torch.Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if isinstance(data, np.ndarray) and re.search("[SaUO]", data.dtype.str) or isinstance(
            data, str | bytes) else torch.as_tensor(data)
    if isinstance(data, Mapping):
        return rebuilt(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(d) for d in data))
    if isinstance(data, tuple):
        return [default_convert(d) for d in data]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return relisted(data, [default_convert(d) for d in data])
    return data


def rebuilt(like, items):
    """A mapping of the kind of another one."""
    try:
        if isinstance(like, MutableMapping):
            found = copy.copy(like)
            found.update(items)
            return found
        return type(like)(items)
    except TypeError:
        return items


def relisted(like, items):
    """A sequence of the kind of another one."""
    try:
        if isinstance(like, MutableSequence):
            found = copy.copy(like)
            for i, item in enumerate(items):
                found[i] = item
            return found
        return type(like)(items)
    except TypeError:
        return items


def collate(batch, *, collate_fn_map=None):
    """Put a list of items together, with functions for the kinds of `collate_fn_map`.

    Raises:
        TypeError: none fits a kind.
        RuntimeError: sequences differ in length.
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for known, fun in collate_fn_map.items():
            if isinstance(first, known):
                return fun(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return rebuilt(first, {key: collate([d[key] for d in batch], collate_fn_map=collate_fn_map)
                               for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)))
    if isinstance(first, Sequence):
        if not all(len(item) == len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in list(zip(*batch))]
        return columns if isinstance(first, tuple) else relisted(first, columns)
    raise TypeError(MESSAGE.format(kind))


def collate_tensors(batch, *, collate_fn_map=None):
    """A tensor with one axis more."""
    return torch.stack(list(batch), 0)


def collate_arrays(batch, *, collate_fn_map=None):
    """The same of NumPy arrays."""
    if re.search("[SaUO]", batch[0].dtype.str) is not None:
        raise TypeError(MESSAGE.format(batch[0].dtype))
    return collate([torch.as_tensor(b) for b in batch], collate_fn_map=collate_fn_map)


def collate_scalars(batch, *, collate_fn_map=None):
    """A tensor of NumPy's scalars."""
    return torch.as_tensor(np.array(batch))


def collate_floats(batch, *, collate_fn_map=None):
    """A tensor of float64."""
    return torch.tensor(batch, dtype=dtypes.float64)


def collate_ints(batch, *, collate_fn_map=None):
    """A tensor of integers, or of bools."""
    return torch.tensor(batch)


def collate_strings(batch, *, collate_fn_map=None):
    """The list itself."""
    return batch


default_collate_fn_map = {
    torch.Tensor: collate_tensors,
    np.ndarray: collate_arrays,
    (np.bool_, np.number, np.object_): collate_scalars,
    float: collate_floats,
    int: collate_ints,
    str: collate_strings,
    bytes: collate_strings,
}


def default_collate(batch):
    """Put a list of items together: tensors, arrays and numbers become tensors with one axis more.

    >>> import covector.compat.torch as torch
    >>> torch.utils.data.default_collate([(1, 2.0), (3, 4.0)])
    [tensor([1, 3]), tensor([2., 4.], dtype=torch.float64)]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
