"""Optimizers: the formulas of their papers, PyTorch's optimizers, and that every transform takes a step."""

import math

import numpy as np
import pytest

import covector as cv
from covector import optimizers
from covector.core.errors import ShapeError

TARGET = np.array([0.5, -1.0, 2.0])
START = {"w": np.array([1.0, 2.0, 3.0]), "b": np.array([[0.1], [0.2]])}
STEPS = 25


def loss(p):
    fit = np.sum((p["w"] - TARGET) ** 2 * np.array([1.0, 3.0, 0.2]))
    return fit + np.sum(np.cosh(p["b"])) + p["w"][0] * np.sum(p["b"])


def trained(optimizer, params=START, steps=STEPS, wrap=lambda f: f):
    def step(params, state):
        updates, state = optimizer.update(cv.grad(loss)(params), state, params)
        return optimizers.apply_updates(params, updates), state

    step, state = wrap(step), optimizer.init(params)
    for _ in range(steps):
        params, state = step(params, state)
    return params


def flat(params):
    return np.concatenate([np.ravel(params["w"]), np.ravel(params["b"])])


def by_hand(update):
    """The parameters after steps `update(p, g, memory, count)`, element by element."""
    p = START
    memory = [{} for _ in flat(p)]
    for count in range(1, STEPS + 1):
        gradient = flat(cv.grad(loss)(p))
        new = [update(x, g, m, count) for x, g, m in zip(flat(p), gradient, memory)]
        p = {"w": np.array(new[:3]), "b": np.array(new[3:]).reshape(2, 1)}
    return flat(p)


def momentum_step(x, g, m, count):
    m["t"] = g + 0.9 * m.get("t", 0.0)
    return x - 0.05 * m["t"]


def nesterov_step(x, g, m, count):
    m["t"] = g + 0.9 * m.get("t", 0.0)
    return x - 0.05 * (g + 0.9 * m["t"])


def adam_step(x, g, m, count, decay=0.0):
    m["m"] = 0.9 * m.get("m", 0.0) + 0.1 * g
    m["v"] = 0.999 * m.get("v", 0.0) + 0.001 * g * g
    hat = m["m"] / (1 - 0.9**count) / (math.sqrt(m["v"] / (1 - 0.999**count)) + 1e-8)
    return x - 0.05 * (hat + decay * x)


def rmsprop_step(x, g, m, count):
    m["v"] = 0.9 * m.get("v", 0.0) + 0.1 * g * g
    return x - 0.05 * g / math.sqrt(m["v"] + 1e-8)


def lion_step(x, g, m, count):
    direction = math.copysign(1.0, 0.9 * m.get("m", 0.0) + 0.1 * g)
    m["m"] = 0.99 * m.get("m", 0.0) + 0.01 * g
    return x - 0.05 * (direction + 1e-3 * x)


CASES = {
    "sgd": (optimizers.sgd(0.05), lambda x, g, m, count: x - 0.05 * g),
    "momentum": (optimizers.sgd(0.05, momentum=0.9), momentum_step),
    "nesterov": (optimizers.sgd(0.05, momentum=0.9, nesterov=True), nesterov_step),
    "adam": (optimizers.adam(0.05), adam_step),
    "adamw": (optimizers.adamw(0.05, weight_decay=0.1), lambda *given: adam_step(*given, decay=0.1)),
    "rmsprop": (optimizers.rmsprop(0.05), rmsprop_step),
    "lion": (optimizers.lion(0.05), lion_step),
    "clip": (optimizers.chain(optimizers.clip(0.5), optimizers.sgd(0.05)),
             lambda x, g, m, count: x - 0.05 * min(max(g, -0.5), 0.5)),
    "schedule": (optimizers.sgd(optimizers.linear_schedule(0.1, 0.0, 20)),
                 lambda x, g, m, count: x - max(0.1 - 0.005 * (count - 1), 0.0) * g),
}


@pytest.mark.parametrize("name", CASES)
def test_steps_are_those_of_the_formula(name):
    optimizer, update = CASES[name]
    np.testing.assert_allclose(flat(trained(optimizer)), by_hand(update), rtol=1e-11)


ALL = {name: optimizer for name, (optimizer, _) in CASES.items()} | {
    "lbfgs": optimizers.lbfgs(0.5), "rmsprop with momentum": optimizers.rmsprop(0.01, momentum=0.5),
    "by norm": optimizers.chain(optimizers.clip_by_global_norm(0.3), optimizers.adam(0.05)),
    "warm": optimizers.adam(optimizers.warmup_cosine_decay_schedule(0.0, 0.1, 5, 20)),
    "decay": optimizers.sgd(optimizers.exponential_decay(0.05, 10, 0.5, staircase=True)),
}


@pytest.mark.parametrize("name", ALL)
def test_a_step_goes_through_transforms(name):
    optimizer = ALL[name]
    plain = flat(trained(optimizer))
    np.testing.assert_allclose(flat(trained(optimizer, wrap=cv.jit)), plain, rtol=1e-10)
    shifted = {k: np.stack([v, v + 0.1]) for k, v in START.items()}

    def run(params):
        def step(carry, _):
            params, state = carry
            updates, state = optimizer.update(cv.grad(loss)(params), state, params)
            return (optimizers.apply_updates(params, updates), state), None

        return cv.scan(step, (params, optimizer.init(params)), None, length=STEPS)[0][0]

    np.testing.assert_allclose(flat(run(START)), plain, rtol=1e-10)
    each = cv.vmap(run)(shifted)
    np.testing.assert_allclose(flat({k: v[0] for k, v in each.items()}), plain, rtol=1e-10)
    # what is trained is differentiable, too: the derivative by the start, along one direction
    def value(t):
        return np.sum(flat(trained(optimizer, {k: v + t for k, v in START.items()}, 5)))

    slope = cv.jvp(value, (0.0,), (1.0,))[1]
    np.testing.assert_allclose(slope, (value(1e-6) - value(-1e-6)) / 2e-6, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_the_dtype_of_parameters_stays(name):
    params = {k: v.astype(np.float32) for k, v in START.items()}
    found = trained(ALL[name], params)
    assert {x.dtype for x in found.values()} == {np.dtype(np.float32)}
    np.testing.assert_allclose(flat(found), flat(trained(ALL[name])), rtol=2e-3, atol=2e-4)


def test_lbfgs_finds_the_minimum_of_a_quadratic_in_few_steps():
    matrix = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 5.0]])
    optimizer, x = optimizers.lbfgs(), np.array([1.0, -1.0, 0.5])
    state = optimizer.init(x)
    for _ in range(30):
        updates, state = optimizer.update(matrix @ x - 1.0, state, x)
        x = optimizers.apply_updates(x, updates)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, np.ones(3)), rtol=1e-10)


def test_scaled_gradients_have_at_most_the_norm():
    small = optimizers.clip_by_global_norm(1.0)
    tree = {"a": np.array([3.0, 0.0]), "b": np.array(4.0)}
    clipped, _ = small.update(tree, small.init(tree))
    assert float(optimizers.global_norm(clipped)) == pytest.approx(1.0)
    tiny = {"a": np.array([0.3, 0.0]), "b": np.array(0.4)}
    np.testing.assert_array_equal(small.update(tiny, ())[0]["a"], tiny["a"])
    zero, _ = small.update({"a": np.zeros(2), "b": np.array(0.0)}, ())
    np.testing.assert_array_equal(zero["a"], np.zeros(2))


def test_wrong_calls_say_what_is_wrong():
    adam = optimizers.adamw(0.1)
    state = adam.init(START)
    with pytest.raises(ShapeError, match="adamw needs gradients of the structure .*test_optimizers.py"):
        adam.update({"w": START["w"]}, state, START)
    with pytest.raises(ShapeError, match="apply_updates needs updates of the structure"):
        optimizers.apply_updates(START, {"w": START["w"]})
    with pytest.raises(TypeError, match="adamw takes a share of the parameters away"):
        adam.update(START, state)
    with pytest.raises(TypeError, match="learning rate of adam"):
        optimizers.adam("fast")


@pytest.mark.reference
@pytest.mark.parametrize(("name", "settings"), [
    ("SGD", {"lr": 0.05}), ("SGD", {"lr": 0.05, "momentum": 0.9}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True}), ("Adam", {"lr": 0.05}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0.1}),
])
def test_steps_are_those_of_pytorch(name, settings):
    torch = pytest.importorskip("torch", reason="needs torch, of the `reference` extra: pip install -e '.[reference]'")
    leaves = {k: torch.tensor(v, requires_grad=True) for k, v in START.items()}
    theirs = getattr(torch.optim, name)(list(leaves.values()), **settings)
    target, weights = torch.tensor(TARGET), torch.tensor([1.0, 3.0, 0.2], dtype=torch.float64)
    for _ in range(STEPS):
        theirs.zero_grad()
        w, b = leaves["w"], leaves["b"]
        (((w - target) ** 2 * weights).sum() + torch.cosh(b).sum() + w[0] * b.sum()).backward()
        theirs.step()
    ours = {"learning_rate": settings.pop("lr"), **settings}
    found = trained(getattr(optimizers, name.lower())(**ours))
    np.testing.assert_allclose(flat(found), flat({k: v.detach().numpy() for k, v in leaves.items()}), rtol=1e-11)
