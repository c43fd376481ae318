"""`DataLoader`: batches of a dataset, in this process or from workers."""

import itertools
import multiprocessing
import os
import queue
import time
import warnings
from multiprocessing.reduction import ForkingPickler

from ..profiler.profiler import record_function
from ..types.devices import count
from .collating import default_collate, default_convert
from .datasets import IterableDataset
from .samplers import BatchSampler, RandomSampler, Sampler, SequentialSampler, random_seed
from .workers import Exhausted, Failure, fetcher, work

FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
POLL = 1.0  # seconds between looks whether a worker has died


class _InfiniteConstantSampler(Sampler):
    """None, for ever: what a dataset that is iterated is asked for."""

    def __iter__(self):
        return itertools.repeat(None)


class DataLoader:
    """Iterate over the batches of a dataset.

    Args:
        dataset: with items, or one that is iterated.
        batch_size: items in a batch; None for the items themselves.
        shuffle: take the items in random order.
        sampler, batch_sampler: the order of items, or of lists of them.
        num_workers: processes that get the items; 0 for this one.
        collate_fn: makes a batch of a list of items.
        pin_memory, pin_memory_device: accepted; batches lie in ordinary memory, from which copies to a GPU are made
            as well.
        drop_last: leave out the last batch if it is smaller.
        timeout: seconds to wait for a batch of a worker; 0 for ever.
        worker_init_fn: called in each worker with its number.
        multiprocessing_context: a context of `multiprocessing`, or its name ("fork", "spawn", "forkserver").
        generator: of random numbers.
        prefetch_factor: batches that each worker makes in advance, 2 by default.
        persistent_workers: keep the workers for the next iteration.
        in_order: give batches in the order of the sampler, and not as they come.
    Raises:
        ValueError: arguments exclude each other, or are out of range.

    >>> import covector.compat.torch as torch
    >>> data = torch.utils.data.TensorDataset(torch.arange(5))
    >>> [batch.tolist() for (batch,) in torch.utils.data.DataLoader(data, batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    _iterator = None
    _said = None  # the length, where it was asked for and the dataset is iterated
    __initialized = False

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable "
                             "multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError("prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
                             "enable multiprocessing, otherwise set prefetch_factor to None.")
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        elif prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        iterated = isinstance(dataset, IterableDataset)
        if iterated:
            check_iterated(shuffle, sampler, batch_sampler)
        shuffle = bool(shuffle)
        self._dataset_kind = int(iterated)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                                 "drop_last")
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = _InfiniteConstantSampler() if iterated else RandomSampler(
                dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True

    @property
    def multiprocessing_context(self):
        """The context of the workers."""
        return self.__context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context):
        if context is not None:
            if self.num_workers == 0:
                raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > "
                                 f"0), but got num_workers={self.num_workers}")
            if isinstance(context, str):
                methods = multiprocessing.get_all_start_methods()
                if context not in methods:
                    raise ValueError("multiprocessing_context option should specify a valid start method in "
                                     f"{methods!r}, but got multiprocessing_context={context!r}")
                context = multiprocessing.get_context(context)
            if not isinstance(context, multiprocessing.context.BaseContext):
                raise TypeError("multiprocessing_context option should be a valid context object or a string "
                                "specifying the start method, but got multiprocessing_context="
                                f"{context}")
        self.__context = context

    def __setattr__(self, name, value):
        if self.__initialized and name in FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self):
        if self.pin_memory and not count():
            warnings.warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                          "won't be used.", stacklevel=2)
        if not self.num_workers:
            return _Here(self)
        if not self.persistent_workers:
            return _FromWorkers(self)
        if self._iterator is None:
            self._iterator = _FromWorkers(self)
        else:
            self._iterator.again(self)
        return self._iterator

    def __len__(self):
        if self._dataset_kind:
            n = len(self.dataset)
            if self.batch_size is not None:
                n = n // self.batch_size if self.drop_last else -(-n // self.batch_size)
            self._said = n
            return n
        return len(self._index_sampler)


def check_iterated(shuffle, sampler, batch_sampler):
    """PyTorch's refusals of what a dataset that is iterated cannot be asked for."""
    if shuffle not in (False, None):
        raise ValueError("DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle="
                         f"{shuffle}")
    for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                             f"{name}={value}")


class _Iteration:
    """One iteration over a loader."""

    def __init__(self, loader):
        self._start(loader)

    def _start(self, loader):
        self._loader = loader
        self._indices = iter(loader._index_sampler)
        self._base_seed = random_seed(loader.generator)
        self._given = 0

    def __iter__(self):
        return self

    def __len__(self):
        return len(self._loader._index_sampler)

    def __next__(self):
        with record_function(f"enumerate(DataLoader)#{type(self).__name__}.__next__"):
            found = self._next_data()
        self._given += 1
        if self._loader._dataset_kind:
            self._warn_of_length()
        return found

    next = __next__

    def _warn_of_length(self):
        """Warn where a dataset that is iterated gives more than the loader said."""
        said = self._loader._said
        if said is not None and self._given > said:
            more = ("" if not self._loader.num_workers else " For multiprocessing data-loading, this could be caused "
                    "by not properly configuring the IterableDataset replica at each worker. Please see "
                    "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples.")
            warnings.warn(f"Length of IterableDataset {self._loader.dataset} was reported to be {said} (when accessing "
                          f"len(dataloader)), but {self._given} samples have been fetched. " + more, stacklevel=3)


class _Here(_Iteration):
    """An iteration in this process."""

    def __init__(self, loader):
        super().__init__(loader)
        self._fetch = fetcher(loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last)

    def _next_data(self):
        return self._fetch(next(self._indices))


class _FromWorkers(_Iteration):
    """An iteration whose batches come from processes."""

    def __init__(self, loader):
        super().__init__(loader)
        self._alive = False
        self._process = os.getpid()
        context = loader.multiprocessing_context or multiprocessing.get_context()
        n = loader.num_workers
        self._results = context.Queue()
        self._tasks = [context.Queue() for _ in range(n)]
        self._workers = []
        for k in range(n):
            self._tasks[k].cancel_join_thread()
            worker = context.Process(target=work, daemon=True, args=(
                loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last, self._tasks[k],
                self._results, self._base_seed + k, loader.worker_init_fn, k, n, os.getpid()))
            worker.start()
            self._workers.append(worker)
        self._alive = True
        self._prepare()

    def again(self, loader):
        """Begin a new iteration with the same workers."""
        while self._wanted:  # what the last one did not take
            self._receive()
        self._start(loader)
        for k, tasks in enumerate(self._tasks):
            tasks.put((None, self._base_seed + k))
        self._prepare()

    def _prepare(self):
        self._sent = self._next = 0
        self._wanted = {}  # number of a task -> its worker
        self._ready = {}  # number -> result that came before its turn
        self._active = dict.fromkeys(range(self._loader.num_workers))
        self._turn = itertools.cycle(range(self._loader.num_workers))
        for _ in range(self._loader.prefetch_factor * self._loader.num_workers):
            self._send()

    def _send(self):
        """Give the next task to the worker whose turn it is."""
        if not self._active:
            return
        try:
            indices = next(self._indices)
        except StopIteration:
            return
        k = next(k for k in self._turn if k in self._active)
        self._tasks[k].put((self._sent, indices))
        self._wanted[self._sent] = k
        self._sent += 1

    def _receive(self):
        """The next result of any worker, or an error where one died or takes too long."""
        started = time.monotonic()
        while True:
            limit = self._loader.timeout
            left = POLL if not limit else max(0.0, min(POLL, limit - (time.monotonic() - started)))
            try:
                number, result = self._results.get(timeout=left)
            except queue.Empty:
                dead = [w for k, w in enumerate(self._workers) if not w.is_alive() and k in self._wanted.values()]
                if dead:
                    pids = ", ".join(str(w.pid) for w in dead)
                    self._shut_down()
                    raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from None
                if limit and time.monotonic() - started >= limit:
                    self._shut_down(wait=0.0)
                    raise RuntimeError(f"DataLoader timed out after {limit} seconds") from None
                continue
            self._wanted.pop(number, None)
            return number, ForkingPickler.loads(result)

    def _next_data(self):
        while True:
            if self._loader.in_order:
                while self._next in self._ready or self._next in self._wanted:
                    if self._next in self._ready:
                        result = self._ready.pop(self._next)
                        self._next += 1
                        break
                    number, found = self._receive()
                    self._ready[number] = found
                else:
                    break
            elif self._wanted:
                _, result = self._receive()
            else:
                break
            if isinstance(result, Exhausted):
                self._active.pop(result.worker, None)
                if self._loader.persistent_workers is False:
                    self._tasks[result.worker].put(None)
                self._send()
                continue
            self._send()
            if isinstance(result, Failure):
                result.reraise()
            return result
        if not self._loader.persistent_workers:
            self._shut_down()
        raise StopIteration

    def _shut_down(self, wait=5.0):
        """End the workers, which have some seconds to end by themselves."""
        if not self._alive or self._process != os.getpid():
            return
        self._alive = False
        for tasks in self._tasks:
            tasks.put(None)
        for worker in self._workers:
            worker.join(timeout=wait)
            if worker.is_alive():
                worker.terminate()
                worker.join()
        for q in (*self._tasks, self._results):
            q.cancel_join_thread()
            q.close()
        self._wanted = {}

    def __del__(self):
        if getattr(self, "_alive", False):
            self._shut_down(wait=0.5)  # the queues may be gone before
