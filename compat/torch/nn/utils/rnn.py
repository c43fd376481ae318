"""torch.nn.utils.rnn: sequences of several lengths."""

from ..._impl.module.packed_sequences import (
    PackedSequence as PackedSequence,
    invert_permutation as invert_permutation,
    pack_padded_sequence as pack_padded_sequence,
    pack_sequence as pack_sequence,
    pad_packed_sequence as pad_packed_sequence,
    pad_sequence as pad_sequence,
    unpack_sequence as unpack_sequence,
    unpad_sequence as unpad_sequence,
)
