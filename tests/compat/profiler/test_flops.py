"""torch.utils.flop_counter: what products and convolutions cost, by module; module_tracker."""

import importlib

import covector.compat.torch as compat


def counted(torch, run, **options):
    """Counts by module and operation."""
    counter = importlib.import_module(f"{torch.__name__}.utils.flop_counter").FlopCounterMode(display=False, **options)
    with counter:
        out = run()
        if out.requires_grad:
            out.sum().backward()
    counts = {name: {str(k): n for k, n in sorted(found.items(), key=lambda item: str(item[0]))}
              for name, found in sorted(counter.get_flop_counts().items())}
    return counter.get_total_flops(), counts


def script_products(torch):
    def x(*shape):
        return torch.ones(*shape, requires_grad=True)

    f = torch.nn.functional
    return [counted(torch, run) for run in (
        lambda: x(2, 3) @ x(3, 4), lambda: torch.ones(2, 3) @ torch.ones(3, 4), lambda: torch.ones(2, 3) @ x(3, 4),
        lambda: torch.addmm(torch.ones(4), x(2, 3), x(3, 4)), lambda: torch.bmm(x(5, 2, 3), x(5, 3, 4)),
        lambda: torch.baddbmm(x(5, 2, 4), x(5, 2, 3), x(5, 3, 4)), lambda: torch.mv(x(2, 3), x(3)),
        lambda: torch.dot(x(3), x(3)), lambda: x(3) @ x(3, 4), lambda: x(5, 2, 3) @ x(3, 4),
        lambda: x(2, 3) @ x(5, 3, 4), lambda: x(6, 5, 2, 3) @ x(5, 3, 4), lambda: x(5, 2, 3) @ x(3),
        lambda: f.linear(x(3), x(4, 3), x(4)), lambda: f.linear(x(5, 2, 3), x(4, 3), x(4)),
        lambda: f.linear(torch.ones(5, 2, 3), x(4, 3)), lambda: torch.einsum("bij,bkj->bik", x(5, 2, 3), x(5, 4, 3)),
        lambda: torch.einsum("ij,jk,kl->il", x(2, 3), x(3, 4), x(4, 5)), lambda: torch.einsum("i,j", x(2), x(3)),
        lambda: torch.einsum("ij,jk->k", x(2, 3), x(3, 4)), lambda: torch.tensordot(x(2, 3), x(3, 4), dims=1),
        lambda: torch.inner(x(2, 3), x(4, 3)), lambda: torch.linalg.multi_dot([x(2, 3), x(3, 4), x(4, 5)]),
        lambda: torch.linalg.matrix_power(x(3, 3), 3), lambda: f.scaled_dot_product_attention(*[x(2, 5, 8)] * 3),
        lambda: torch.func.vmap(torch.mv, in_dims=(None, 0))(torch.ones(2, 3), torch.ones(5, 3)))]


def script_convolutions(torch):
    def x(*shape):
        return torch.ones(*shape, requires_grad=True)

    f = torch.nn.functional
    return [counted(torch, run) for run in (
        lambda: f.conv1d(x(2, 3, 8), x(4, 3, 3), x(4), padding=1), lambda: f.conv1d(x(3, 8), x(4, 3, 3)),
        lambda: f.conv2d(x(2, 3, 8, 8), x(4, 3, 3, 3), x(4), padding=1, stride=2),
        lambda: f.conv2d(torch.ones(2, 3, 8, 8), x(4, 3, 3, 3)), lambda: f.conv2d(
            x(2, 4, 8, 8), x(4, 2, 3, 3), groups=2), lambda: f.conv3d(x(2, 3, 4, 4, 4), x(4, 3, 3, 3, 3)),
        lambda: f.conv_transpose2d(x(2, 3, 8, 8), x(3, 4, 3, 3), x(4), stride=2))]


def script_modules(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)))
    images = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
    return [counted(torch, lambda: net(torch.ones(2, 3))), counted(torch, lambda: images(torch.ones(2, 3, 8, 8))),
            counted(torch, lambda: nn.GRU(3, 4)(torch.ones(5, 2, 3))[0])[0]]


def script_formulas_of_the_user(torch):
    def cost(x_shape, *args, out_shape=None, **kwargs):
        return 7 * x_shape[0] + out_shape[-1]

    return [counted(torch, lambda: torch.ones(2, 3).sin(), custom_mapping={torch.ops.aten.sin: cost}),
            counted(torch, lambda: torch.ones(2, 3) @ torch.ones(3, 4), custom_mapping={torch.ops.aten.mm: cost}),
            counted(torch, lambda: torch.nn.Linear(3, 4)(torch.ones(5, 2, 3)).detach(),
                    custom_mapping={torch.ops.aten.addmm: lambda b, x, w, **_: b[0] + 100 * x[0] + 10000 * w[0]})]


def script_tracker_of_modules(torch):
    tracker = importlib.import_module(f"{torch.__name__}.utils.module_tracker").ModuleTracker()
    seen = []

    class Square(torch.nn.Module):
        def forward(self, x):
            x.register_hook(lambda g: seen.append((sorted(tracker.parents), tracker.is_bw)))
            seen.append((sorted(tracker.parents), tracker.is_bw))
            return x * x

    net = torch.nn.Sequential(torch.nn.Linear(2, 2), Square())
    with tracker:
        net(torch.ones(1, 2, requires_grad=True)).sum().backward()
        seen.append((sorted(tracker.parents), tracker.is_bw))
    return seen


def script_cotangents_that_nobody_asked_for(torch):
    """They are not computed: neither counted, nor seen by hooks."""
    nn = torch.nn.functional
    x, w, b, k = (torch.ones(*shape, requires_grad=True) for shape in ((2, 3), (3, 4), (4,), (2, 3, 2)))
    seen, flops = [], importlib.import_module(f"{torch.__name__}.utils.flop_counter")
    for f, inputs in ((lambda: x @ w, (x, w)), (lambda: nn.linear(x, w.t(), b), (x, w, b)),
                      (lambda: nn.conv1d(x.expand(3, 2, 3).mT, k), (x, k)),
                      (lambda: torch.bmm(x[None], w[None]), (x, w)), (lambda: torch.tanh(x @ w) @ w.t(), (x, w))):
        for i in inputs:
            for create_graph in (False, True, True, True):
                with flops.FlopCounterMode(display=False) as counter:
                    g, = torch.autograd.grad(f().square().sum(), i, create_graph=create_graph)
                seen.append((counter.get_total_flops(), g.detach().contiguous()))
                if create_graph:
                    again = torch.autograd.grad(g.square().sum(), inputs, allow_unused=True)
                    seen.append([None if g is None else g.contiguous() for g in again])
    y = x @ w
    y.grad_fn.register_hook(lambda given, wanted: seen.append([None if g is None else g.shape for g in given]))
    torch.autograd.grad(y.sum(), w)
    return seen


def test_the_table_shows_modules_down_to_a_depth(capsys):
    net = compat.nn.Sequential(compat.nn.Linear(100, 200), compat.nn.Sequential(compat.nn.Linear(200, 50)))
    flops = importlib.import_module("covector.compat.torch.utils.flop_counter")
    with flops.FlopCounterMode(depth=1) as counter:
        net(compat.ones(6, 100))
    assert capsys.readouterr().out.splitlines() == [
        "Module             FLOP    % Total",
        "-------------  --------  ---------",
        "Sequential     360.000K    100.00%",
        " - aten.addmm  360.000K    100.00%"]
    assert "Sequential.1" in counter.get_table(2) and "Sequential.1.0" not in counter.get_table(2)


def test_a_profile_outside_sees_what_is_counted():
    flops = importlib.import_module("covector.compat.torch.utils.flop_counter")
    with compat.autograd.profiler.profile() as prof, flops.FlopCounterMode(display=False) as outer, \
            flops.FlopCounterMode(display=False) as inner:
        compat.mm(compat.ones(2, 3), compat.ones(3, 4))
    assert outer.get_total_flops() == inner.get_total_flops() == 48
    assert "aten::mm" in [e.name for e in prof.function_events]
