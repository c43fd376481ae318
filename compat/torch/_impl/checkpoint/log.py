"""The log of `checkpoint(debug=True)`: where each tensor was saved."""

from ..graph.anomaly import users_frames
from ..graph_view.graph_tools import saved_tensors_hooks
from ..modes.modes import modes
from .recompute import CheckpointError


class Log:
    """A log of the places where tensors were saved, in the forward pass and in the recomputation."""

    def __init__(self):
        self.passes = [], []

    def contexts(self):
        """The two contexts that log."""
        return [Logged(entries) for entries in self.passes]

    def error(self, error):
        """The error with both logs."""
        first, again = (["".join(stack.format()) + f"saved {what}\n" for what, stack in entries]
                        for entries in self.passes)
        return CheckpointError(
            "An error happened while unpacking tensors; dumping logs of latest computation because you passed "
            "`debug=True` to `torch.utils.checkpoint.checkpoint()`.\n\n"
            "1. Stack traces of the tensors saved in the original forward\n\n" + "\n".join(first)
            + "\n2. Stack traces of the tensors saved during recomputation\n\n" + "\n".join(again)
            + "\n3. Tensors saved in the original forward and in the recomputation\n\n"
            + "".join([f"original:  {what}\n" for what, _ in self.passes[0]])
            + "".join([f"recompute: {what}\n" for what, _ in self.passes[1]])
            + "\nERROR: Detected non-determinism while running activation checkpointing\n\n"
            "You are seeing this error because you passed `debug=True` to checkpoint and tensors to be saved during "
            "the "
            "original forward and differ between those saved during recomputation. Compare the lists above.\n\n"
            + str(error).partition("\n\nTip:")[0])


class Logged:
    """A context that logs what is saved inside, and hands it on to the hooks around."""

    def __init__(self, entries):
        self.entries = entries

    def __enter__(self):
        self.entries.clear()
        pack, unpack = modes().hooks[-1]

        def logged(t):
            self.entries.append((f"{t.dtype} tensor of shape {list(t.shape)}", users_frames()))
            return pack(t)

        self.hooks = saved_tensors_hooks(logged, unpack)
        self.hooks.__enter__()

    def __exit__(self, *exc):
        self.hooks.__exit__(*exc)
