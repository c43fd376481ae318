"""State dicts of other parameters, options and versions: what fits is taken, what does not is refused by name."""

import pytest

import covector.compat.torch as compat

SLOTS = {"SGD": {"momentum": 0.9}, "Adam": {}, "AdamW": {"amsgrad": True}, "Adamax": {}, "NAdam": {}, "RAdam": {},
         "RMSprop": {"momentum": 0.9, "centered": True}, "Adagrad": {}, "Adadelta": {}, "Rprop": {}, "ASGD": {},
         "Adafactor": {}, "Muon": {}}
OLD = {"Adam": {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "amsgrad": False},
       "SGD": {"lr": 0.1, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False},
       "RMSprop": {"lr": 0.1, "momentum": 0, "alpha": 0.99, "eps": 1e-8, "centered": False, "weight_decay": 0},
       "Adagrad": {"lr": 0.1, "eps": 1e-10, "lr_decay": 0, "initial_accumulator_value": 0, "weight_decay": 0},
       "Adadelta": {"lr": 0.1, "rho": 0.9, "eps": 1e-6, "weight_decay": 0},
       "Adamax": {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0},
       "NAdam": {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "momentum_decay": 4e-3},
       "RAdam": {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0},
       "Rprop": {"lr": 0.1, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50)},
       "ASGD": {"lr": 0.1, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6, "weight_decay": 0}}
EDITS = {
    "another shape": lambda T, v: T.ones(3),
    "one element": lambda T, v: T.ones(1),
    "an axis more": lambda T, v: v.expand(2, *v.shape).clone(),
    "a text": lambda T, v: "x",
}


def stepped(T, name, shapes=((2, 3), (3, 2)), dtype="float64", **options):
    """Parameters after one step, and their optimizer."""
    params = [T.ones(shape, dtype=getattr(T, dtype), requires_grad=True) for shape in shapes]
    for k, p in enumerate(params):
        p.grad = T.arange(1.0 + k, p.numel() + 1.0 + k, dtype=p.dtype).reshape(p.shape)
    optimizer = getattr(T.optim, name)(params, lr=0.1, **options)
    optimizer.step()
    return params, optimizer


def script_groups_and_counts_of_earlier_versions(T):
    found = []
    for name, group in OLD.items():
        (p,), before = stepped(T, name, [(3,)])
        state = {k: {n: v.item() if v.ndim == 0 else v for n, v in own.items()} for k, own in
                 before.state_dict()["state"].items()}
        if name == "SGD":
            state = {0: {"momentum_buffer": None}}
        optimizer = getattr(T.optim, name)([p], lr=0.3)
        optimizer.load_state_dict({"state": state, "param_groups": [group | {"params": [0]}]})
        optimizer.step()
        own = optimizer.param_groups[0]
        found += [p.detach().clone(), [(k, own[k] or False) for k in sorted(own) if k != "params"]]
    return found


def script_options_that_change_between_steps(T):
    def changed(name, option, value, **options):
        (p,), optimizer = stepped(T, name, [(3,)], **options)
        optimizer.param_groups[0][option] = value
        try:
            for _ in range(2):
                optimizer.step()
        except KeyError:
            return "KeyError"
        return p.detach()

    return [changed("SGD", "momentum", 0.9), changed("SGD", "momentum", 0, momentum=0.9),
            changed("SGD", "dampening", 0.5, momentum=0.9), changed("SGD", "nesterov", True, momentum=0.9),
            changed("Adam", "amsgrad", True), changed("AdamW", "amsgrad", False, amsgrad=True),
            changed("RMSprop", "momentum", 0.9), changed("RMSprop", "centered", True),
            changed("RMSprop", "centered", False, centered=True), changed("Adam", "betas", (0.5, 0.6))]


def script_state_in_another_dtype(T):
    found = []
    for name, options in SLOTS.items():
        if name not in ("Muon", "Adafactor"):
            params, optimizer = stepped(T, name, dtype="float32", **options)
            state = optimizer.state_dict()
            state["state"] = {k: {n: v.double() if v.ndim else v for n, v in own.items()} for k, own in
                              state["state"].items()}
            optimizer.load_state_dict(state)
            optimizer.step()
            found += [p.detach().clone() for p in params]
    return found


@pytest.mark.parametrize("name", SLOTS)
def test_state_of_parameters_in_another_order_is_refused(name):
    params, before = stepped(compat, name, **SLOTS[name])
    optimizer = getattr(compat.optim, name)(params[::-1], lr=0.1, **SLOTS[name])
    optimizer.load_state_dict(before.state_dict())
    with pytest.raises(RuntimeError, match=rf"{name}.step\(\) needs \w+ of shape \(3, .\) in the state of a parameter, "
                                           r"but got shape \(2, .\); load the state dict"):
        optimizer.step()


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("name", SLOTS)
def test_state_that_does_not_fit_is_refused(name, edit):
    params, before = stepped(compat, name, **SLOTS[name])
    state = before.state_dict()
    own = state["state"][1]
    slot = next(n for n, v in own.items() if v.ndim)
    own[slot] = EDITS[edit](compat, own[slot])
    before.load_state_dict(state)
    with pytest.raises((RuntimeError, TypeError), match=f"{name}.step.. needs .*{slot}"):
        before.step()


@pytest.mark.parametrize("name", [name for name in SLOTS if name not in ("SGD", "Muon")])
def test_state_that_lacks_a_part_is_refused(name):
    _, before = stepped(compat, name, **SLOTS[name])
    state = before.state_dict()
    state["state"][1] = {"step": state["state"][1]["step"]}
    before.load_state_dict(state)
    with pytest.raises(KeyError):
        before.step()


def test_lbfgs_refuses_the_state_of_other_parameters():
    def closure(optimizer):
        (p,) = optimizer.param_groups[0]["params"]
        loss = (p**4).sum()
        p.grad = 4 * p.detach() ** 3
        return loss

    optimizers = [compat.optim.LBFGS([compat.ones(n, requires_grad=True)], max_iter=3) for n in (2, 3)]
    optimizers[0].step(lambda: closure(optimizers[0]))
    optimizers[1].load_state_dict(optimizers[0].state_dict())
    with pytest.raises(RuntimeError, match=r"LBFGS.step\(\) needs d of shape \(3,\) .* but got shape \(2,\)"):
        optimizers[1].step(lambda: closure(optimizers[1]))
