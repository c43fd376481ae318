"""GradScaler: losses times a factor, so that gradients in half precision do not vanish, and steps without overflow."""

import math
import warnings
from collections.abc import Iterable
from enum import Enum

import numpy as np

from ..modes.grad_mode import no_grad
from ..types import dtypes
from ..types.devices import count
from ..types.tensor_type import TensorBase, wrap


class OptState(Enum):
    """Stages of an optimizer since the last update."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


READY, UNSCALED, STEPPED = OptState


class GradScaler:
    """Scales losses, undoes that in gradients, and leaves out steps with an infinite or NaN gradient.

    After such a step `update` makes the factor smaller, after `growth_interval` others larger.

    Args:
        device: "cuda" or "cpu"; for "cuda" it is switched off where there is no device, as in PyTorch.
        init_scale: the first factor.
        growth_factor, backoff_factor: what it is multiplied by.
        growth_interval: how many steps in a row without overflow let it grow.
        enabled: False lets all methods do nothing, but for `step`, which is the optimizer's.

    >>> import covector.compat.torch as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> optimizer, scaler = torch.optim.SGD([x], 0.5), torch.amp.GradScaler("cpu", init_scale=4.0)
    >>> scaler.scale(x.sum()).backward()
    >>> x.grad
    tensor([4., 4.])
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> x
    tensor([0.5000, 0.5000], requires_grad=True)
    """

    def __init__(self, device="cuda", init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
                 enabled=True):
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled and not count():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale = None  # a tensor from the first call of `scale` on
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._optimizers = {}  # id of an optimizer -> (how far it is, whether an infinite or NaN gradient was found)

    def scale(self, outputs):
        """A tensor, or tensors of an iterable, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, TensorBase):
            if self._scale is None:
                self._scale = wrap(np.asarray(self._init_scale, np.float32)).to(outputs.device)
            return outputs * self._scale.to(outputs.device)
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = map(self.scale, outputs)
        return type(outputs)(scaled) if isinstance(outputs, list | tuple) else scaled

    def unscale_(self, optimizer):
        """Undo the scaling of the gradients of an optimizer, before they are looked at or clipped.

        Raises:
            RuntimeError: it was called for this optimizer since the last update.
            ValueError: a gradient in float16, which the quotient may not fit in.
        """
        if not self._enabled:
            return
        self._begun("unscale_")
        stage, _ = self._optimizers.get(id(optimizer), (READY, False))
        if stage == UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage == STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse, found = float(np.float32(1.0 / self._scale.item())), False
        with no_grad():
            for p in (p for group in optimizer.param_groups for p in group["params"] if p.grad is not None):
                if p.grad.dtype is dtypes.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                grad = p.grad._values() if p.grad.other_layout else p.grad
                found = found or not grad.isfinite().all().item()
                grad.mul_(inverse)
        self._optimizers[id(optimizer)] = UNSCALED, found

    def step(self, optimizer, *args, **kwargs):
        """`optimizer.step(...)` with the unscaled gradients; nothing where one is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._begun("step")
        stage, found = self._optimizers.get(id(optimizer), (READY, False))
        if stage == STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if stage == READY:
            if all(p.grad is None for group in optimizer.param_groups for p in group["params"]):
                raise AssertionError("No inf checks were recorded for this optimizer.")
            self.unscale_(optimizer)
            _, found = self._optimizers[id(optimizer)]
        out = None if found else optimizer.step(*args, **kwargs)
        self._optimizers[id(optimizer)] = STEPPED, found
        return out

    def update(self, new_scale=None):
        """Change the factor after the steps of an iteration, or set it to `new_scale`."""
        if not self._enabled:
            return
        self._begun("update")
        if new_scale is not None:
            if not isinstance(new_scale, float) and (
                    new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad):
                raise AssertionError("new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                                     "torch.FloatTensor with requires_grad=False.")
            self._scale.fill_(new_scale if isinstance(new_scale, float) else new_scale.item())
        elif not self._optimizers:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(found for _, found in self._optimizers.values()):
            self._scale.mul_(self._backoff_factor)
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                larger = self._scale * self._growth_factor
                if math.isfinite(larger.item()):
                    self._scale.copy_(larger)
                self._growth_tracker = 0
        self._optimizers = {}

    def _begun(self, name):
        if self._scale is None:
            raise AssertionError(f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                                 "scaler.scale(loss or outputs) earlier in the iteration.")

    def is_enabled(self):
        """Tell whether it does anything."""
        return self._enabled

    def get_scale(self):
        """The factor; 1.0 where it is switched off."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        """The factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Change what the factor is multiplied by to grow."""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """The factor by which the scale shrinks after an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Change what the factor is multiplied by after an overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """The number of consecutive steps without overflow after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Change how many steps in a row without overflow let the factor grow."""
        self._growth_interval = new_interval

    def state_dict(self):
        """The factor and how it changes; empty where it is switched off."""
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval, "_growth_tracker": self._growth_tracker}

    def load_state_dict(self, state_dict):
        """Take over the state that `state_dict` of another one gave; nothing where it is switched off."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance "
                               "of GradScaler.")
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]

    def __getstate__(self):
        state = dict(self.__dict__)
        if self._enabled:
            if self._optimizers:
                raise AssertionError("A GradScaler instance may only be pickled at the beginning of an iteration, or "
                                     "at the end after scaler.update().")
            state.update(_init_scale=self.get_scale(), _scale=None)
        return state
