"""Bases of the contexts that change the modes, compiled where there is a C compiler.

Python looks for signals where a function of its own begins. A compiled `__exit__` is none: no signal falls between the
end of a `with` block and what undoes its beginning.
"""

from .modes import leave


class Context:
    """A context of a `begin` and an `end`; an `end` that a signal interrupts is called again, and does the rest."""

    def begin(self):
        """Change what the context changes; returns what `with` gives."""

    def end(self):
        """Put it back."""
        raise NotImplementedError

    def __enter__(self):
        return self.begin()

    def __exit__(self, *exc):
        try:
            self.end()
        except BaseException:
            self.end()
            raise


class Switch(Context):
    """A context whose constructor has changed already what it changes."""

    def __enter__(self):
        try:
            return self.begin()
        except BaseException:
            self.end()
            raise


class ModeContext:
    """A context that changes the modes by its `switch`; it can be nested, and entered repeatedly."""

    gives_itself = False  # whether `with` gives the context, not None

    def __init__(self):
        self.before = []

    def __enter__(self):
        entered = self.switch()
        try:
            self.before.append(entered)
        except BaseException:  # a signal: who is interrupted here will not leave
            leave(self.before.pop())
            raise
        return self if self.gives_itself else None

    def __exit__(self, *exc):
        entered = self.before[-1]
        try:
            leave(entered)
        except BaseException:  # a signal: what has happened already does no harm again
            leave(entered)
            raise
        finally:
            self.before.pop()
