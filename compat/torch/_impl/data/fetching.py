"""Getting a batch, or an item, from a dataset."""

import itertools

from .collating import default_collate
from .datasets import IterableDataset, items_of, rows_of


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
