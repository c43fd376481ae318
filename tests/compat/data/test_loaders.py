"""Datasets, samplers and loaders: items, batches, their order, refusals; the same in this process and in workers."""

import collections
import os
import random
import re
import time

import numpy as np
import pytest

import covector.compat.torch as torch
from harness import attempt, table

Pair = collections.namedtuple("Pair", "a b")


class Own(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)


def kinds(T):
    """Datasets of a library."""
    D = T.utils.data

    class Rows(D.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, i):
            return {"x": T.tensor([i, i]), "y": float(i), "s": str(i)}

    class Stream(D.IterableDataset):
        def __init__(self, n=7):
            self.n = n

        def __iter__(self):
            w = D.get_worker_info()
            return iter(range(self.n)) if w is None else iter(range(w.id, self.n, w.num_workers))

    class Failing(D.Dataset):
        def __init__(self, error):
            self.error = error

        def __len__(self):
            return 4

        def __getitem__(self, i):
            if i == 2:
                raise self.error
            return i

    return Rows, Stream, Failing


def tensors(T):
    return T.utils.data.TensorDataset(T.arange(10), T.arange(10.0) * 2)


def batches(T, n):
    """What loaders of `n` workers give."""
    Rows, Stream, _ = kinds(T)
    load, data = T.utils.data.DataLoader, tensors(T)
    found = [list(load(data, num_workers=n, **options)) for options in (
        {}, {"batch_size": 3}, {"batch_size": 3, "drop_last": True}, {"batch_size": None},
        {"batch_sampler": [[0, 1], [5, 6, 7]]}, {"sampler": [3, 1, 2], "batch_size": 2},
        {"collate_fn": len, "batch_size": 4})]
    found.append(list(load(Rows(), batch_size=4, num_workers=n)))
    return found + [list(load(Stream(), num_workers=n, **options)) for options in (
        {}, {"batch_size": 2}, {"batch_size": 2, "drop_last": True}, {"batch_size": None})]


def script_batches(T):
    return batches(T, 0)


def script_batches_of_workers(T):
    return batches(T, 2)


def failures(T, n):
    """What failing items raise: the class, and the first line."""
    _, _, Failing = kinds(T)
    found = []
    for error in (ValueError("boo"), KeyError("k"), Own(1, 2)):
        try:
            list(T.utils.data.DataLoader(Failing(error), num_workers=n))
        except Exception as e:
            found.append([type(e).__name__, str(e).split("\n")[0]])
    return found


def script_failures(T):
    return failures(T, 0), failures(T, 2)


def script_refusals(T):
    load, data, stream = T.utils.data.DataLoader, tensors(T), kinds(T)[1]()
    loader = load(data)
    lines = [lambda o=o: load(data, **o) for o in (
        {"num_workers": -1}, {"timeout": -1}, {"prefetch_factor": 2}, {"prefetch_factor": -1, "num_workers": 1},
        {"persistent_workers": True}, {"sampler": [1], "shuffle": True}, {"batch_sampler": [[1]], "batch_size": 2},
        {"batch_sampler": [[1]], "shuffle": True}, {"batch_size": None, "drop_last": True}, {"batch_size": 0},
        {"multiprocessing_context": "fork"}, {"batch_size": "a"}, {"drop_last": 3})]
    lines += [lambda o=o: load(stream, **o) for o in ({"shuffle": True}, {"sampler": [1]}, {"batch_sampler": [[1]]})]
    lines += [lambda name=name: setattr(loader, name, 3) for name in (
        "batch_size", "sampler", "dataset", "drop_last", "batch_sampler", "persistent_workers")]
    lines.append(lambda: len(load(stream)))
    return [attempt(lambda line=line: line()) for line in lines]


def script_datasets(T):
    D, data = T.utils.data, tensors(T)
    Rows, Stream, _ = kinds(T)
    both = D.ConcatDataset([data, D.TensorDataset(T.arange(3), T.arange(3.0))])
    part, stacked, named = D.Subset(data, [3, 4]), D.StackDataset(data, data), D.StackDataset(a=data, b=data)
    split = D.random_split(data, [5, 5], generator=T.Generator().manual_seed(1))
    found = [len(both), both[-1], both[10], both[3], both.cumulative_sizes, len(data + data), len(part), part[1],
             part[[0, 1]], part.__getitems__([1, 0]), stacked[1], stacked.__getitems__([1, 2]), named[1],
             sorted(split[0].indices + split[1].indices), list(D.ChainDataset([Stream(2), Stream(3)]))]
    return found, table([
        lambda: D.TensorDataset(T.ones(2), T.ones(3)), lambda: both[-20], lambda: D.ConcatDataset([]),
        lambda: D.ConcatDataset([Stream()]), lambda: list(D.ChainDataset([data])), D.StackDataset,
        lambda: D.StackDataset(data, a=data), lambda: D.StackDataset(data, both), lambda: D.Dataset()[0],
        lambda: [len(x) for x in D.random_split(data, [0.35, 0.65])], lambda: D.random_split(data, [3, 3]),
        lambda: [len(x) for x in D.random_split(data, [0.99, 0.01])], lambda: D.random_split(data, [-0.5, 1.5])])


def script_samplers(T):
    D, data = T.utils.data, tensors(T)
    return table([
        lambda: D.RandomSampler(data, replacement=3), lambda: D.RandomSampler(data, num_samples=-1),
        lambda: D.WeightedRandomSampler([1, 2], 0), lambda: D.WeightedRandomSampler([1, 2], True),
        lambda: D.WeightedRandomSampler([1, 2], 1, 3), lambda: D.WeightedRandomSampler([[1, 2]], 1),
        lambda: D.BatchSampler([1], 0, False), lambda: D.BatchSampler([1], 2, 3),
        lambda: len(D.BatchSampler([1], 2, True)),
        lambda: list(D.BatchSampler(range(5), 2, False)), lambda: list(D.BatchSampler(range(5), 2, True)),
        lambda: sorted(D.RandomSampler(data)), lambda: len(list(D.RandomSampler(data, num_samples=25))),
        lambda: len(list(D.RandomSampler(data, True, 70))), lambda: sorted(D.SubsetRandomSampler([4, 2])),
        lambda: list(D.WeightedRandomSampler([0, 1.0, 0], 3)), lambda: list(D.SequentialSampler(data)),
        lambda: sorted(D.WeightedRandomSampler([1, 1.0, 1], 3, False)), lambda: iter(D.Sampler()),
        lambda: list(D.DistributedSampler(data, 3, 1, shuffle=False)), lambda: D.DistributedSampler(data, 2, 2),
        lambda: list(D.DistributedSampler(data, 3, 1, shuffle=False, drop_last=True)),
        lambda: sorted([*D.DistributedSampler(data, 2, 0), *D.DistributedSampler(data, 2, 1)])])


def script_collated(T):
    C, V = T.utils.data.default_collate, T.utils.data.default_convert
    lines = [lambda b=b: C(b) for b in (
        [1, 2], [1.0, 2], [True, False], ["a", "b"], [b"a"], [T.ones(2), T.zeros(2)], [np.ones(2), np.zeros(2)],
        [np.float32(1), np.float32(2)], [np.int64(1)], [{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3, 4]}],
        [(1, 2.0), (3, 4.0)], [Pair(1, 2), Pair(3, 4)], [[1, 2], [3, 4]], [[1], [2, 3]], [None, None],
        [np.array(["a"])], [collections.OrderedDict(a=1)], [T.ones(2), T.ones(3)], [{1}], [(1,), (2, 3)])]
    lines += [lambda v=v: V(v) for v in (1, np.ones(2), [np.ones(2), 1], (np.ones(2),), {"a": np.ones(1)}, "s",
                                        Pair(np.ones(1), "x"), np.float32(2), None, T.ones(1))]
    return [attempt(lambda line=line: line()) for line in lines]


class Draws(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.rand(()).item(), np.random.rand(), random.random()  # noqa: NPY002


class Dying(Draws):
    def __getitem__(self, i):
        os._exit(3)


class Slow(Draws):
    def __getitem__(self, i):
        time.sleep(20)


class Infos(Draws):
    def __getitem__(self, i):
        w = torch.utils.data.get_worker_info()
        return w.id, w.num_workers, w.dataset is self


class Local(Draws):
    def __getitem__(self, i):
        raise type("Hidden", (Exception,), {})("of the worker")


def load(data, **options):
    return list(torch.utils.data.DataLoader(data, **{"batch_size": None} | options))


@pytest.mark.parametrize("n", [0, 2])
def test_every_item_draws_numbers_of_its_own(n):
    assert [len(set(column)) for column in zip(*load(Draws(), num_workers=n))] == [6, 6, 6]


@pytest.mark.parametrize("n", [0, 2])
def test_shuffled_order_comes_again_with_the_seed(n):
    orders = []
    for _ in range(2):
        torch.manual_seed(3)
        found = load(tensors(torch), batch_size=4, shuffle=True, num_workers=n)
        orders.append(torch.cat([b[0] for b in found]).tolist())
    assert orders[0] == orders[1] and sorted(orders[0]) == list(range(10)) != orders[0]


def test_workers_that_persist_serve_many_iterations():
    loader = torch.utils.data.DataLoader(tensors(torch), batch_size=4, num_workers=2, persistent_workers=True)
    workers = iter(loader)._workers
    next(iter(loader))  # left before its end
    assert [len(list(loader)) for _ in range(3)] == [3, 3, 3]
    assert iter(loader)._workers is workers


def test_worker_that_dies_is_reported():
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"):
        load(Dying(), num_workers=1)


def test_worker_that_takes_too_long_is_reported():
    with pytest.raises(RuntimeError, match="DataLoader timed out after 1 seconds"):
        load(Slow(), num_workers=1, timeout=1)


def test_error_of_a_worker_shows_its_traceback():
    shown = re.compile("Caught Hidden in DataLoader worker process 0.*Traceback.*of the worker", re.DOTALL)
    with pytest.raises(RuntimeError, match=shown):
        load(Local(), num_workers=1)


def test_first_call_in_a_worker_that_fails_is_reported():
    def begin(k):
        raise ValueError(f"worker {k}")

    with pytest.raises(ValueError, match="worker 0"):
        load(Draws(), num_workers=1, worker_init_fn=begin)


def test_workers_know_themselves():
    assert load(Infos(), num_workers=2)[:2] == [[0, 2, True], [1, 2, True]]
    assert torch.utils.data.get_worker_info() is None


def test_workers_can_be_spawned():
    data = torch.utils.data.TensorDataset(torch.arange(4))
    found = load(data, batch_size=2, num_workers=1, multiprocessing_context="spawn")
    assert [b[0].tolist() for b in found] == [[0, 1], [2, 3]]


def test_batches_as_they_come():
    found = load(tensors(torch), num_workers=2, in_order=False)
    assert sorted(x.item() for x, _ in found) == list(range(10))


def test_stream_that_is_longer_than_it_said_warns():
    class Long(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(3))

        def __len__(self):
            return 2

    loader = torch.utils.data.DataLoader(Long(), batch_size=None)
    assert len(loader) == 2
    with pytest.warns(UserWarning, match="was reported to be 2"):
        assert list(loader) == [0, 1, 2]
