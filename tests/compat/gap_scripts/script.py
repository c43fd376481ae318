"""What the scripts of the rows of docs/compat_gaps.md share: how one is noted, and short ways to say common things."""

SCRIPTS = {}  # how a row starts -> the script, what it gives here, what in PyTorch


def row(start, here, there):
    """Note a script for the row that starts with some words, and what it gives here and in PyTorch."""
    def note(script):
        SCRIPTS[start] = script, here, there
        return script

    return note


def attempt(fn):
    """What a call gives, or the type of its error."""
    try:
        return fn()
    except Exception as error:
        return type(error).__name__


def leaf(torch, *values):
    return torch.tensor(values or (2.0, 4.0), requires_grad=True)


def gradient(torch, f, x):
    return attempt(lambda: [round(v, 6) for v in gradient_of(torch, f, x)])


def gradient_of(torch, f, x):
    return torch.autograd.grad(f(x).sum(), x)[0].flatten().tolist()
