"""`torch.optim.adam.adam` and the other steps as functions of lists."""

from importlib import import_module

from harness import attempt, compat, double, table

SHARED = {"lr": 0.1, "weight_decay": 0.01, "maximize": False}
ADAM = SHARED | {"beta1": 0.9, "beta2": 0.99, "eps": 1e-8}
ROWS = [  # name, the first values of its states, options
    ("adadelta", [0.0, 0.0, "step"], SHARED | {"rho": 0.9, "eps": 1e-6}),
    ("adagrad", [0.5, "step"], SHARED | {"lr_decay": 0.1, "eps": 1e-10}),
    ("adam", [0.0, 0.0, None, "step"], ADAM | {"amsgrad": False}),
    ("adam", [0.0, 0.0, 0.0, "step"], ADAM | {"amsgrad": True, "decoupled_weight_decay": True, "maximize": True}),
    ("adamax", [0.0, 0.0, "step"], ADAM),
    ("adamw", [0.0, 0.0, None, "step"], ADAM | {"amsgrad": False}),
    ("asgd", [0.0, "mu", "eta", "step"], SHARED | {"lambd": 1e-4, "t0": 1.0, "alpha": 0.75}),
    ("nadam", [0.0, 0.0, "mu", "step"], ADAM | {"momentum_decay": 4e-3}),
    ("radam", [0.0, 0.0, "step"], ADAM | {"decoupled_weight_decay": True}),
    ("rmsprop", [0.0, None, None, "step"], SHARED | {"alpha": 0.9, "eps": 1e-8, "momentum": 0.0, "centered": False}),
    ("rmsprop", [0.0, 0.0, 0.0, "step"], SHARED | {"alpha": 0.9, "eps": 1e-8, "momentum": 0.9, "centered": True}),
    ("rprop", [0.0, 0.1, "step"], {"step_size_min": 1e-6, "step_size_max": 50.0, "etaminus": 0.5, "etaplus": 1.2,
                                   "maximize": False}),
    ("sgd", ["absent"], SHARED | {"momentum": 0.9, "dampening": 0.5, "nesterov": False}),
    ("sgd", ["absent"], SHARED | {"momentum": 0.0, "dampening": 0.0, "nesterov": False}),
]


def function(T, name):
    """`adam` of `torch.optim.adam`, whose package hides the module behind no attribute."""
    return getattr(import_module(f"{T.__name__}.optim.{name}"), name)


def made(T, first, n):
    """The list of one state, for n parameters."""
    if first is None:
        return []
    if isinstance(first, str):
        return [{"absent": lambda: None, "step": lambda: T.tensor(0.0), "mu": lambda: T.tensor(1.0),
                 "eta": lambda: T.tensor(0.1)}[first]() for _ in range(n)]
    return [T.full((2,), first, dtype=T.float64) for _ in range(n)]


def script_three_steps(T):
    found = []
    for name, firsts, options in ROWS:
        params, states = [double(T, 1.0, -2.0), double(T, 0.5, 3.0)], [made(T, f, 2) for f in firsts]
        for k in range(3):
            grads = [double(T, 0.3, -0.2 * k), double(T, 1.0, 2.0 - k)]
            function(T, name)(params, grads, *states, **options)
        found.append([name, params, *states])
    return found


def script_steps_that_are_recorded(T):
    lr = double(T, 0.1).reshape(()).requires_grad_()
    start, grad = double(T, 1.0, -2.0).requires_grad_(), double(T, 0.3, -0.2).requires_grad_()
    p = start.clone()
    step = function(T, "adam")
    step([p], [grad], *[made(T, f, 1) for f in (0.0, 0.0, None, "step")], differentiable=True,
         **ADAM | {"amsgrad": False, "lr": lr})
    return T.autograd.grad(p.sum(), [start, grad, lr])


def script_refusals(T):
    p, options = double(T, 1.0, 2.0), ADAM | {"amsgrad": False}
    adam, nadam, sgd = (function(T, name) for name in ("adam", "nadam", "sgd"))
    lists = [made(T, f, 1) for f in (0.0, 0.0, None)]
    return table([
        lambda: adam([p], [p], *lists, [1], **options),
        lambda: nadam([p], [p], *lists[:2], [1.0], made(T, "step", 1), momentum_decay=0.1, beta1=0.9, beta2=0.9, lr=0.1,
                      weight_decay=0, eps=1e-8),
        lambda: adam([p], [p], *lists, made(T, "step", 1), capturable=True, **options),
        lambda: sgd([p.clone().requires_grad_()], [p], [None], **SHARED, momentum=0.0, dampening=0.0, nesterov=False)])


def sparse_steps(T):
    """A parameter and the state of Adagrad after a step of it and one of SGD along a sparse gradient."""
    p, total = double(T, 1.0, 2.0, 3.0), double(T, 0.0, 0.0, 0.0)
    g = T.sparse_coo_tensor(T.tensor([[0, 2]]), double(T, 1.0, 1.0), (3,))
    function(T, "sgd")([p], [g], [None], has_sparse_grad=True, weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0,
                       nesterov=False, maximize=False)
    function(T, "adagrad")([p], [g], [total], made(T, "step", 1), has_sparse_grad=True, lr=0.1, weight_decay=0.0,
                           lr_decay=0.0, eps=1e-10, maximize=False)
    return p, total


def script_sparse_gradients(T):
    return table([lambda: sparse_steps(T)])


def test_the_scale_of_a_device_is_refused():
    p = double(compat, 1.0)
    assert attempt(lambda: function(compat, "sgd")([p], [p], [None], grad_scale=p, **SHARED, momentum=0.0,
                                                  dampening=0.0, nesterov=False))[1] == "NotImplementedError"
