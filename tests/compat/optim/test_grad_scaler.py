"""GradScaler on the CPU: factors, gradients, steps that are left out, states, and misuse."""

import copy
import pickle

from harness import attempt


def _model(torch):
    model = torch.nn.Linear(2, 1)
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(0.5)
    return model, torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)


def script_training(torch):
    model, optimizer = _model(torch)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    x, seen = torch.tensor([[1.0, -2.0], [0.5, 3.0]]), []
    for k in range(7):
        optimizer.zero_grad()
        loss = model(x).square().mean() * (float("inf") if k in (2, 3) else 1.0)
        scaler.scale(loss).backward()
        if k % 2:
            scaler.unscale_(optimizer)
            seen.append(model.weight.grad.clone())
        scaler.step(optimizer)
        scaler.update()
        seen += [scaler.get_scale(), scaler.state_dict(), model.weight.detach().clone()]
    return seen


def script_outputs_of_all_kinds(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    x = torch.ones(2)
    small = x.half()
    return (scaler.get_scale(), scaler.scale(x), scaler.scale([x, (x, small)]), scaler.scale(small),
            scaler.scale(small.sum()), list(scaler.scale(v for v in (x, x))), attempt(lambda: scaler.scale(1.0)))


def script_states(torch):
    model, optimizer = _model(torch)
    scaler = torch.amp.GradScaler("cpu", 16.0, 3.0, 0.25, 5)
    for _ in range(3):
        scaler.scale(model(torch.ones(1, 2)).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    scaler.set_growth_factor(4.0)
    scaler.set_backoff_factor(0.125)
    scaler.set_growth_interval(7)
    other, off = torch.amp.GradScaler("cpu"), torch.amp.GradScaler("cpu", enabled=False)
    other.load_state_dict(scaler.state_dict())
    kept = pickle.loads(pickle.dumps(scaler))
    scaler.update(2.0)
    off.load_state_dict({"scale": 3.0})
    return (scaler.state_dict(), other.state_dict(), kept.state_dict(), copy.deepcopy(kept).get_scale(),
            other.get_growth_factor(), other.get_backoff_factor(), other.get_growth_interval(), off.state_dict(),
            off.is_enabled(), other.is_enabled(), off.get_scale(), off.scale(3),
            attempt(lambda: other.load_state_dict({})))


def script_misuse(torch):
    model, optimizer = _model(torch)
    scaler = torch.amp.GradScaler("cpu")

    def twice():
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)

    def stepped():
        scaler.step(optimizer)
        scaler.step(optimizer)

    half = torch.ones(2, dtype=torch.float16, requires_grad=True)
    half.grad = torch.ones(2, dtype=torch.float16)
    found = [attempt(fn) for fn in (
        lambda: scaler.update(), lambda: scaler.step(optimizer), lambda: scaler.unscale_(optimizer),
        lambda: scaler.scale(model(torch.ones(1, 2)).sum()).backward(), lambda: scaler.update(), twice, stepped,
        lambda: scaler.unscale_(optimizer), lambda: pickle.dumps(scaler), lambda: scaler.update(),
        lambda: scaler.step(optimizer, closure=lambda: 1), lambda: scaler.step(torch.optim.SGD([half], 0.1)),
        lambda: scaler.step(torch.optim.SGD([torch.ones(2, requires_grad=True)], 0.1)),
        lambda: scaler.update(torch.ones(2)), lambda: torch.amp.GradScaler("cpu", growth_factor=1.0),
        lambda: torch.amp.GradScaler("cpu", backoff_factor=1.0))]
    return [type(o).__name__ if type(o).__name__ == "GradScaler" else o for o in found]
