"""torch.ops: the operations by their names in ATen."""

from ._impl.ops.overloads import aten as aten
