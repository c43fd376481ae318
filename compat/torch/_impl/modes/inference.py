"""Refusals of inference tensors outside inference mode: writes, asking for gradients, being saved for backward."""

from ..... import _interpreters
from .modes import MODES


def check_write(t):
    """Refuse a write to an inference tensor outside inference mode; what `allow_mutation_on_saved_tensors` keeps of the
    memory is copied before it."""
    m = MODES.get()
    if m is not None and m.mutable_saved is not None:
        m.mutable_saved.before_write(t)
    if t.autograd_meta is not None and t.autograd_meta.inference and not (m is not None and m.inference):
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
                           "clone to get a normal tensor before doing inplace update.See "
                           "https://github.com/pytorch/rfcs/pull/17 for more details.")


def check_leaf(t):
    """Refuse that an inference tensor asks for gradients outside inference mode."""
    m = MODES.get()
    if t.autograd_meta is not None and t.autograd_meta.inference and not (m is not None and m.inference):
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")


def check_saved(node, tensors):
    """Refuse to save inference tensors for backward."""
    values = [t.value for t in tensors if t.autograd_meta is not None and t.autograd_meta.inference]
    if not values or not isinstance(node, _interpreters.AmbientNode) or node.rule is None or not node.rule.keeps:
        return
    saved = node.saved if isinstance(node.saved, tuple) else (node.saved,)
    if any(x is v or getattr(x, "base", None) is not None and (x.base is v or x.base is v.base)
           for x in saved for v in values):
        raise refused()


def refused():
    """The error for an inference tensor that is to be saved."""
    return RuntimeError("Inference tensors cannot be saved for backward. Please do not use Tensors created in "
                        "inference mode in computation tracked by autograd. To work around this, you can make a "
                        "clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                        "`torch.inference_mode()`.")
