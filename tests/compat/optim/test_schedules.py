"""Schedules of learning rates: their values, states, warnings, refusals and combinations."""

from harness import attempt, table

SCHEDULES = [
    ("LambdaLR", lambda: {"lr_lambda": lambda n: 0.95**n}),
    ("LambdaLR", lambda: {"lr_lambda": [lambda n: 0.95**n, lambda n: 1 / (n + 1)]}),
    ("MultiplicativeLR", lambda: {"lr_lambda": lambda n: 0.95}),
    *[(name, lambda options=options: dict(options)) for name, options in (
        ("StepLR", {"step_size": 3, "gamma": 0.5}), ("MultiStepLR", {"milestones": [2, 5, 5], "gamma": 0.5}),
        ("ConstantLR", {"factor": 0.5, "total_iters": 4}), ("ConstantLR", {}), ("LinearLR", {}),
        ("LinearLR", {"start_factor": 0.2, "end_factor": 0.9, "total_iters": 6}), ("ExponentialLR", {"gamma": 0.9}),
        ("PolynomialLR", {"total_iters": 6, "power": 2.0}), ("PolynomialLR", {}), ("CosineAnnealingLR", {"T_max": 4}),
        ("CosineAnnealingLR", {"T_max": 5, "eta_min": 0.1}), ("CosineAnnealingWarmRestarts", {"T_0": 3}),
        ("CosineAnnealingWarmRestarts", {"T_0": 2, "T_mult": 2, "eta_min": 0.01}),
        ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 3}),
        ("CyclicLR", {"base_lr": [0.1, 0.2], "max_lr": 0.5, "step_size_up": 3, "step_size_down": 2,
                      "mode": "triangular2"}),
        ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 3, "mode": "exp_range", "gamma": 0.9,
                      "cycle_momentum": False}),
        ("OneCycleLR", {"max_lr": 0.5, "total_steps": 12}),
        ("OneCycleLR", {"max_lr": [0.5, 0.1], "epochs": 3, "steps_per_epoch": 4, "anneal_strategy": "linear"}),
        ("OneCycleLR", {"max_lr": 0.5, "total_steps": 12, "three_phase": True, "base_momentum": 0.7,
                        "div_factor": 10.0, "final_div_factor": 100.0, "pct_start": 0.25}))],
    ("CyclicLR", lambda: {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 2, "scale_fn": lambda x: 0.5**x,
                          "scale_mode": "iterations"}),
]


def optimizer(T, n=1, tensor=False, **options):
    """SGD with momentum, of `n` groups."""
    rates = [0.5 * (i + 1) for i in range(n)]
    groups = [{"params": [T.ones(2, requires_grad=True)], "lr": T.tensor(lr, dtype=T.float64) if tensor else lr}
              for lr in rates]
    return T.optim.SGD(groups, **{"momentum": 0.9} | options)


def rates(o, schedule, n):
    """What is set, step by step."""
    found = []
    for _ in range(n):
        found.append([[float(x) for x in schedule.get_last_lr()], [float(g["lr"]) for g in o.param_groups],
                      o.param_groups[0]["momentum"]])
        o.step()
        schedule.step()
    return found


def script_rates(T):
    found = []
    for name, options in SCHEDULES:
        for tensor in (False, True):
            o = optimizer(T, 2, tensor)
            found.append(rates(o, getattr(T.optim.lr_scheduler, name)(o, **options()), 11))
    return found


def script_states(T):
    found = []
    for name, options in SCHEDULES:
        make, o = getattr(T.optim.lr_scheduler, name), optimizer(T, 2)
        schedule = make(o, **options())
        rates(o, schedule, 7)
        state = schedule.state_dict()
        other = make(optimizer(T, 2), **options())
        names = sorted(state)
        other.load_state_dict(state)
        found.append([names, other.last_epoch, other.get_last_lr()])
    return found


def script_resumed(T):
    found = []
    for name, options in SCHEDULES[:16]:
        make, o = getattr(T.optim.lr_scheduler, name), optimizer(T, 2)
        found.append(attempt(lambda make=make, o=o, options=options: make(o, last_epoch=3, **options())))
        for group in o.param_groups:
            group["initial_lr"] = 0.7
        schedule = make(o, last_epoch=3, **options())
        o.step()
        schedule.step()
        found.append([schedule.get_last_lr(), schedule.base_lrs])
    return found


def script_closed_forms(T):
    found = []
    for name, options in SCHEDULES[:16]:
        o = optimizer(T, 2)
        schedule = getattr(T.optim.lr_scheduler, name)(o, **options())
        o.step()
        schedule.step(5)
        found.append(schedule.get_last_lr())
    return found


def script_order_of_calls(T):
    o = optimizer(T)
    schedule = T.optim.lr_scheduler.StepLR(o, 3)
    schedule.step()
    schedule.step()


def script_overridden_step(T):
    o = optimizer(T)
    schedule = T.optim.lr_scheduler.StepLR(o, 3)
    o.step = lambda: None
    schedule.step()


def script_get_lr_called_by_the_user(T):
    return T.optim.lr_scheduler.StepLR(optimizer(T), 3).get_lr()


def script_refusals(T):
    L, O = T.optim.lr_scheduler, T.optim
    ended = optimizer(T)
    last = L.OneCycleLR(ended, 0.1, total_steps=2)
    for _ in range(2):
        ended.step()
        last.step()
    return table([
        lambda: L.StepLR(3, 3), lambda: L.LambdaLR(optimizer(T, 2), [lambda n: 1]), last.step,
        lambda: L.MultiplicativeLR(optimizer(T, 2), [lambda n: 1]), lambda: L.ConstantLR(optimizer(T), factor=2),
        lambda: L.LinearLR(optimizer(T), start_factor=2), lambda: L.LinearLR(optimizer(T), end_factor=2),
        lambda: L.CosineAnnealingWarmRestarts(optimizer(T), 0), lambda: L.CyclicLR(optimizer(T), 0.1, 0.2, mode="x"),
        lambda: L.CosineAnnealingWarmRestarts(optimizer(T), 2, 0.5), lambda: L.OneCycleLR(optimizer(T), 0.1),
        lambda: L.CyclicLR(O.Adagrad([T.ones(2)]), 0.1, 0.2), lambda: L.CyclicLR(optimizer(T, 2), [0.1], 0.3),
        lambda: L.OneCycleLR(optimizer(T), 0.1, total_steps=-1), lambda: L.LRScheduler(optimizer(T)),
        lambda: L.OneCycleLR(optimizer(T), 0.1, epochs=-1, steps_per_epoch=2),
        lambda: L.OneCycleLR(optimizer(T), 0.1, epochs=1, steps_per_epoch=0),
        lambda: L.OneCycleLR(optimizer(T), 0.1, total_steps=10, pct_start=2),
        lambda: L.OneCycleLR(optimizer(T), 0.1, total_steps=10, anneal_strategy="x"),
        lambda: L.OneCycleLR(O.Adagrad([T.ones(2)]), 0.1, total_steps=3),
        lambda: L.OneCycleLR(optimizer(T, 2), [0.1], total_steps=3), lambda: L.MultiStepLR(optimizer(T), 3),
        lambda: L.ReduceLROnPlateau(optimizer(T), factor=1.5), lambda: L.ReduceLROnPlateau(optimizer(T), mode="x"),
        lambda: L.ReduceLROnPlateau(optimizer(T), threshold_mode="x"), lambda: L.ReduceLROnPlateau(3),
        lambda: L.ReduceLROnPlateau(optimizer(T, 2), min_lr=[1]), lambda: L.ReduceLROnPlateau(optimizer(T)).step("x"),
        lambda: L.ChainedScheduler([]), lambda: L.SequentialLR(ended, [], []),
        lambda: L.SequentialLR(ended, [L.ConstantLR(ended)], [2]),
        lambda: L.ChainedScheduler([L.ConstantLR(optimizer(T)), L.ConstantLR(optimizer(T))]),
        lambda: L.SequentialLR(ended, [L.ReduceLROnPlateau(ended), L.ConstantLR(ended)], [2])])


def script_betas_are_cycled(T):
    o = T.optim.Adam([T.ones(2)], lr=0.1)
    schedule, found = T.optim.lr_scheduler.OneCycleLR(o, 0.5, total_steps=5), []
    for _ in range(4):
        found.append([*o.param_groups[0]["betas"], o.param_groups[0]["lr"]])
        o.step()
        schedule.step()
    return found


def script_combined(T):
    L, o, p = T.optim.lr_scheduler, optimizer(T), optimizer(T)
    chained = L.ChainedScheduler([L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)])
    sequential = L.SequentialLR(
        p, [L.ConstantLR(p, 0.1, 2), L.ExponentialLR(p, 0.9), L.CosineAnnealingLR(p, 3)], [2, 5])
    found = [rates(o, chained, 6), rates(p, sequential, 9)]
    for schedule in (chained, sequential):
        schedule.load_state_dict(schedule.state_dict())
    return found, chained.state_dict(), sequential.state_dict()


def script_plateau(T):
    found = []
    for options in ({}, {"mode": "max"}, {"threshold_mode": "abs", "threshold": 0.05},
                    {"cooldown": 2, "patience": 1, "factor": 0.5}, {"min_lr": 0.2, "patience": 0},
                    {"min_lr": [0.2, 0.1], "patience": 0}):
        o = optimizer(T, 2)
        schedule = T.optim.lr_scheduler.ReduceLROnPlateau(o, **{"patience": 1} | options)
        for value in (1, 0.9, 0.95, 0.93, 0.96, 0.97, 0.5, 0.6, 0.6, 0.6, 0.6, float("nan"), 0.6):
            schedule.step(value)
            found.append([[g["lr"] for g in o.param_groups], schedule.num_bad_epochs, schedule.best,
                          schedule.get_last_lr()])
        found.append(schedule.state_dict())
    return found


def script_own_schedule(T):
    class Half(T.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [b / (1 + self.last_epoch) for b in self.base_lrs]

    o = optimizer(T)
    return rates(o, Half(o), 3)


def script_averaging(T):
    utils, found = T.optim.swa_utils, []
    for options in ({}, {"anneal_strategy": "linear", "anneal_epochs": 3}, {"anneal_epochs": 0}):
        o = optimizer(T, 2)
        found.append(rates(o, utils.SWALR(o, [0.1, 0.2], **options), 6))
    x, y = T.tensor([1.0, 2.0]), T.tensor([3.0, -1.0])
    found += [utils.get_ema_avg_fn(0.9)(x, y, 3), utils.get_swa_avg_fn()(x, y, 3)]
    utils.get_ema_multi_avg_fn(0.9)([x], [y], 3)
    utils.get_swa_multi_avg_fn()([y], [x], 3)
    return found, x, y, table([lambda: utils.get_ema_avg_fn(2.0)])
