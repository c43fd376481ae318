"""torch.utils.data: datasets, samplers and loaders."""

from ..._impl.data.collating import default_collate, default_convert
from ..._impl.data.datasets import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from ..._impl.data.loader import DataLoader
from ..._impl.data.samplers import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from ..._impl.data.workers import get_worker_info
from ..._impl.dispatch import surface as _surface
from ..._impl.dispatch.unbuilt_parts import parts as _parts
from . import dataloader, dataset, distributed, sampler

globals().update(_parts("utils.data", "DataChunk DFIterDataPipe IterDataPipe MapDataPipe"))


def functional_datapipe(name, enable_df_api_tracing=False):
    """A decorator of classes of pipes, which it leaves as they are: there are no pipes to call them by name."""
    return lambda cls: cls


__getattr__ = _surface.getter("utils.data.", "torch.utils.data")
__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]
