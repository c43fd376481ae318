"""torch.utils._contextlib: contexts that are decorators too."""

import functools as _functools


class _DecoratorContextManager:
    """A base of contexts that may be put on functions: each call of such a function is inside a fresh one."""

    def __call__(self, orig_func):
        @_functools.wraps(orig_func)
        def inside(*args, **kwargs):
            with self.clone():
                return orig_func(*args, **kwargs)

        return inside

    def __enter__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __enter__(self), which enters the context")

    def __exit__(self, kind, error, trace):
        raise NotImplementedError(f"{type(self).__name__} has no __exit__(self, kind, error, trace), which leaves it")

    def clone(self):
        """A context made as this one was, without arguments."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A base of contexts without arguments, which may be put on functions by the class: `@Context`."""

    def __new__(cls, orig_func=None):
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)
