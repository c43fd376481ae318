"""Grad mode and inference mode, as contexts, decorators and functions; threads and coroutines have their own."""

import asyncio
import threading
import warnings

import covector.compat.torch as compat
from covector.compat.torch._impl.modes.modes import DEFAULT, IN_NO_GRAD, MODES, Modes
from harness import attempt, made_function, message


def script_contexts(torch):
    seen = [torch.is_grad_enabled()]
    with torch.no_grad():
        seen.append(torch.is_grad_enabled())
        with torch.enable_grad():
            seen.append(torch.is_grad_enabled())
            with torch.set_grad_enabled(False):
                seen.append(torch.is_grad_enabled())
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    seen.append(torch.is_grad_enabled())
    torch.set_grad_enabled(False)
    seen.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    seen.append(torch.is_grad_enabled())
    torch.autograd.set_grad_enabled(mode=False)
    seen.append(torch.is_grad_enabled())
    torch._C._set_grad_enabled(True) if hasattr(torch, "_C") else torch.set_grad_enabled(True)
    return seen


def script_exceptions_restore(torch):
    out = []
    for make in (torch.no_grad, torch.enable_grad, torch.inference_mode, lambda: torch.set_grad_enabled(False)):
        def run():
            with make():
                raise KeyError("x")
        attempt(run)
        out.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
    return out


def script_one_object_nests(torch):
    seen = []
    m = torch.no_grad()
    with m:
        with torch.enable_grad():
            with m:
                seen.append(torch.is_grad_enabled())
            seen.append(torch.is_grad_enabled())
    with m:
        seen.append(torch.is_grad_enabled())
    return seen[0], seen[2]


def script_decorators(torch):
    @torch.no_grad()
    def a(x):
        """doc"""
        return x * 2

    @torch.no_grad
    def b(x):
        return x * 2

    @torch.enable_grad()
    def c(x):
        return x * 2

    @torch.set_grad_enabled(False)
    def d(x):
        return x * 2

    @torch.inference_mode()
    def e(x):
        return x * 2

    @torch.inference_mode
    def f(x):
        return x * 2

    @torch.inference_mode(False)
    def g(x):
        return x * 2

    x = torch.ones(1, requires_grad=True)
    out = [h(x).requires_grad for h in (a, b, c, d, e, f, g)]
    with torch.no_grad():
        out.append([h(x).requires_grad for h in (a, b, c, d, e, f, g)])
    return out, a.__name__, a.__doc__, torch.is_grad_enabled(), e(x).is_inference()


def script_generators(torch):
    seen = []

    @torch.no_grad()
    def gen():
        seen.append(("in", torch.is_grad_enabled()))
        try:
            got = yield 1
            seen.append(("got", got, torch.is_grad_enabled()))
            got = yield 2
        except ValueError as error:
            seen.append(("error", str(error), torch.is_grad_enabled()))
            yield 3
        finally:
            seen.append(("end", torch.is_grad_enabled()))
        return 4

    g = gen()
    seen.append(next(g))
    seen.append(("out", torch.is_grad_enabled()))
    seen.append(g.send("s"))
    seen.append(g.throw(ValueError("v")))
    try:
        next(g)
    except StopIteration as stop:
        seen.append(stop.value)
    h = gen()
    next(h)
    with torch.enable_grad():
        h.close()
    return seen


def script_coroutines(torch):
    seen = []

    @torch.no_grad()
    async def plain():
        seen.append(torch.is_grad_enabled())
        return 3

    return asyncio.run(plain()), torch.is_grad_enabled()


def script_classes(torch):
    @torch.no_grad()
    class Made:
        def __init__(self):
            self.seen = torch.is_grad_enabled()

        def call(self):
            return torch.is_grad_enabled()

    m = Made()
    return m.seen, m.call()


def script_methods(torch):
    class Made:
        @torch.no_grad()
        def a(self):
            return torch.is_grad_enabled()

        @staticmethod
        @torch.no_grad()
        def b():
            return torch.is_grad_enabled()

        @classmethod
        @torch.no_grad()
        def c(cls):
            return torch.is_grad_enabled()

        @property
        @torch.no_grad()
        def d(self):
            return torch.is_grad_enabled()

    m = Made()
    return m.a(), m.b(), m.c(), m.d


def script_reprs_and_arguments(torch):
    return [attempt(lambda: torch.set_grad_enabled()), attempt(lambda: torch.no_grad()(lambda: 3)()),
            attempt(lambda: torch.set_grad_enabled(True)(lambda: torch.is_grad_enabled())()), torch.is_grad_enabled()]


def script_set_grad_enabled_as_decorator_restores(torch):
    @torch.set_grad_enabled(False)
    def f():
        return torch.is_grad_enabled()

    return torch.is_grad_enabled(), f(), torch.is_grad_enabled()


def script_set_grad_enabled_object_used_later(torch):
    out = []
    m = torch.set_grad_enabled(False)
    out.append(torch.is_grad_enabled())
    with m:
        out.append(torch.is_grad_enabled())
    out.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    return out


def script_no_grad_results(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    with torch.no_grad():
        a = x * 2
        b = y + 1
        v = x.view(2)
        f = torch.ones(2, requires_grad=True)
        c = torch.tensor([1.0], requires_grad=True)
        d = x.detach()
        y.add_(1)
        w = attempt(lambda: (x * 1).add_(1) and None)
        back = attempt(lambda: y.sum().backward())
    return a, b, v, f, c, d, y, w, back


def script_backward_in_no_grad(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    with torch.no_grad():
        y.backward()
    return x.grad


def script_inference_mode(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        seen = [torch.is_grad_enabled(), torch.is_inference_mode_enabled()]
        i = torch.ones(2)
        j = x * 2
        k = x.view(2)
        seen += [i.is_inference(), j.is_inference(), k.is_inference(), j.requires_grad, x.is_inference()]
        i.add_(1)
        with torch.enable_grad():
            seen.append((x * 2).requires_grad)
        with torch.inference_mode(False):
            seen += [torch.is_grad_enabled(), torch.is_inference_mode_enabled(), (x * 2).requires_grad,
                     torch.ones(1).is_inference()]
    seen += [attempt(lambda: i._version), attempt(lambda: i.requires_grad_()), attempt(lambda: i.add_(1) and None),
             attempt(lambda: x * i and None), (x + i).requires_grad, i.clone().is_inference(), (i * 2).is_inference(),
             i.view(2).is_inference(), i[0].is_inference(), attempt(lambda: i.add(1).requires_grad_().requires_grad)]
    return seen, torch.is_inference(i), torch.is_inference_mode_enabled()


def script_inference_writes_to_normal_tensors(torch):
    x = torch.ones(2)
    y = torch.ones(2, requires_grad=True) * 1
    z = y.exp()
    with torch.inference_mode():
        x.add_(1)
        v = x.view(2)
        seen = [x._version, v.is_inference(), v._is_view()]
        y.add_(1)
        y_version = y._version
    return seen, y_version, attempt(lambda: z.sum().backward() and None), attempt(lambda: v.add_(1) and None), x


def script_inference_view_of_normal_tensor_outside(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    with torch.inference_mode():
        v = y[1:]
    written = attempt(lambda: (v.mul_(2), None)[1])
    return v.requires_grad, v.is_inference(), written, attempt(lambda: (v * 2).requires_grad)


def script_threads_start_with_defaults(torch):
    seen = []

    def work():
        seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
        torch.set_grad_enabled(False)
        seen.append(torch.is_grad_enabled())

    with torch.no_grad():
        t = threading.Thread(target=work)
        t.start()
        t.join()
    return seen, torch.is_grad_enabled()


def test_coroutines_do_not_share_modes():
    """Unlike PyTorch, where a task that waits inside of a plain `with` leaves its mode to the others."""
    torch = compat
    seen = []

    async def one():
        with torch.no_grad():
            await asyncio.sleep(0)
            seen.append(torch.is_grad_enabled())

    async def other():
        await asyncio.sleep(0)
        seen.append(torch.is_grad_enabled())

    async def both():
        await asyncio.gather(one(), other())

    asyncio.run(both())
    assert sorted(seen) == [False, True]


def test_decorated_coroutines_and_async_generators():
    torch = compat
    seen = []

    @torch.no_grad()
    async def one():
        seen.append(torch.is_grad_enabled())
        await asyncio.sleep(0)
        seen.append(torch.is_grad_enabled())
        return 5

    @torch.no_grad()
    async def steps():
        try:
            for i in range(2):
                seen.append(torch.is_grad_enabled())
                got = yield i
                seen.append(got)
        finally:
            seen.append(("closed", torch.is_grad_enabled()))

    async def both():
        assert await one() == 5
        assert torch.is_grad_enabled()
        gen = steps()
        await gen.asend(None)
        assert torch.is_grad_enabled()
        await gen.asend("sent")
        await gen.aclose()

    asyncio.run(both())
    assert seen == [False, False, False, "sent", False, ("closed", False)]


def script_switches_of_the_engine(torch):
    autograd = torch.autograd
    seen = [autograd.is_multithreading_enabled()]
    with autograd.set_multithreading_enabled(False):
        seen.append(autograd.is_multithreading_enabled())
    autograd.set_multithreading_enabled(False)
    seen.append(autograd.is_multithreading_enabled())
    autograd.grad_mode.set_multithreading_enabled(True)
    with autograd.enforce_grad_layout_policy(False):
        x = torch.ones(2, 3).t().requires_grad_()
        (x * x).sum().backward()
    autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(False)
    return (seen, autograd.is_multithreading_enabled(), x.grad.sum(), reversed(torch.arange(3)),
            autograd.SavedTensor.__name__)


def script_views_of_leaves_made_in_no_grad(torch):
    def attempt(fn):
        try:
            return fn()
        except Exception as error:
            return ("raised", type(error).__name__, str(error))

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        v = x.view(-1)
    s = x.sum()
    z = s * v
    s.div_(2)  # only the gradient of v, which is dropped, would need it
    z.sum().backward()
    y = v * 2
    y.sum().backward()
    first = v.requires_grad, v.is_leaf, y.requires_grad, v.grad, x.grad, y.grad_fn.next_functions
    refused = [attempt(fn) for fn in (
        lambda: torch.autograd.grad((v * 2).sum(), v), lambda: v.backward(torch.ones(2)),
        lambda: torch.autograd.graph.get_gradient_edge(v),
        lambda: torch.autograd.grad((v * 2).sum(), v, allow_unused=True))]
    v.requires_grad_()
    (v * x).sum().backward()
    return first, refused, v.grad, x.grad


FOLLOWING = {"quick", "packing", "still", "mapped", "ungraded", "without"}  # what follows from the other fields


def test_a_changed_copy_of_the_modes_keeps_every_field():
    for name in set(Modes.__slots__) - FOLLOWING:
        record = DEFAULT.but()
        setattr(record, name, () if name == "maps" else object())
        copy = record.but(**{"recorder" if name != "recorder" else "nans": True})
        assert getattr(copy, name) is getattr(record, name), name


def test_operations_inside_of_a_backward_pass_take_the_same_lanes_as_outside():
    seen = []

    def hook(g):
        seen.append(MODES.get() is IN_NO_GRAD)
        with compat.enable_grad():
            seen.append(MODES.get() is None)

    x = compat.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(hook)
    y.sum().backward(retain_graph=True)
    assert seen == [True, True]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y.sum().backward(create_graph=True)
    assert seen == [True, True, False, True]


def test_modes_are_default_only_if_every_field_is():
    assert DEFAULT.default() and DEFAULT.but().default()
    values = {"grad": False, "hooks": (None,), "lower": ((None, True),), "maps": (None,), "level": 1}
    for name in Modes.__slots__:
        record = DEFAULT.but()
        setattr(record, name, values.get(name, "message"))
        assert not record.default() or name in FOLLOWING, name


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def script_modes(torch):
    x = leaf(torch, 1.0)
    out = [torch.is_grad_enabled()]
    with torch.no_grad():
        a = x * 2
        with torch.enable_grad():
            b = x * 2
        out += [torch.is_grad_enabled(), a.requires_grad, b.requires_grad]

    @torch.no_grad()
    def f():
        return (x * 2).requires_grad

    @torch.no_grad()
    def gen():
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    out += [f(), [(v, torch.is_grad_enabled()) for v in gen()]]
    torch.set_grad_enabled(False)
    out.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        out.append((x * 2).requires_grad)
    with torch.inference_mode():
        c = x * 2
        out += [c.requires_grad, c.is_inference(), torch.is_inference_mode_enabled()]
    out.append(attempt(lambda: c.requires_grad_()))
    out.append(attempt(lambda: (c * x).sum().backward()))
    out.append(attempt(lambda: c.add_(1) and None))
    return out


def script_views_and_uses_of_inference_tensors(torch):
    found = []
    for moving in (False, True):
        with torch.inference_mode():
            c = torch.ones(2, 3, requires_grad=moving)
            v = c.view(-1)
            found.append([v.is_inference(), v.requires_grad, v._is_view()])
            for change in (lambda x: x.transpose_(0, 1), lambda x: x.resize_(1, 2), lambda x: x.unsqueeze_(0)):
                d = torch.ones(2, 3, requires_grad=moving)
                change(d)
                found.append([d.is_inference(), d.requires_grad, d])
            v[0], plain = 5.0, torch.ones(2, 3)
        for out in (c.view(-1), c[0], c.t(), c.detach()):
            found.append([out.is_inference(), out.requires_grad, out._is_view(), out.is_leaf, out.detach().clone()])
        s = torch.ones(2, 3, requires_grad=True)
        found += [message(lambda: c * s), message(lambda: s.clone().mul_(plain)),
                  message(lambda: s.clone().mul_(plain.detach())), message(lambda: s.clone().add_(plain)),
                  message(lambda: torch.mul(torch.ones(2, 3), 2.0, out=plain)), message(lambda: plain.t_())]
    return found


def script_warnings_that_are_given_always(torch):
    found = [torch.is_warn_always_enabled(), message(lambda: torch.set_warn_always(1))]
    torch.set_warn_always(True)
    try:
        for _ in range(2):
            x = torch.ones(2, requires_grad=True)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                (x * x).sum().backward(create_graph=True)
            found += [torch.is_warn_always_enabled(), len(caught), [str(w.message)[:40] for w in caught]]
    finally:
        torch.set_warn_always(False)
    return found


def pair(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def script_disabled_recording(torch):
    x, seen = pair(torch), []
    with torch.no_grad():
        y, z, w = x * 2, torch.ones(2, requires_grad=True), x.detach().requires_grad_()
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()

    @torch.no_grad()
    def doubled(x):
        return x * 2

    @torch.no_grad
    def tripled(x):
        return x * 3

    return [t.requires_grad for t in (y, z, w, doubled(x), tripled(x))], seen


def script_volatile_is_gone(torch):
    x = torch.ones(2)
    x.volatile = True
    return x.volatile, x.requires_grad


def script_inference_leaves_meet_recorded_tensors(torch):
    with torch.inference_mode():
        i = torch.tensor([1.0, 2.0])
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    F = made_function(torch, lambda ctx, a, b: (ctx.save_for_backward(a), a * b)[1], lambda ctx, g: (g, g))
    G = made_function(torch, lambda ctx, a, b: a * b, lambda ctx, g: (g, g))
    calls = [lambda: i + x, lambda: x - i, lambda: i * x, lambda: x / i, lambda: torch.outer(i, x), lambda: i @ x,
             lambda: torch.cat([i, x]), lambda: torch.where(x > 3, i, x), lambda: torch.addcmul(x, i, i),
             lambda: torch.nn.functional.linear(i, x.view(1, 2)), lambda: (x * 1).add_(i), lambda: (x * 1).mul_(i),
             lambda: i.clone() * x, lambda: i.view(-1) + x, lambda: i.view(-1) * x,
             lambda: torch.nn.Parameter(i), lambda: torch.nn.Parameter(i, False).is_inference(),
             lambda: torch.inference_mode()(lambda: torch.nn.Parameter(i).requires_grad)(), lambda: i.requires_grad_(),
             lambda: F.apply(i, x), lambda: F.apply(x, i), lambda: F.apply(i, i), lambda: G.apply(i, x),
             lambda: torch.inference_mode()(F.apply)(i, x).is_inference(), lambda: i.add_(x)]
    return [attempt(call) for call in calls]


def script_no_grad_inside_of_itself_left_in_another_order(torch):
    seen, x = [], torch.ones(2, requires_grad=True)
    for kinds in ((torch.no_grad, torch.no_grad), (torch.inference_mode, torch.inference_mode),
                  (torch.no_grad, torch.enable_grad, torch.no_grad)):
        contexts = [kind() for kind in kinds]
        for context in contexts:
            context.__enter__()
            seen.append((torch.is_grad_enabled(), (x * 2).requires_grad))
        if kinds[0] is torch.inference_mode:
            contexts.reverse()
        for context in contexts:
            context.__exit__(None, None, None)
            seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled(), (x * 2).requires_grad))
        torch.set_grad_enabled(True)
    return seen
