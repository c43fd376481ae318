"""Second derivatives of piecewise linear functions: zeros, which depend on the operand, as in PyTorch."""


def _acts(torch):
    F = torch.nn.functional  # noqa: N806 (as everybody names it)
    target = torch.tensor([0.5, 0.25, -1.0])
    return [torch.relu, F.leaky_relu, torch.abs, F.hardtanh, F.relu6, F.hardshrink, F.softshrink,
            lambda x: F.threshold(x, 0.0, 0.0), lambda x: (x * 1).relu_(), lambda x: F.l1_loss(x, target),
            lambda x: F.max_pool1d(x[None, None], 2), lambda x: x.norm(1), lambda x: x.clamp(0.0, 1.0),
            lambda x: torch.maximum(x, target), lambda x: x * 2.0, torch.tanh]


def _composed(torch):
    F = torch.nn.functional  # noqa: N806 (as everybody names it)
    weight = torch.tensor([0.25], requires_grad=True)
    return [lambda x: F.prelu(x, weight), lambda x: F.prelu(x, weight.detach()), F.rrelu,
            lambda x: F.nll_loss(x[None], torch.tensor([1])), lambda x: F.avg_pool1d(x[None, None], 2),
            lambda x: F.nll_loss(x[None, :, None], torch.tensor([[1]])), lambda x: F.adaptive_avg_pool1d(x[None], 2),
            lambda x: F.adaptive_max_pool1d(x[None], 2), lambda x: F.avg_pool2d(x[None, None], (1, 2)),
            lambda x: torch.copysign(x, torch.tensor([1.0, -2.0, 3.0])),
            lambda x: F.max_unpool1d(x[None], torch.tensor([[1, 2, 4]]), 2)]


def _second(torch, act, given):
    x = torch.tensor([0.3, -0.7, 1.2], requires_grad=True)
    g, = torch.autograd.grad(act(x * 1.5).sum() * given, x, create_graph=True)
    if not g.requires_grad:
        return False
    h = torch.autograd.grad(g.sum(), x, allow_unused=True, retain_graph=True)[0]
    return None if h is None else h + torch.zeros(3)


def script_second_derivatives(torch):
    found = []
    for act in _acts(torch) + _composed(torch):
        found += [_second(torch, act, 1.0), _second(torch, act, torch.ones((), requires_grad=True))]
        found.append(_second(torch, act, 1.0))  # by a program
    return found


def script_gradient_penalty_of_a_network(torch):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    for p in net.parameters():
        torch.nn.init.constant_(p, 0.5)
    found = []
    for _ in range(3):
        x = torch.ones(2, 3, requires_grad=True)
        g, = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        penalty = ((g.norm(dim=1) - 1) ** 2).sum()
        found += [d + torch.zeros(()) for d in torch.autograd.grad(penalty, list(net.parameters())[:3])]
    return found


def script_third_derivatives_and_hooks(torch):
    x = torch.tensor([0.5, -0.25], requires_grad=True)
    y = x * 2.0
    y.register_hook(lambda g: g * 1.0)
    g, = torch.autograd.grad((torch.relu(y) * y).sum(), x, create_graph=True)
    h, = torch.autograd.grad(g.sum(), x, create_graph=True)
    k, = torch.autograd.grad(h.sum(), x)
    return g, h, k + torch.zeros(2)


def script_several_cotangents_at_once(torch):
    x = torch.tensor([0.5, -0.25], requires_grad=True)
    g, = torch.autograd.grad(torch.relu(x), x, torch.eye(2), create_graph=True, is_grads_batched=True)
    return g.detach(), torch.autograd.grad(g.sum(), x)[0] + torch.zeros(2)


def script_names_of_gradients(torch):
    found = []
    for act in _acts(torch)[:8]:
        x = torch.tensor([0.3, -0.7, 1.2], requires_grad=True)
        for given in (1.0, torch.ones((), requires_grad=True), 1.0):
            g, = torch.autograd.grad(act(x).sum() * given, x, create_graph=True)
            found.append(g.grad_fn.name())
    return found
