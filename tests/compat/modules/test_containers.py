"""Containers: Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict as sequences and dicts."""

from collections import OrderedDict

from harness import attempt, message, normal


def names(m):
    return [(n, type(c).__name__) for n, c in m.named_children()]


def script_sequentials(torch):
    nn = torch.nn
    m = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    named = nn.Sequential(OrderedDict([("a", nn.Linear(2, 3)), ("b", nn.ReLU()), ("c", nn.Tanh())]))
    found = [len(m), type(m[1]).__name__, type(m[-1]).__name__, names(m[1:]), names(named[:2]), repr(named), names(m)]
    m.append(nn.Sigmoid()).insert(1, nn.Tanh())
    found += [names(m), names(m + nn.Sequential(nn.GELU())), names(nn.Sequential(nn.ReLU()) * 3), names(2 * named)]
    found += [type(m.pop(0)).__name__, names(m)]
    m += nn.Sequential(nn.ELU())
    m[0] = nn.SELU()
    del m[1]
    m.extend([nn.GLU(), nn.Mish()])
    del m[-2:]
    small = nn.Sequential(nn.ReLU())
    small *= 2
    del named[1]
    return [*found, names(m), names(small), names(named), [type(x).__name__ for x in m], repr(nn.Sequential()),
            nn.Sequential()(3), *[message(f) for f in (
                lambda: m[9], lambda: m + 3, lambda: m * 0, lambda: m * "a", lambda: m.insert(0, 3),
                lambda: m.insert(99, nn.ReLU()), lambda: nn.Sequential(3), lambda: m.append(3))]]


def script_lists_of_modules(torch):
    nn = torch.nn
    m = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])
    found = [len(m), repr(m), repr(nn.ModuleList()), repr(nn.ModuleList([nn.Linear(2,
            2) for _ in range(3)] + [nn.ReLU()]))]
    m.append(nn.Tanh())
    m.extend([nn.GELU()])
    m += [nn.ELU()]
    m.insert(1, nn.Sigmoid())
    found += [names(m), names(m[1:3]), type(m[-1]).__name__, names(m + nn.ModuleList([nn.Mish()]))]
    m[0] = nn.SELU()
    found += [type(m.pop(2)).__name__, names(m)]
    del m[0], m[1:]
    return [*found, names(m), nn.ReLU() in m, *[message(f) for f in (
        lambda: m[5], lambda: m.extend(3), lambda: m.append(3), lambda: m(3), lambda: m.__setitem__(7, nn.ReLU()))]]


def script_dicts_of_modules(torch):
    nn = torch.nn
    m = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
    m["c"] = nn.GELU()
    m.update([("d", nn.ELU())])
    m.update(nn.ModuleDict({"e": nn.Mish()}))
    found = [len(m), list(m), list(m.keys()), [type(v).__name__ for v in m.values()], [k for k, _ in m.items()],
            "a" in m,
             type(m.pop("a")).__name__, repr(m)]
    del m["b"]
    found.append(list(m))
    m.clear()
    return [*found, len(m), *[message(f) for f in (
        lambda: m["x"], lambda: m.update(3), lambda: m.update([("a", nn.ReLU(), 3)]),
        lambda: m.__setitem__("keys", nn.ReLU()))]]


def script_lists_of_parameters(torch):
    nn = torch.nn
    m = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1)), 3])
    m.append(torch.ones(1, 2))
    m += [nn.Parameter(torch.ones(1))]
    found = [len(m), repr(m), [n for n, _ in m.named_parameters()], list(m.state_dict()), type(m[0]).__name__, m[2],
             len(m[1:3]), type(m[1:3]).__name__, [type(x).__name__ for x in m]]
    m[0] = torch.zeros(4)
    return [*found, m[0], *[message(f) for f in (lambda: m[9], lambda: m.extend(3), lambda: m(3))]]


def script_dicts_of_parameters(torch):
    nn = torch.nn
    m = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.zeros(1))})
    m["c"] = 3
    m.update({"d": torch.ones(1)})
    found = [len(m), list(m), repr(m), [n for n, _ in m.named_parameters()], "a" in m, m.get("x", 5), m["c"],
             list(m.copy()), list(reversed(m)), m.setdefault("e", torch.ones(1)), m.pop("c"), m.popitem()[0],
             [k for k, _ in m.items()], len(list(m.values())), list(m | {"z": torch.ones(1)}),
             list(m.fromkeys(["p", "q"], torch.ones(1)))]
    m |= {"y": torch.ones(1)}
    del m["y"]
    found.append(list(m.keys()))
    m.clear()
    return [*found, len(m), attempt(lambda: m["x"])[:2], message(lambda: m.__setitem__(3, torch.ones(1))),
            message(lambda: m.update(3)), message(lambda: m(3))]


def script_containers_learn(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
            self.acts = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})
            self.scales = nn.ParameterList([torch.ones(2), torch.ones(2)])
            self.shifts = nn.ParameterDict({"a": torch.zeros(2)})

        def forward(self, x):
            for layer, scale in zip(self.layers, self.scales):
                x = self.acts["tanh"](layer(x)) * scale + self.shifts["a"]
            return x

    m = Net().double()
    with torch.no_grad():
        for k, p in enumerate(m.parameters()):
            p.copy_(normal(torch, *p.shape, seed=k))
    out = m(normal(torch, 3, 2))
    out.sum().backward()
    return [out, [(n, p.grad) for n, p in m.named_parameters()], repr(m)]
