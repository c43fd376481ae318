"""torch.utils.data.dataloader: loaders."""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from ..._impl.data.collating import default_collate as default_collate, default_convert as default_convert
from ..._impl.data.loader import (
    DataLoader as DataLoader,
    _FromWorkers as _MultiProcessingDataLoaderIter,  # noqa: F401 (a name that programs annotate with)
    _Iteration as _BaseDataLoaderIter,
)
from ..._impl.data.workers import get_worker_info as get_worker_info
from ..._impl.dispatch import surface as _surface
from . import _utils as _utils
from .dataset import Dataset as Dataset, IterableDataset as IterableDataset
from .sampler import (
    BatchSampler as BatchSampler,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
)

_SingleProcessDataLoaderIter = _BaseDataLoaderIter
_collate_fn_t = _Callable[[list], _Any]  # a type that programs annotate with

_surface.publish(globals())
