"""torch.nn.modules.instancenorm: normalization of each example by itself."""

import warnings

from ..._impl.public_names import F
from .batchnorm import _LazyNormBase, _NormBase


class _InstanceNorm(_NormBase):
    _axes = ""  # "2D or 3D", as messages give them

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self):
        """The number of axes of an input without a batch."""
        return int(self._axes[0])

    def _check_input_dim(self, input):
        if input.dim() not in (self._get_no_batch_dim(), self._get_no_batch_dim() + 1):
            raise ValueError(f"expected {self._axes} input (got {input.dim()}D input)")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            old = [prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if old:
                error_msgs.append(f"Unexpected running stats buffer(s) {' and '.join(repr(k) for k in old)} for "
                                  f"{type(self).__name__} with track_running_stats=False. If state_dict is a "
                                  "checkpoint saved before 0.4.0, this may be expected because "
                                  f"{type(self).__name__} does not track running stats by default since 0.4.0. Please "
                                  "remove these keys from state_dict. If the running stats are actually needed, "
                                  "instead set track_running_stats=True in "
                                  f"{type(self).__name__} to enable them. See the documentation of "
                                  f"{type(self).__name__} for details.")
                for key in old:
                    state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                                      error_msgs)

    def forward(self, input):
        self._check_input_dim(input)
        axis = input.dim() - self._get_no_batch_dim()
        if input.size(axis) != self.num_features:
            if self.affine:
                raise ValueError(f"expected input's size at dim={axis} to match num_features ({self.num_features}), "
                                 f"but got: {input.size(axis)}.")
            warnings.warn(f"input's size at dim={axis} does not match num_features. You can silence this warning by "
                          "not passing in num_features, which is not used because affine=False", stacklevel=2)
        single = axis == 0
        out = F.instance_norm(input.unsqueeze(0) if single else input, self.running_mean, self.running_var,
                              self.weight, self.bias, self.training or not self.track_running_stats,
                              self.momentum if self.momentum is not None else 0.0, self.eps)
        return out.squeeze(0) if single else out


class InstanceNorm1d(_InstanceNorm):
    """Normalize each channel of each example of `(N, C, L)` or `(C, L)`; arguments as of BatchNorm1d."""

    _axes = "2D or 3D"


class InstanceNorm2d(_InstanceNorm):
    """Normalize each channel of each example of `(N, C, H, W)` or `(C, H, W)`."""

    _axes = "3D or 4D"


class InstanceNorm3d(_InstanceNorm):
    """Normalize each channel of each example of `(N, C, D, H, W)` or `(C, D, H, W)`."""

    _axes = "4D or 5D"


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm1d whose `num_features` are those of the first input."""

    cls_to_become, _axes = InstanceNorm1d, InstanceNorm1d._axes


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm2d whose `num_features` are those of the first input."""

    cls_to_become, _axes = InstanceNorm2d, InstanceNorm2d._axes


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm3d whose `num_features` are those of the first input."""

    cls_to_become, _axes = InstanceNorm3d, InstanceNorm3d._axes
