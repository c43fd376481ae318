"""Sequences of several lengths: padded to the longest, or packed without padding."""

from typing import NamedTuple

from ..public_names import torch
from ..types.tensor_type import TensorBase


class _Packed(NamedTuple):
    data: object
    batch_sizes: object
    sorted_indices: object
    unsorted_indices: object


class PackedSequence(_Packed):
    """Sequences of several lengths without padding: the first elements of all, the second ones of all, and so on.

    Made by `pack_padded_sequence` and `pack_sequence`.

    Args:
        data: the elements, `(sum of lengths, *)`.
        batch_sizes: how many sequences have a first element, a second one, …
        sorted_indices, unsorted_indices: how the sequences were sorted by length, and back.
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if batch_sizes is None:  # pairs of former versions
            if not isinstance(data, list | tuple) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2: batch_sizes was not given")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
                             "manually. They should be instantiated by functions like pack_sequence and "
                             "pack_padded_sequences in nn.utils.rnn. "
                             "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence")
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """The sequences with `data.to(…)`; their order goes to the same device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        order = [None if t is None else t.to(data.device) for t in (self.sorted_indices, self.unsorted_indices)]
        return type(self)(data, self.batch_sizes, *order)

    def cpu(self):
        """The sequences on the CPU."""
        return self.to("cpu")

    def cuda(self, *args, **kwargs):
        """The sequences on the GPU; raises as `Tensor.cuda` does where there is none."""
        place = self.data.new_empty(0).cuda(*args, **kwargs).device
        return self.to(place)

    def double(self):
        """The sequences as float64."""
        return self.to(dtype=torch.float64)

    def float(self):
        """The sequences as float32."""
        return self.to(dtype=torch.float32)

    def half(self):
        """The sequences as float16."""
        return self.to(dtype=torch.float16)

    def long(self):
        """The sequences as int64."""
        return self.to(dtype=torch.int64)

    def int(self):
        """The sequences as int32."""
        return self.to(dtype=torch.int32)

    def short(self):
        """The sequences as int16."""
        return self.to(dtype=torch.int16)

    def char(self):
        """The sequences as int8."""
        return self.to(dtype=torch.int8)

    def byte(self):
        """The sequences as uint8."""
        return self.to(dtype=torch.uint8)

    def pin_memory(self):
        """The sequences."""
        return self

    def is_pinned(self):
        """Tell whether the memory is pinned: never."""
        return False

    @property
    def is_cuda(self):
        """Tell whether the data lie on a GPU."""
        return self.data.is_cuda


def invert_permutation(permutation):
    """The permutation that undoes another."""
    if permutation is None:
        return None
    out = torch.empty_like(permutation)
    out[permutation] = torch.arange(permutation.numel(), device=permutation.device)
    return out


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack sequences that are padded to the longest.

    Args:
        input: `(T, N, *)`, or `(N, T, *)` with `batch_first`.
        lengths: of the sequences, a list or a tensor.
        enforce_sorted: whether the lengths have to fall; else they are sorted first.
    Raises:
        RuntimeError: lengths that are not positive, not as many as sequences, or rise.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]])
    >>> torch.nn.utils.rnn.pack_padded_sequence(x, [2, 1, 3], batch_first=True, enforce_sorted=False).data
    tensor([4, 1, 3, 5, 2, 6])
    """
    lengths = torch.as_tensor(lengths, dtype=torch.int64, device="cpu")
    if enforce_sorted:
        order = None
    else:
        lengths, order = torch.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    steps = input.transpose(0, 1) if batch_first else input
    sizes = lengths.tolist()
    if steps.numel() == 0 and 0 in steps.shape[:2]:
        raise RuntimeError("Cannot pack empty tensors.")
    if len(sizes) != steps.shape[1]:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} "
                           f"(batch_size={steps.shape[1]})")
    if sizes[-1] <= 0 or min(sizes) <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
                           "<= 0")
    if any(b > a for a, b in zip(sizes, sizes[1:])):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
                           "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if you do not need ONNX exportability.")
    if sizes[0] > steps.shape[0]:
        raise RuntimeError(f"Expected sequence length to be larger than the largest of 'lengths', but got "
                           f"{steps.shape[0]} and {sizes[0]}")
    counts = [sum(n > t for n in sizes) for t in range(sizes[0])]
    data = torch.cat([steps[t, :n] for t, n in enumerate(counts)])
    return PackedSequence(data, torch.tensor(counts, dtype=torch.int64, device="cpu"), order)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The packed sequences padded to the longest, or to `total_length`, and their lengths.

    Returns:
        `(T, N, *)`, or `(N, T, *)` with `batch_first`, and the lengths, in the order before packing.
    """
    counts = sequence.batch_sizes.tolist()
    longest = len(counts)
    if total_length is not None and total_length < longest:
        raise ValueError("Expected total_length to be at least the length of the longest sequence in input, but got "
                         f"total_length={total_length} and max sequence length being {longest}")
    rows = []
    for part in sequence.data.split(counts):
        missing = counts[0] - part.shape[0]
        rows.append(part if not missing else torch.cat([part, part.new_full((missing, *part.shape[1:]),
                                                                            padding_value)]))
    for _ in range(longest, total_length or longest):
        rows.append(torch.full_like(rows[0], padding_value, requires_grad=False))
    out = torch.stack(rows)
    lengths = torch.tensor([sum(n > i for n in counts) for i in range(counts[0])], dtype=torch.int64, device="cpu")
    out = out.transpose(0, 1) if batch_first else out
    if sequence.unsorted_indices is not None:
        back = sequence.unsorted_indices
        return out.index_select(0 if batch_first else 1, back), lengths[back.cpu()]
    return out, lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Tensors `(L_i, *)` as one, padded to the longest.

    Returns:
        `(T, N, *)`, or `(N, T, *)` with `batch_first`.

    >>> import covector.compat.torch as torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if isinstance(sequences, TensorBase):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: "
                           f"{type(sequences)}")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("pad_sequence: received an empty list of sequences")
    longest = max(s.shape[0] for s in sequences)
    padded = []
    for s in sequences:
        if missing := longest - s.shape[0]:
            margin = s.new_full((missing, *s.shape[1:]), padding_value)
            s = torch.cat([s, margin] if padding_side == "right" else [margin, s])
        padded.append(s)
    return torch.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences of a padded tensor, each of its length."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:n] for row, n in zip(rows, lengths.tolist(), strict=True)]


def pack_sequence(sequences, enforce_sorted=True):
    """Pack tensors `(L_i, *)`; `enforce_sorted` as of `pack_padded_sequence`."""
    lengths = torch.as_tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The tensors that were packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
