"""Samplers: the order in which the items of a dataset are taken."""

import itertools
from typing import Generic, TypeVar

from ..public_names import torch
from ..random.generator import Generator
from ..types import dtypes

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """Base class of samplers: a subclass defines `__iter__`, and may define `__len__`."""

    def __iter__(self):
        raise NotImplementedError


def fresh_generator():
    """A generator that starts from a number of the default one."""
    return Generator().manual_seed(random_seed(None))


def random_seed(generator):
    """A seed from a generator."""
    return int(torch.empty((), dtype=dtypes.int64).random_(generator=generator).item())


class SequentialSampler(Sampler[int]):
    """The items in order.

    Args:
        data_source: the dataset.
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The items in random order.

    Args:
        data_source: the dataset.
        replacement: whether an item may come again.
        num_samples: how many; by default all.
        generator: of random numbers.
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(self.replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={self.replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples="
                             f"{self.num_samples}")

    @property
    def num_samples(self):
        """The number of items that it gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n = len(self.data_source)
        generator = fresh_generator() if self.generator is None else self.generator
        if self.replacement:
            for start in range(0, self.num_samples, 32):
                size = min(32, self.num_samples - start)
                yield from torch.randint(high=n, size=(size,), generator=generator).tolist()
        else:
            for start in range(0, self.num_samples, max(n, 1)):
                yield from torch.randperm(n, generator=generator).tolist()[:self.num_samples - start]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Some items in random order.

    Args:
        indices: of the items.
        generator: of random numbers.
    """

    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def __iter__(self):
        for i in torch.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Items drawn with given weights.

    Args:
        weights: a list of numbers.
        num_samples: how many to draw.
        replacement: whether an item may come again.
        generator: of random numbers.
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        weights = torch.as_tensor(weights, dtype=dtypes.float64)
        if len(weights.shape) != 1:
            raise ValueError("weights should be a 1d sequence but given weights have shape "
                             f"{tuple(weights.shape)}")
        self.weights = weights
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self):
        yield from torch.multinomial(self.weights, self.num_samples, self.replacement,
                                     generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list]):
    """Lists of what another sampler gives.

    Args:
        sampler: any iterable.
        batch_size: the length of a list.
        drop_last: whether to leave out the last list if it is shorter.
    """

    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


class DistributedSampler(Sampler[int]):
    """The items of one of several processes.

    Args:
        dataset: the dataset.
        num_replicas: how many processes there are; to be given, for there is no process group here.
        rank: which one this is.
        shuffle, seed: whether to take them in random order, alike in all processes.
        drop_last: whether to leave out items, not to repeat them, where the processes do not divide them.
    Raises:
        RuntimeError: the number of processes or the rank is not given.
        ValueError: there is no such rank.
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        if num_replicas is None or rank is None:
            raise RuntimeError("Requires distributed package to be available")
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        n = len(dataset)
        self.num_samples = n // num_replicas if drop_last and n % num_replicas else -(-n // num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self):
        n = len(self.dataset)
        if self.shuffle:
            indices = torch.randperm(n, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        else:
            indices = list(range(n))
        if not self.drop_last and indices:
            indices = list(itertools.islice(itertools.cycle(indices), self.total_size))
        indices = indices[:self.total_size]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Set what the order depends on besides the seed."""
        self.epoch = epoch


