"""Bad arguments, groups, hooks, state dicts, text and copies of optimizers."""

import copy
import pickle
import warnings

from harness import attempt, table

NAMES = "Adam SGD AdamW Adamax NAdam RAdam RMSprop Adagrad Adadelta Rprop ASGD".split()
OPTIONS = """lr betas eps weight_decay momentum alpha rho etas lambd lr_decay initial_accumulator_value
momentum_decay""".split()


def leaf(T, n=2):
    """A parameter with a gradient of ones."""
    p = T.ones(n, requires_grad=True)
    p.grad = T.ones(n)
    return p


def script_bad_parameters(T):
    SGD = T.optim.SGD
    p, optimizer = leaf(T), SGD([leaf(T)])
    return table([
        lambda: SGD([]), lambda: SGD(leaf(T)), lambda: SGD([leaf(T) * 2]), lambda: SGD([1]), lambda: SGD(5),
        lambda: SGD([leaf(T), ("a", leaf(T))]), lambda: SGD([("a", leaf(T)), leaf(T)]), lambda: SGD([{"lr": 0.1}]),
        lambda: SGD([{"params": {leaf(T)}}]), lambda: SGD([p, p]), lambda: SGD([{"params": [p]}, {"params": [p]}]),
        lambda: SGD({"a": 1}), lambda: optimizer.add_param_group([p]), lambda: optimizer.add_param_group({}),
        lambda: optimizer.add_param_group({"params": [("a", leaf(T))]}),
        lambda: T.optim.Optimizer([leaf(T)], {}).step()])


def script_bad_options(T):
    values = -1, -1.0, (-0.5, 0.9), (0.9, 1.5), None, 2.0, (1, 2, 3), "x"
    lines = [lambda n=n, k=k, v=v: str(getattr(T.optim, n)([leaf(T)], **{k: v}))
             for n in NAMES for k in OPTIONS for v in values]
    two, scalar = T.tensor([0.1, 0.2]), T.tensor(0.1)
    Adam, LBFGS, Muon = T.optim.Adam, T.optim.LBFGS, T.optim.Muon
    lines += [lambda: Adam([leaf(T)], lr=scalar, foreach=True), lambda: Adam([leaf(T)], lr=two),
              lambda: Adam([leaf(T)], foreach=True, fused=True), lambda: Adam([leaf(T)], betas=(scalar, 0.9)),
              lambda: Adam([leaf(T)], differentiable=True, fused=True), lambda: T.optim.SGD([leaf(T)], lr=two),
              lambda: T.optim.SGD([leaf(T)], nesterov=True), lambda: LBFGS([leaf(T)]).step(),
              lambda: LBFGS([{"params": [leaf(T)]}, {"params": [leaf(T)]}]),
              lambda: LBFGS([leaf(T)], line_search_fn="x").step(lambda: leaf(T).sum()), lambda: Muon([leaf(T)]),
              lambda: Muon([T.ones(2, 2, requires_grad=True)], adjust_lr_fn="x"),
              lambda: T.optim.SparseAdam([leaf(T)]).step(), lambda: T.optim.SparseAdam([leaf(T)], lr=0),
              lambda: T.optim.Adafactor([leaf(T)], d=0.5), lambda: T.optim.Adafactor([leaf(T)], beta2_decay=1)]
    return table(lines)


def script_refused_steps(T):
    lines = [lambda n=n: getattr(T.optim, n)([leaf(T)], differentiable=True).step() for n in NAMES]
    lines += [lambda n=n: getattr(T.optim, n)([leaf(T)], capturable=True).step() for n in NAMES if n not in (
        "SGD", "Adagrad")]
    return table(lines)


def script_text_and_defaults(T):
    found = []
    for name in [*NAMES, "LBFGS", "SparseAdam", "Adafactor"]:
        optimizer = getattr(T.optim, name)([leaf(T)])
        if name not in ("LBFGS", "SparseAdam"):
            optimizer.step()
        found.append([str(optimizer), str(optimizer.defaults), str(optimizer.state_dict())])
    two = T.optim.Adam([{"params": leaf(T)}, {"params": leaf(T), "lr": 0.5}])
    return found, str(two), str(T.optim.Adam([("w", leaf(T))]).state_dict())


def script_hooks(T):
    log = []
    x = T.optim.SGD([leaf(T)])
    x.register_step_pre_hook(lambda *a: log.append(("pre", len(a), len(a[1]), str(a[2]))))
    x.register_step_post_hook(lambda *a: log.append("post"))
    x.step()
    x.step(closure=None)
    x.register_state_dict_pre_hook(lambda s: log.append("before state"))
    x.register_state_dict_post_hook(lambda s, d: log.append("after state"))
    x.register_state_dict_post_hook(lambda s, d: log.append("first after state"), prepend=True)
    x.register_load_state_dict_pre_hook(lambda s, d: log.append("before load"))
    x.register_load_state_dict_post_hook(lambda s: log.append("after load")).remove()
    x.load_state_dict(x.state_dict())
    return log, x.step(lambda: 7)


def script_states(T):
    p = leaf(T)
    s = T.optim.Adam([p])
    s.step()
    other = T.optim.Adam([leaf(T)])
    other.load_state_dict(s.state_dict())
    q = other.param_groups[0]["params"][0]
    found = [other.state[q]["exp_avg"] is s.state[p]["exp_avg"], sorted(s.__getstate__())]
    other.step()
    s.step()
    found += [str(s.state_dict()), str(other.state_dict())]
    for x in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s)):
        x.param_groups[0]["params"][0].grad = T.ones(2) * 3
        x.step()
        found += [str(x.state_dict()), str(x.param_groups)]
    s.zero_grad(set_to_none=False)
    found.append(str(p.grad))
    s.zero_grad()
    wide = T.optim.Adam([T.ones(2, dtype=T.float64, requires_grad=True)])
    wide.load_state_dict(s.state_dict())
    return found, p.grad is None, str(wide.state_dict()), [p._version, s.state[p]["exp_avg"]._version]


def script_state_dicts_that_do_not_fit(T):
    s, named = T.optim.SGD([leaf(T)]), T.optim.SGD([("w", leaf(T))])
    found = table([
        lambda: s.load_state_dict({"state": {}, "param_groups": []}), lambda: s.load_state_dict({}),
        lambda: s.load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]}), lambda: s.load_state_dict(3)])
    named.load_state_dict(s.state_dict())
    found.append(str(named.state_dict()))
    s.load_state_dict(named.state_dict())
    return found, str(s.state_dict())


def script_own_optimizer(T):
    class Mine(T.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @T.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad, alpha=-group["lr"])
                    self.state[p]["n"] = self.state[p].get("n", 0) + 1

    log = []
    x = Mine([leaf(T)], 0.5)
    x.register_step_post_hook(lambda *a: log.append(1))
    x.step()
    x.step()
    return str(x), str(x.state_dict()), str(x.param_groups), log


def script_parameters_that_share_memory(T):
    whole = T.zeros(6)
    a, b = whole.detach()[:2].requires_grad_(), whole.detach()[1:4].requires_grad_()
    a.grad, b.grad = T.ones(2), T.ones(3)
    x = T.optim.SGD([a, b], lr=1.0, momentum=0.5)
    x.step()
    x.step()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = leaf(T)
        twice = T.optim.Adam([p, p], lr=0.1)
    twice.step()
    return whole, p.detach(), twice.state[p]["step"]


def script_state_that_changes_between_steps(T):
    x = T.optim.Adam([leaf(T), leaf(T, 3)], lr=0.1)
    x.step()
    p, q = x.param_groups[0]["params"]
    q.data = T.zeros(3)
    x.step()
    x.state[q]["step"].fill_(50)
    x.step()
    x.state[p]["exp_avg"] = T.ones(2) * 5
    x.step()
    x.add_param_group({"params": leaf(T), "lr": 0.5})
    x.step()
    order = T.arange(6.0).reshape(2, 3).t().detach().requires_grad_()
    order.grad = T.arange(6.0).reshape(3, 2)
    y = T.optim.Adam([order], lr=0.1)
    y.step()
    return str(x.state_dict()), str(x.param_groups), order, y.state[order]["exp_avg"]


def script_write_to_what_backward_needs(T):
    w = T.ones(3, requires_grad=True)
    loss = (w * w * w).sum()
    loss.backward(retain_graph=True)
    T.optim.Adam([w]).step()
    return attempt(lambda: loss.backward())[1]


def script_first_sums_of_adagrad(torch):
    """Sums begin with the value of the call, whatever a group says."""
    p, q = (torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True) for _ in range(2))
    groups = [{"params": [p]}, {"params": [q], "initial_accumulator_value": 0.0}]
    optimizer = torch.optim.Adagrad(groups, lr=0.1, initial_accumulator_value=0.3)
    (p * p + q * q).sum().backward()
    optimizer.step()
    return [p, q]


def script_adafactor_refuses_before_it_writes(torch):
    """A complex parameter in a group leaves the others as they were."""
    p, q = torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.complex64, requires_grad=True)
    optimizer = torch.optim.Adafactor([p, q])
    (p.sum() + q.abs().sum()).backward()
    return [attempt(optimizer.step), p]
