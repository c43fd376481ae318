"""Worker processes of a loader: what runs in them, and how their errors reach the process that waits for them."""

import itertools
import os
import queue
import random
import sys
import traceback
from multiprocessing.reduction import ForkingPickler

import numpy as np

from ..random.generator import manual_seed
from .collating import default_collate
from .datasets import IterableDataset, items_of, rows_of

WAIT = 5.0  # seconds between looks whether the other side lives
_INFO = None


class WorkerInfo:
    """The record of a worker: `id`, `num_workers`, `seed`, `dataset`."""

    def __init__(self, **facts):
        self.__dict__.update(facts)
        self.__dict__["_keys"] = tuple(facts)

    def __setattr__(self, name, value):
        raise RuntimeError(f"Cannot assign attributes to {type(self).__name__} objects")

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={getattr(self, k)}' for k in self._keys)})"


def get_worker_info():
    """The `WorkerInfo` of this process, or None in the main one."""
    return _INFO


class Failure:
    """An error of a worker, to be raised in the main process: its class, and its traceback as text."""

    def __init__(self, where):
        kind, _, _ = sys.exc_info()
        self.kind = kind
        self.name = kind.__name__
        self.where = where
        self.text = "".join(traceback.format_exception(*sys.exc_info()))

    def reraise(self):
        """Raise it, with the traceback of the worker in its message."""
        message = f"Caught {self.name} {self.where}.\nOriginal {self.text}"
        if self.kind is KeyError:
            message = _Shown(message)
        elif getattr(self.kind, "message", None):
            raise self.kind(message=message)
        try:
            error = self.kind(message)
        except Exception:  # a class with other arguments
            raise RuntimeError(message) from None
        try:
            raise error
        finally:
            del error  # whose traceback holds this frame, and with it the iteration


class _Shown(str):
    """A message that `repr` shows as it is, as KeyError does."""

    def __repr__(self):
        return str(self)


class Exhausted:
    """Says that the iterator of a worker has ended."""

    def __init__(self, worker):
        self.worker = worker


def seed_worker(seed):
    """Let each worker draw numbers of its own."""
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002 (what datasets draw from)


def work(dataset, auto, collate_fn, drop_last, tasks, results, seed, init, k, n, parent):
    """Run a worker: do tasks `(number, indices)` until None comes, or the parent is gone.

    Args:
        dataset, auto, collate_fn, drop_last: of the loader; `auto` says that it makes batches.
        tasks, results: queues.
        seed, init: of this worker, and what the user runs in it first.
        k, n: which worker of how many.
        parent: the process that reads the results.
    """
    global _INFO
    seed_worker(seed)
    _INFO = WorkerInfo(id=k, num_workers=n, seed=seed, dataset=dataset)
    fetch = failure = None
    try:
        if init is not None:
            init(k)
        fetch = fetcher(dataset, auto, collate_fn, drop_last)
    except Exception:
        failure = Failure(f"in DataLoader worker process {k}")
    while True:
        try:
            task = tasks.get(timeout=WAIT)
        except queue.Empty:
            if os.getppid() != parent:
                return
            continue
        if task is None:
            return
        number, indices = task
        if number is None:  # a new iteration with the workers of the last one
            seed_worker(indices)
            failure = None
            try:
                fetch = fetcher(dataset, auto, collate_fn, drop_last)
            except Exception:
                failure = Failure(f"in DataLoader worker process {k}")
            continue
        if failure is not None:
            result, failure = failure, None
        else:
            try:
                result = fetch(indices)
            except StopIteration:
                result = Exhausted(k)
            except Exception:
                result = Failure(f"in DataLoader worker process {k}")
        results.put((number, packed(result, k)))
        del result


def packed(result, k):
    """A result as bytes; what cannot be pickled is an error of the worker, and no batch that never comes."""
    try:
        return bytes(ForkingPickler.dumps(result))
    except Exception:
        failure = Failure(f"in DataLoader worker process {k}")
        if isinstance(result, Failure):  # its class is local to the worker
            failure.text, failure.name = result.text, result.name
        failure.kind = RuntimeError
        return bytes(ForkingPickler.dumps(failure))


# Getting a batch, or an item, from a dataset.


def fetcher(dataset, auto, collate_fn, drop_last):
    """A function from what a sampler gives to a batch, or to an item where `auto` is False.

    It raises StopIteration where a dataset that is iterated has ended.
    """
    if auto and collate_fn is default_collate and not isinstance(dataset, IterableDataset):

        def whole(index):
            rows = rows_of(dataset, index)
            return collate_fn(items_of(dataset, index)) if rows is None else rows

        return whole
    if not isinstance(dataset, IterableDataset):
        return lambda index: collate_fn(items_of(dataset, index) if auto else dataset[index])
    items = iter(dataset)

    def fetch(index):
        if not auto:
            return collate_fn(next(items))
        batch = list(itertools.islice(items, len(index)))
        if not batch or drop_last and len(batch) < len(index):
            raise StopIteration
        return collate_fn(batch)

    return fetch
