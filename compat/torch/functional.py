"""torch.functional: functions of torch under the module that PyTorch writes them in."""

import sys as _sys

globals().update((_name, getattr(_sys.modules[__package__], _name)) for _name in """\
atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum
istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index""".split())
