"""`Future`: a result that comes later, from a thread or a callback of this process."""

import sys
import threading
import traceback
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Future(Generic[T]):
    """A result that comes later.

    Args:
        devices: an empty list or None: tensors live on the CPU.
    Raises:
        ValueError: there are devices.

    >>> import covector.compat.torch as torch
    >>> future = torch.futures.Future()
    >>> doubled = future.then(lambda done: 2 * done.value())
    >>> future.set_result(4)
    >>> doubled.wait()
    8
    """

    def __init__(self, *, devices: Any = None) -> None:
        if devices:
            raise ValueError(f"Future takes no devices, since tensors live on the CPU, but got {devices}")
        self._changed = threading.Condition()
        self._done = False
        self._result: Any = None
        self._error: Exception | None = None
        self._callbacks: list[Any] = []

    def done(self) -> bool:
        """Tell whether there is a result, or an error."""
        return self._done

    def wait(self) -> T:
        """The result, once it is there; its error is raised."""
        with self._changed:
            self._changed.wait_for(self.done)
        return self.value()

    def value(self) -> T:
        """The result that is there; its error is raised.

        Raises:
            RuntimeError: there is none yet.
        """
        if not self._done:
            raise RuntimeError("Future.value needs a result, but there is none yet; use wait()")
        if self._error is not None:
            raise self._error
        return self._result

    def then(self, callback: Any) -> "Future[Any]":
        """A future of what `callback(self)` gives, which is called once this one is done."""
        later: Future[Any] = Future()

        def run(self: Future[T]) -> None:
            try:
                found = callback(self)
            except Exception as error:
                wrong = RuntimeError(f"Got the following error when running the callback: {type(error).__name__}: "
                                     f"{error}")
                wrong.__cause__ = error
                later.set_exception(wrong)
            else:
                later.set_result(found)

        self._call(run)
        return later

    def add_done_callback(self, callback: Any) -> None:
        """Call `callback(self)` once this one is done; an error of it is printed."""

        def run(self: Future[T]) -> None:
            try:
                callback(self)
            except Exception:
                sys.stderr.write(f"Got the following error when running the callback: {traceback.format_exc()}")

        self._call(run)

    def set_result(self, result: T) -> None:
        """Give the result.

        Raises:
            RuntimeError: there is one.
        """
        self._finish(result, None)

    def set_exception(self, result: Exception) -> None:
        """Give an error in place of a result."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, result: Any, error: Exception | None) -> None:
        with self._changed:
            if self._done:
                raise RuntimeError("Attempting to mark a completed Future as complete again. Note that a Future can "
                                   "only be marked completed once.")
            self._result, self._error, self._done = result, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for run in callbacks:
            run(self)

    def _call(self, run: Any) -> None:
        with self._changed:
            if not self._done:
                self._callbacks.append(run)
                return
        run(self)


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future of a list of futures, all of them done; of the first error that one of them has."""
    futures = list(futures)
    found: Future[list[Future[Any]]] = Future()
    lock = threading.Lock()
    left = [len(futures)]

    def one(future: Future[Any]) -> None:
        with lock:
            left[0] -= 1
            last = not left[0]
        if last:
            wrong = next((f for f in futures if f._error is not None), None)
            if wrong is None:
                found.set_result(futures)
            else:
                found.set_exception(wrong._error)  # type: ignore[arg-type]  # it has one

    for future in futures:
        future._call(one)
    if not futures:
        found.set_result([])
    return found


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """The results of futures, once all of them are there; the first error is raised."""
    return [future.wait() for future in collect_all(futures).wait()]
