"""Modules: what they hold, walks over them, their state, conversions, reprs and messages."""

import copy
import pickle
from collections import OrderedDict

import pytest

import covector.compat.torch as compat
from harness import attempt, message, normal


def net(torch):
    """A network of two layers with fixed weights, and a buffer."""

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(2, 3)
            self.second = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3))
            self.register_buffer("shift", torch.ones(3))
            self.register_buffer("scratch", torch.zeros(1), persistent=False)
            self.scale = torch.nn.Parameter(torch.tensor(2.0))
            self.register_parameter("missing", None)
            self.nothing = None

        def forward(self, x):
            return self.second(torch.relu(self.first(x))) * self.scale + self.shift

        def extra_repr(self):
            return "two layers"

    found = Net().double()
    with torch.no_grad():
        for k, p in enumerate(found.parameters()):
            p.copy_(normal(torch, *p.shape, seed=k))
    return found


def script_a_module_shows_what_it_holds(torch):
    m = net(torch)
    return [repr(m), [n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()],
            [n for n, _ in m.named_modules()], [n for n, _ in m.named_children()], list(m.state_dict()),
            [n for n, _ in m.named_parameters(prefix="net", recurse=False)], [type(x).__name__ for x in m.modules()],
            [len(list(x)) for x in (m.parameters(), m.buffers(), m.children(), m.modules())],
            [n in dir(m) for n in ("first", "scale", "shift", "0", "forward", "training")],
            dict(m.state_dict()._metadata)]


def script_a_module_computes_and_learns(torch):
    m = net(torch)
    x = normal(torch, 4, 2)
    m(x).pow(2).sum().backward()
    grads = [p.grad.clone() for p in m.parameters()]
    m.zero_grad(set_to_none=False)
    zeros = [float(p.grad.abs().sum()) for p in m.parameters()]
    m.zero_grad()
    running = [b.clone() for b in m.buffers()]
    m.eval()
    return [grads, zeros, [p.grad for p in m.parameters()], running, m(x), m.training, m.second[1].training,
            m.train().second[1].training, [p.requires_grad for p in m.requires_grad_(False).parameters()]]


def script_paths(torch):
    m = net(torch)
    m.set_submodule("second.0", torch.nn.Identity())
    return [type(m.get_submodule("second.1")).__name__, m.get_submodule("") is m, m.get_parameter("first.weight"),
            m.get_buffer("second.1.running_mean"), repr(m.second),
            *[message(f) for f in (
                lambda: m.get_submodule("third"), lambda: m.get_submodule("scale"), lambda: m.get_parameter("shift"),
                lambda: m.get_buffer("scale"), lambda: m.get_parameter("first.nope"), lambda: m.set_submodule("", m),
                lambda: m.set_submodule("scale", m))]]


def script_refused_assignments(torch):
    m = net(torch)

    class Early(torch.nn.Module):
        def __init__(self, value):
            self.early = value

    def put(name, value):
        return message(lambda: setattr(m, name, value))

    return [put("scale", torch.ones(2)), put("scale", 3), put("shift", 3), put("first", 3),
            put("second", torch.ones(1)),
            message(lambda: Early(torch.nn.Parameter(torch.ones(1)))), message(lambda: Early(torch.nn.Identity())),
            *[message(f) for f in (
                lambda: m.register_buffer("a.b", torch.ones(1)), lambda: m.register_buffer("", torch.ones(1)),
                lambda: m.register_buffer("forward", torch.ones(1)), lambda: m.register_buffer("b", 3),
                lambda: m.register_buffer(3, torch.ones(1)), lambda: m.register_parameter("p", torch.ones(1)),
                lambda: m.register_parameter("a.b", None), lambda: m.register_parameter("first", None),
                lambda: m.register_parameter(3, None), lambda: m.add_module("m", 3), lambda: m.add_module("a.b", m),
                lambda: m.add_module("", m), lambda: m.add_module("scale", m), lambda: m.nope, lambda: m.train(3),
                lambda: torch.nn.Module()(3), lambda: torch.nn.Module(3), lambda: torch.nn.Module(a=3),
                lambda: delattr(m, "nope"), lambda: torch.nn.Linear(2, 3)(torch.ones(4)),
                lambda: m.to(torch.int64))]]


def script_attributes_change_their_table(torch):
    m = torch.nn.Module()
    m.a = torch.ones(1)
    m.b = torch.nn.Parameter(torch.ones(1))
    m.c = torch.nn.Buffer(torch.ones(1), persistent=False)
    found = [list(m._parameters), list(m._buffers), list(m.__dict__["_modules"]), "a" in m.__dict__]
    m.a = torch.nn.Parameter(torch.zeros(1))
    m.b = None
    m.c = torch.zeros(2)
    found += [list(m._parameters), list(m._buffers), list(m.state_dict()), "a" in m.__dict__, m.b, m.c]
    m.b = torch.nn.Parameter(torch.ones(2))
    del m.a, m.c
    m.d = torch.nn.Linear(1, 1)
    m.d = None
    return [*found, list(m._parameters), list(m._buffers), list(m._modules), m._non_persistent_buffers_set == set()]


def script_shared_parameters_come_once(torch):
    m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    m[1].weight = m[0].weight
    both = torch.nn.ModuleList([m, m])
    return [[n for n, _ in m.named_parameters()], [n for n, _ in m.named_parameters(remove_duplicate=False)],
            [n for n, _ in both.named_modules()], [n for n, _ in both.named_modules(remove_duplicate=False)],
            list(both.state_dict()), copy.deepcopy(m)[1].weight is copy.deepcopy(m)[0].weight,
            (lambda c: c[0].weight is c[1].weight)(copy.deepcopy(m))]


def script_state_dicts_load(torch):
    a, b = net(torch), net(torch)
    with torch.no_grad():
        a.scale.fill_(5.0)
        a.shift.fill_(7.0)
    kept = b.scale
    answer = b.load_state_dict(a.state_dict())
    found = [repr(answer), b.scale is kept, b.scale, b.shift]
    part = OrderedDict(list(a.state_dict().items())[:3])
    part["nope"] = torch.ones(1)
    part["first.nope.deep"] = torch.ones(1)
    loose = b.load_state_dict(part, strict=False)
    found += [loose.missing_keys, loose.unexpected_keys, repr(loose)]
    wrong = a.state_dict() | {"first.weight": torch.ones(3, 3), "scale": 3}
    found += [message(lambda: b.load_state_dict(part)), message(lambda: b.load_state_dict(wrong)),
              message(lambda: b.load_state_dict([1])), attempt(lambda: b.load_state_dict({})),
              b.load_state_dict({"scale": torch.tensor([4.0])}, strict=False).unexpected_keys, b.scale]
    given = a.state_dict()
    b.load_state_dict(given, assign=True)
    return [*found, b.shift is given["shift"], type(b.scale).__name__, b.scale.requires_grad, b.scale is kept,
            all(v.requires_grad for v in a.state_dict(keep_vars=True).values() if v.is_floating_point()),
            list(a.state_dict(prefix="net.")), a.state_dict()["scale"].requires_grad]


def script_hooks_of_state_dicts(torch):
    m, seen = torch.nn.Sequential(torch.nn.Linear(2, 1)), []
    handles = [
        m.register_state_dict_pre_hook(lambda module, prefix, keep_vars: seen.append(("pre", prefix, keep_vars))),
        m.register_state_dict_post_hook(lambda module, state, prefix, metadata: state.update(more=torch.ones(1))),
        m._register_state_dict_hook(lambda module, state, prefix, metadata: seen.append(sorted(state))),
        m.register_load_state_dict_pre_hook(lambda module, state, prefix, *rest: seen.append(state.pop("more", None))),
        m.register_load_state_dict_post_hook(lambda module, keys: seen.append(list(keys.missing_keys))),
    ]
    state = m.state_dict()
    found = [list(state), repr(m.load_state_dict(state)), m.load_state_dict({}, strict=False).missing_keys]
    for h in handles:
        h.remove()
    m.register_state_dict_post_hook(lambda *_: {})
    return [*found, seen, message(m.state_dict)]


def script_extra_state(torch):
    class Counting(torch.nn.Module):
        count = 3

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"] + 1

    m = torch.nn.Sequential(Counting())
    state = m.state_dict()
    m.load_state_dict(state)
    return [dict(state), m[0].count, message(lambda: m.load_state_dict({})),
            message(lambda: torch.nn.Sequential(torch.nn.Identity()).load_state_dict(state))]


def script_conversions_keep_gradients_by_name(torch):
    """A conversion changes the gradient that others hold, too."""
    m = torch.nn.Linear(1, 1)
    torch.nn.init.ones_(m.weight)
    m(torch.full((1, 1), 1 / 3)).sum().backward()
    held = m.weight.grad
    m.half().double()
    return [held is m.weight.grad, held]


def script_conversions(torch):
    m = net(torch)
    m(normal(torch, 4, 2)).sum().backward()
    held = m.first.weight

    def dtypes():
        return [str(held.dtype), str(held.grad.dtype), str(m.shift.dtype), str(m.second[1].num_batches_tracked.dtype),
                m.first.weight is held, type(held).__name__]

    found = [dtypes()]
    for convert in (lambda: m.float(), lambda: m.half(), lambda: m.to(torch.float64),
                    lambda: m.to("cpu", torch.float32), lambda: m.to(torch.ones(1, dtype=torch.float64)),
                    lambda: m.type(torch.float32),
                    lambda: m.cpu(), lambda: m.to(device="cpu", dtype=torch.float64)):
        found.append([convert() is m, *dtypes()])
    m.zero_grad()
    m(normal(torch, 4, 2)).sum().backward()
    return [*found, dtypes(), tuple(m.to_empty(device="cpu").first.weight.shape), m.first.weight is held]


def script_apply_visits_children_first(torch):
    m, seen = net(torch), []
    answer = m.apply(lambda x: seen.append(type(x).__name__))
    return [seen, answer is m]


def script_copies_and_pickles(torch):
    m = torch.nn.Sequential(OrderedDict(a=torch.nn.Linear(2, 2), b=torch.nn.Dropout(0.25), c=torch.nn.LayerNorm(2)))
    m(torch.ones(1, 2)).sum().backward()
    twin = copy.deepcopy(m)
    back = pickle.loads(pickle.dumps(m))
    with torch.no_grad():
        twin.a.weight.zero_()
    return [repr(twin) == repr(m) == repr(back), bool((m.a.weight == back.a.weight).all()), bool(m.a.weight.any()),
            type(back.a.weight).__name__, back.a.weight.requires_grad, twin.a.weight.grad is None, back.b.p,
            back.a.weight.is_leaf, copy.copy(m).a is m.a]


def script_a_replica_shares_all_but_parameters(torch):
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    net.note = ["kept"]
    replica = net._replicate_for_data_parallel()
    norm = net[1]._replicate_for_data_parallel()
    return (type(replica).__name__, replica.note is net.note, replica[0] is net[0], replica._modules is net._modules,
            list(norm._parameters), list(net[1]._parameters), norm.running_mean is net[1].running_mean,
            norm._is_replica)


def script_parameters(torch):
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    frozen = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    y = p * 2
    y.sum().backward()
    q = copy.deepcopy(p)
    r = pickle.loads(pickle.dumps(p))
    inside = [isinstance(x, torch.Tensor) for x in (p, frozen, q)]
    plain = [p.data, p.detach(), p + 1, p.clone(), p[0], p.view(2), -p, torch.stack([p, p]), p.to(torch.float64)]
    return [repr(p), str(frozen), repr([p]), type(p).__name__, p.is_leaf, p.grad, inside,
            [type(x).__name__ for x in plain], isinstance(p, torch.nn.Parameter), isinstance(p.data,
            torch.nn.Parameter), type(q).__name__, q.requires_grad,
            q.grad is None, q.data_ptr() != p.data_ptr(), type(r).__name__, r, r.requires_grad,
            repr(torch.nn.Parameter()), message(lambda: torch.nn.Parameter(torch.tensor([1]))),
            type(torch.nn.Parameter(torch.tensor([1]), requires_grad=False)).__name__,
            type(p.requires_grad_(False)).__name__, attempt(lambda: f"{torch.nn.Parameter(torch.tensor(1.5)):.2f}")]


def script_parameters_that_are_made_with_more_arguments(torch):
    class Placed(torch.nn.Parameter):
        def __new__(cls, data, place=None, requires_grad=True):
            made = torch.nn.Parameter.__new__(cls, data, requires_grad)
            made.place = place
            return made

    m = torch.nn.Module()
    m.p = Placed(torch.ones(2), place="sphere", requires_grad=False)
    return [type(m.p).__name__, m.p.place, m.p.requires_grad, list(dict(m.named_parameters())),
            attempt(lambda: torch.nn.Parameter(torch.ones(1), place=1))[0]]


def script_parameters_of_a_class_of_ones_own(torch):
    class Mine(torch.Tensor):
        pass

    class Named(torch.nn.Parameter):
        pass

    p = torch.nn.Parameter(torch.ones(2).as_subclass(Mine))
    n = Named(torch.ones(2))
    m = torch.nn.Module()
    m.p, m.n = p, n
    (p * n).sum().backward()
    return [type(p).__name__, isinstance(p, torch.nn.Parameter), isinstance(p, Mine), type(p * 2).__name__,
            type(n * 2).__name__, [k for k, _ in m.named_parameters()], type(p.grad).__name__, n.grad,
            type(n.detach()).__name__, repr(n)]


def script_buffers(torch):
    b = torch.nn.Buffer(torch.ones(2))
    m = torch.nn.Module()
    m.b, m.c = b, torch.nn.Buffer(torch.ones(1), persistent=False)
    return [type(b).__name__, isinstance(b, torch.nn.Buffer), isinstance(torch.ones(1), torch.nn.Buffer), b.persistent,
            list(m.state_dict()), [n for n, _ in m.named_buffers()]]


def script_what_is_uninitialized_says_so(torch):
    p, b = torch.nn.UninitializedParameter(), torch.nn.UninitializedBuffer()
    found = [repr(p), type(p).__name__, isinstance(p, torch.nn.Parameter), attempt(lambda: p.shape)[:2],
             attempt(lambda: p + 1)[:2], attempt(lambda: torch.add(p, p))[:2], str(p.dtype), p.requires_grad,
             isinstance(copy.deepcopy(p), torch.nn.UninitializedParameter), torch.nn.parameter.is_lazy(p)]
    p.materialize((2, 3), dtype=torch.float64)
    b.materialize((2,))
    return [*found, type(p).__name__, tuple(p.shape), str(p.dtype), p.is_leaf, type(b).__name__, tuple(b.shape)]


def script_lazy_modules_take_shapes_from_inputs(torch):
    m = torch.nn.Sequential(torch.nn.LazyConv2d(4, 3), torch.nn.LazyBatchNorm2d(), torch.nn.Flatten(),
                            torch.nn.LazyLinear(2), torch.nn.LazyInstanceNorm1d(affine=False))[:4].double()
    found = [repr(m), [type(p).__name__ for p in m.parameters()], m[0].has_uninitialized_params()]
    out = m(torch.ones(2, 3, 5, 5, dtype=torch.float64))
    again = torch.nn.LazyLinear(2)
    again.load_state_dict(m[3].state_dict())
    unready = torch.nn.LazyLinear(3)
    return [*found, tuple(out.shape), str(out.dtype), repr(m), [type(p).__name__ for p in m.parameters()],
            [(k, tuple(v.shape)) for k, v in m.state_dict().items()], tuple(again.weight.shape), type(again).__name__,
            attempt(lambda: unready.weight.shape)[:2], list(unready.state_dict())]


def script_a_subclass_has_names_of_its_own(torch):
    names = ("_backward_hooks_of _call_hooked _check_name _forget _get_under _hooks_behind _load_tensor "
             "_one_kind_of_backward_hook _persistent _set_buffer").split()

    class Own(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name in names:
                setattr(self, name, {name: True})
            self.weight = torch.nn.Parameter(torch.ones(2))
            self.register_buffer("seen", torch.zeros(1))
            self.seen = torch.ones(1)

        def forward(self, x):
            return x * self.weight

    own, calls = Own(), []
    own.register_forward_hook(lambda module, args, out: calls.append("forward"))
    own.register_full_backward_hook(lambda module, grad_in, grad_out: calls.append("backward"))
    own(torch.ones(2, requires_grad=True)).sum().backward()
    own.load_state_dict({name: value * 2 for name, value in own.state_dict().items()})
    own.weight = torch.nn.Parameter(own.get_parameter("weight").detach())
    return [calls, list(own.state_dict().items()), own._persistent, [name for name in names if not hasattr(own, name)]]


def test_a_module_that_was_not_begun_says_so():
    class Doubled(compat.nn.Module):
        def __init__(self):
            self.factor = 2

    with pytest.raises(AttributeError, match=r"'Doubled' object has no attribute .*super\(\).__init__\(\) first"):
        Doubled()(1)
