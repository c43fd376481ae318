"""torch.jit.annotations: names that are written in annotations, where Python reads them and nothing else does."""

import typing as _typing

from .._impl.platform.futures import Future as Future

Any, Optional, Union = _typing.Any, _typing.Optional, _typing.Union
Dict, List, Tuple = _typing.Dict, _typing.List, _typing.Tuple  # noqa: UP006 (what torch has)


class _BroadcastingList:
    """A number, or a tuple of as many as its name says: `BroadcastingList2[int]`."""

    def __getitem__(self, item):
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _BroadcastingList()
