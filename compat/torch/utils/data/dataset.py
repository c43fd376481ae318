"""torch.utils.data.dataset: datasets."""

from ..._impl.data.datasets import (
    ChainDataset as ChainDataset,
    ConcatDataset as ConcatDataset,
    Dataset as Dataset,
    IterableDataset as IterableDataset,
    StackDataset as StackDataset,
    Subset as Subset,
    TensorDataset as TensorDataset,
    random_split as random_split,
)
from ..._impl.dispatch import surface as _surface

_surface.publish(globals())
