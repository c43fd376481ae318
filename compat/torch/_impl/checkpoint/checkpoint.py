"""torch.utils.checkpoint: regions whose saved tensors are recomputed in the backward pass."""

import contextlib
import warnings
from contextvars import ContextVar

from ..dispatch.backward_calls import backward
from ..engine.graph_task import RUNNING
from ..function.function import Function
from ..graph.anomaly import users_frames
from ..graph_view.graph_tools import saved_tensors_hooks
from ..modes.autocast_mode import casting, casting_as
from ..modes.grad_mode import enable_grad, is_grad_enabled, no_grad
from ..modes.modes import MODES, modes, restore
from ..random.generator import fork_rng, get_rng_state, set_rng_state
from ..types.tensor_type import TensorBase
from .recompute import CheckpointError, Deferred, Region


def noop_context_fn():
    """The default contexts of forward pass and recomputation: none."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default",
               debug=False,
               early_stop=True, **kwargs):
    """Call `function(*args)`, and recompute its saved tensors in the backward pass instead of keeping them.

    Args:
        function: a function whose arguments and outputs include tensors.
        args: its arguments.
        use_reentrant: False for saved-tensor hooks, which support every way to differentiate; True for a
            Function that runs `backward` inside its own, and supports only `backward` without `inputs`.
        context_fn: returns two contexts, for the forward pass and for the recomputation.
        determinism_check: "default" compares shape, dtype and device of what is saved, "none" nothing.
        debug: report in errors where each tensor was saved in both passes.
        early_stop: end the recomputation as soon as all saved tensors are available.
        preserve_rng_state: draw the same random numbers again (the default).
        kwargs: keyword arguments of `function`, only with `use_reentrant=False`.
    Returns:
        what the function returns.
    Raises:
        ValueError: incompatible options.
        CheckpointError: in the backward pass, if the recomputation saved different tensors than the forward pass.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.utils.checkpoint import checkpoint
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> checkpoint(lambda t: (t ** 2).exp().sum(), x, use_reentrant=False).backward()
    >>> x.grad
    tensor([  5.4366, 218.3926])
    """
    if use_reentrant is None:
        warn_unsaid("checkpoint", "calling checkpoint without use_reentrant will raise an exception. "
                    "use_reentrant=False is")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return deferred(function, preserve, context_fn, determinism_check, debug, early_stop, args, kwargs)
    refuse_others(kwargs)
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve, *args)


def warn_unsaid(name, then):
    """The warning for a call that leaves the variant open."""
    where = "torch.utils.checkpoint" + ("" if name == "checkpoint" else f".{name}")
    since = "Starting in PyTorch 2.9, " if name == "checkpoint" else "In version 2.9 we will raise an exception if "
    warnings.warn(f"{where}: the use_reentrant parameter should be passed explicitly. {since}{then} recommended, but "
                  f"if "
                  "you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs "
                  "for "
                  "more details on the differences between the two variants.", UserWarning, stacklevel=3)


def refuse_others(kwargs):
    """Keyword arguments that nobody takes."""
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


def deferred(function, preserve, context_fn, determinism_check, debug, early_stop, args, kwargs):
    """A region with hooks around its saved tensors."""
    failed, describe = None, DESCRIPTIONS.get(determinism_check)
    if debug if DEBUG.get() is None else DEBUG.get():
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        log = Log()
        context_fn, failed = log.contexts, log.error
    if describe is None:
        raise ValueError(f"determinism_check should be one of {list(DESCRIPTIONS)}, but got {determinism_check}")
    around_forward, around_again = context_fn()
    state, cast = get_rng_state() if preserve else None, casting()

    def again(*args):
        with fork_rng(enabled=preserve):
            if preserve:
                set_rng_state(state)
            with casting_as(cast), around_again:
                function(*args, **kwargs)

    if not is_grad_enabled():
        return function(*args, **kwargs)
    stop = early_stop if EARLY_STOP.get() is None else EARLY_STOP.get()
    region = Region(again, args, stop, describe, failed)
    before = MODES.get()
    try:
        with Deferred(region), around_forward:
            found = function(*args, **kwargs)
            region.finished = True
    finally:
        restore(before)  # a signal may keep the context from being left
    if not region.finished:
        raise RuntimeError("torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception "
                           "raised during the checkpointed forward. This is not supported because checkpoint cannot "
                           "return a value for a failed forward.")
    return found


DESCRIPTIONS = {
    "default": lambda t: {"shape": t.shape, "dtype": t.dtype, "device": t.device},
    "none": lambda t: None,
}


class CheckpointFunction(Function):
    """A region as a Function: forward keeps the inputs alone, backward runs it again and sweeps what that recorded."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        """Run without recording."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state, ctx.cast = get_rng_state() if preserve_rng_state else None, casting()
        ctx.places = [i for i, x in enumerate(args) if isinstance(x, TensorBase)]
        ctx.inputs = [None if isinstance(x, TensorBase) else x for x in args]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        """Run again with recording, and sweep to the inputs."""
        if RUNNING.get().chosen:
            raise RuntimeError("When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                               "passing "
                               "an `inputs` parameter to .backward(). To resolve this error, you can either set "
                               "use_reentrant=False, or call .backward() without passing the `inputs` argument.")
        inputs = list(ctx.inputs)
        for i, t in zip(ctx.places, ctx.saved_tensors):
            inputs[i] = t
        preserve = ctx.state is not None
        with fork_rng(enabled=preserve):
            if preserve:
                set_rng_state(ctx.state)
            inputs = detach_variable(tuple(inputs))
            with enable_grad(), casting_as(ctx.cast):
                outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, TensorBase) else outputs
        pairs = [(out, g) for out, g in zip(outputs, grads) if isinstance(out, TensorBase) and out.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([out for out, _ in pairs], [g for _, g in pairs])
        return (None, None, *[x.grad if isinstance(x, TensorBase) else None for x in inputs])


def check_backward_validity(inputs):
    """Warn where no input asks for a gradient."""
    if not any(x.requires_grad for x in inputs if isinstance(x, TensorBase)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", UserWarning, stacklevel=2)


def detach_variable(inputs):
    """A tuple with its tensors as leaves that ask for gradients as before."""
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: "
                           f"{type(inputs).__name__}")
    return tuple([x.detach().requires_grad_(x.requires_grad) if isinstance(x, TensorBase) else x for x in inputs])


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Run functions one after the other, in segments that are checkpointed, except for the last one.

    Args:
        functions: a list of functions of one tensor, or an `nn.Sequential`.
        segments: the number of segments.
        input: the argument of the first function.
        use_reentrant, preserve_rng_state: as for `checkpoint`.
    Returns:
        what the last function returns.
    Raises:
        ValueError: an unknown keyword argument.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.utils.checkpoint import checkpoint_sequential
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> y = checkpoint_sequential([torch.sin, torch.exp, torch.tanh, torch.sin], 2, x, use_reentrant=False)
    >>> y.backward()
    """
    if use_reentrant is None:
        warn_unsaid("checkpoint_sequential", "use_reentrant is not passed. use_reentrant=False is")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    refuse_others(kwargs)
    functions = list(functions.children()) if hasattr(functions, "children") else functions
    size = len(functions) // segments
    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(one_after_the_other(functions[start:end]), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve)
    return one_after_the_other(functions[end:])(input)


def one_after_the_other(functions):
    """The composition of functions."""

    def run(x):
        for f in functions:
            x = f(x)
        return x

    return run


EARLY_STOP: ContextVar[bool | None] = ContextVar("covector_torch_early_stop", default=None)
DEBUG: ContextVar[bool | None] = ContextVar("covector_torch_checkpoint_debug", default=None)


@contextlib.contextmanager
def set_to(variable, value):
    """A variable of the context with a value for a while."""
    before = variable.get()
    variable.set(value)
    try:
        yield
    finally:
        variable.set(before)


def set_checkpoint_early_stop(enable):
    """Set whether regions whose forward runs inside stop their recomputation early, whatever their own argument says.

    >>> from covector.compat.torch.utils.checkpoint import set_checkpoint_early_stop
    >>> with set_checkpoint_early_stop(False):
    ...     pass
    """
    return set_to(EARLY_STOP, enable)


def set_checkpoint_debug_enabled(enabled):
    """Set whether regions inside have `debug`, whatever their own argument says; None leaves it to them.

    >>> from covector.compat.torch.utils.checkpoint import set_checkpoint_debug_enabled
    >>> with set_checkpoint_debug_enabled(True):
    ...     pass
    """
    return set_to(DEBUG, enabled)


def get_device_states(*args):
    """The devices of tensors and the states of their generators, of those that are not on the CPU: none.

    >>> import covector.compat.torch as torch
    >>> torch.utils.checkpoint.get_device_states(torch.ones(2))
    ([], [])
    """
    return [], []


def set_device_states(devices, states, *, device_type=None):
    """Put back what `get_device_states` gave: nothing."""


class DefaultDeviceType:
    """The kind of device whose generators a checkpoint puts back beside that of the CPU: there is none here."""

    @staticmethod
    def set_device_type(device="cuda"):
        """Accepted without effect."""

    @staticmethod
    def get_device_type():
        """The CPU's."""
        return "cpu"


# The log of `checkpoint(debug=True)`: where each tensor was saved.


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
