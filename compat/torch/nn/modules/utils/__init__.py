"""torch.nn.modules.utils: numbers given once for all axes."""

from ...._impl.module.tuples import (
    _pair as _pair,
    _quadruple as _quadruple,
    _single as _single,
    _triple as _triple,
    consume_prefix_in_state_dict_if_present as consume_prefix_in_state_dict_if_present,
    list_with_default as _list_with_default,
    ntuple as _ntuple_named,
    reverse_repeat_tuple as _reverse_repeat_tuple,
)


def _ntuple(n, name="parse"):
    return _ntuple_named(n, name)


__all__ = ["consume_prefix_in_state_dict_if_present"]
