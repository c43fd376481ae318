"""`torch.futures`: results, errors and callbacks in one process."""

import importlib
import threading

from harness import attempt


def futures(torch):
    return importlib.import_module(f"{torch.__name__}.futures")


def kind(fun):
    """The type of the error of a call, or what it gives."""
    try:
        return fun()
    except Exception as error:
        return type(error).__name__


def script_a_result_comes_later(torch):
    F = futures(torch)
    future, seen = F.Future(), []
    doubled = future.then(lambda done: 2 * done.value())
    future.add_done_callback(lambda done: seen.append(done.value()))
    found = [future.done(), doubled.done(), kind(future.value)]
    future.set_result(4)
    future.add_done_callback(lambda done: seen.append(done.wait() + 1))
    return [*found, future.done(), future.wait(), doubled.wait(), seen, isinstance(future, torch.Future),
            attempt(lambda: future.set_result(5)), F.Future[int] is not None]


def script_errors_are_raised_by_those_who_wait(torch):
    F = futures(torch)

    def bad(done):
        raise ValueError("no")

    future, good = F.Future(), F.Future()
    found = [attempt(lambda: future.set_exception(3))]
    future.set_exception(KeyError("x"))
    good.set_result(1)
    return [*found, future.done(), kind(future.wait), kind(future.value), kind(good.then(bad).wait),
            kind(future.then(lambda done: done.value()).wait), kind(lambda: F.wait_all([good, future])),
            good.then(lambda done: 3).then(lambda done: done.value() + 1).wait()]


def script_several_are_collected(torch):
    F = futures(torch)
    a, b = F.Future(), F.Future()
    both = F.collect_all([a, b])
    found = [both.done()]
    a.set_result(torch.ones(2))
    found.append(both.done())
    b.set_result(torch.zeros(2))
    return [*found, both.done(), [f.value() for f in both.wait()], F.wait_all([a, b]), F.wait_all([])]


def script_threads_give_results(torch):
    future = futures(torch).Future()
    thread = threading.Thread(target=lambda: future.set_result(torch.ones(2).sum()))
    thread.start()
    found = future.wait()
    thread.join()
    return found, torch.jit.wait(torch.jit.fork(lambda x, y: x + y, torch.ones(1), y=2))
