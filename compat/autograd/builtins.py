"""autograd.builtins: tuples, lists and dicts, which transforms take as they are, and types of traced values."""

from ._impl.builtins import (
    ContainerVSpace as ContainerVSpace,
    DictBox as DictBox,
    DictVSpace as DictVSpace,
    ListVSpace as ListVSpace,
    NamedTupleVSpace as NamedTupleVSpace,
    SequenceBox as SequenceBox,
    SequenceVSpace as SequenceVSpace,
    TupleVSpace as TupleVSpace,
    dict as dict,
    dict_ as dict_,
    isinstance as isinstance,
    isinstance_ as isinstance_,
    list as list,
    list_ as list_,
    tuple as tuple,
    tuple_ as tuple_,
    type as type,
    type_ as type_,
)
from ._impl.missing import refusing

_PLAIN = "traced functions receive ordinary tuples, lists and dicts: use them as they are"
refusing("builtins", dict_.fromkeys(
    ["container_take", "container_untake", "sequence_extend_left", "sequence_extend_right",
     "make_sequence", "grad_container_take", "grad_sequence_extend_left", "grad_sequence_extend_right",
     "fwd_grad_make_sequence", "TupleMeta", "ListMeta", "DictMeta"], _PLAIN))
