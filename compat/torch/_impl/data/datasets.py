"""Datasets: things with a length and items, things to iterate, and those made of others."""

import bisect
import itertools
import math
import warnings
from typing import Generic, TypeVar

from ..public_names import torch
from ..random.generator import default_generator

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Base class of datasets with items: a subclass defines `__getitem__`, and `__len__` for most samplers.

    With `__getitems__(indices)` a loader asks for a batch at once.
    """

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Base class of datasets that are iterated: a subclass defines `__iter__`."""

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """The rows of tensors.

    Args:
        tensors: of one length.

    >>> import covector.compat.torch as torch
    >>> data = torch.utils.data.TensorDataset(torch.arange(3), torch.arange(3) * 2)
    >>> data[1]
    (tensor(1), tensor(2))
    """

    def __init__(self, *tensors):
        assert all(tensors[0].size(0) == tensor.size(0) for tensor in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """The items of several datasets together, as a tuple or a dict.

    Args:
        args, kwargs: datasets of one length, by place or by name.
    Raises:
        ValueError: they are given both ways, not at all, or differ in length.
    """

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError("Supported either ``tuple``- (via ``args``) or ``dict``- (via ``kwargs``) like "
                             "input/output, but both types are given.")
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = kwargs or args
        parts = list(self._parts())
        self._length = len(parts[0])
        if any(self._length != len(part) for part in parts):
            raise ValueError("Size mismatch between datasets")

    def _parts(self):
        return self.datasets.values() if isinstance(self.datasets, dict) else self.datasets

    def _together(self, found):
        return dict(zip(self.datasets, found)) if isinstance(self.datasets, dict) else tuple(found)

    def __getitem__(self, index):
        return self._together([part[index] for part in self._parts()])

    def __getitems__(self, indices):
        columns = []
        for part in self._parts():
            items = items_of(part, indices)
            if len(items) != len(indices):
                raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
            columns.append(items)
        return [self._together(row) for row in zip(*columns)]

    def __len__(self):
        return self._length


def rows_of(dataset, indices):
    """The rows of the tensors of a TensorDataset, or of a part of one, a tensor each; None of any other dataset.

    They are what collating the items gives, in one step for each tensor.
    """
    while type(dataset) is Subset:
        chosen = dataset.indices
        indices = [chosen[i] for i in indices]
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or not indices or not all(type(i) is int for i in indices) or any(
            type(t) is not torch.Tensor or t.requires_grad or not t.is_contiguous() for t in dataset.tensors):
        return None
    index = torch.tensor(indices)
    return [t[index] for t in dataset.tensors]


def items_of(dataset, indices):
    """Several items of a dataset."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[i] for i in indices]


class ConcatDataset(Dataset[T_co]):
    """Several datasets, one behind the other.

    Args:
        datasets: an iterable of them; none that is iterated.
    """

    @staticmethod
    def cumsum(sequence):
        """The lengths up to and with each dataset."""
        return list(itertools.accumulate(map(len, sequence)))

    def __init__(self, datasets):
        super().__init__()
        self.datasets = list(datasets)
        assert len(self.datasets) > 0, "datasets should not be an empty iterable"
        for d in self.datasets:
            assert not isinstance(d, IterableDataset), "ConcatDataset does not support IterableDataset"
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        k = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[k][idx - (self.cumulative_sizes[k - 1] if k else 0)]


class ChainDataset(IterableDataset):
    """Several datasets that are iterated, one after the other.

    Args:
        datasets: an iterable of them.
    """

    def __init__(self, datasets):
        super().__init__()
        self.datasets = datasets

    def __iter__(self):
        for d in self.datasets:
            assert isinstance(d, IterableDataset), "ChainDataset only supports IterableDataset"
            yield from d

    def __len__(self):
        total = 0
        for d in self.datasets:
            assert isinstance(d, IterableDataset), "ChainDataset only supports IterableDataset"
            total += len(d)
        return total


class Subset(Dataset[T_co]):
    """Some items of a dataset.

    Args:
        dataset: the dataset.
        indices: of the items.
    """

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        return items_of(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=default_generator):
    """Split a dataset at random.

    Args:
        dataset: the dataset.
        lengths: numbers of items, or shares of 1; what rounding leaves over goes to the first ones.
        generator: of random numbers.
    Returns:
        a list of `Subset`, one for each length.
    Raises:
        ValueError: the lengths do not add up.
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        counts = []
        for i, share in enumerate(lengths):
            if share < 0 or share > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
            counts.append(math.floor(len(dataset) * share))
        for i in range(len(dataset) - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
        for i, n in enumerate(lengths):
            if n == 0:
                warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.",
                              stacklevel=2)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = torch.randperm(sum(lengths), generator=generator).tolist()
    return [Subset(dataset, order[end - n : end]) for end, n in zip(itertools.accumulate(lengths), lengths)]
