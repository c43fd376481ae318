"""Averages of parameters: AveragedModel, update_bn, and their formulas."""

from harness import attempt, normal


def net(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1)).double()
    for k, p in enumerate(model.parameters()):
        p.data = normal(torch, *p.shape, seed=k)
    return model


def script_averaged_models(torch):
    swa = torch.optim.swa_utils
    found = []
    for options in ({}, {"use_buffers": True}, {"avg_fn": lambda a, p, n: 0.9 * a + 0.1 * p},
                    {"avg_fn": swa.get_ema_avg_fn(0.8)}, {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.8)},
                    {"multi_avg_fn": swa.get_swa_multi_avg_fn()}):
        model = net(torch)
        averaged = swa.AveragedModel(model, **options)
        update = averaged.update_parameters
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0001)
        for k in range(4):
            x = normal(torch, 5, 2, seed=k)
            optimizer.zero_grad()
            (model(x) - 1).square().mean().backward()
            optimizer.step()
            found.append(attempt(lambda: update(model)))
        loader = [(normal(torch, 5, 2, seed=k), 0) for k in range(3)]
        before = list(averaged.state_dict().items())
        before = [(name, t.clone()) for name, t in before]
        swa.update_bn(loader, averaged)
        found.append((before, list(averaged.state_dict().items()), averaged.training,
                      averaged(normal(torch, 2, 2, seed=9))))
    return found


def script_averages_refuse(torch):
    swa = torch.optim.swa_utils
    one = torch.nn.Linear(1, 1)
    return [attempt(lambda: swa.AveragedModel(one, avg_fn=swa.get_swa_avg_fn(),
                                              multi_avg_fn=swa.get_swa_multi_avg_fn())),
            swa.update_bn([], one), attempt(lambda: swa.get_ema_avg_fn(2.0))]


def script_synchronized_norms_of_one_process(torch):
    sync = torch.nn.SyncBatchNorm
    model = sync.convert_sync_batchnorm(net(torch).eval())
    x = normal(torch, 5, 2, seed=3)
    before = model(x)
    model.train()
    return (str(model), before, model(x), list(model.state_dict().items()), attempt(lambda: sync(3)(torch.ones(3))),
            attempt(lambda: sync(3)(torch.ones(3, 0))))
