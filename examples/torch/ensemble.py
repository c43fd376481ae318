"""An ensemble of networks trained at once: stacked parameters, func.vmap over the models."""

import copy

import numpy as np
import torch
from _seeded import device_asked, report, seeded
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap


def main(steps=30, count=4, device="cpu"):
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.normal(size=(32, 3))).to(device)
    y = torch.sin(x.sum(1, keepdim=True))
    models = [seeded(nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1)).double(), seed).to(device)
              for seed in range(count)]
    parameters, buffers = stack_module_state(models)
    base = copy.deepcopy(models[0])

    def loss(parameters, buffers):
        return nn.functional.mse_loss(functional_call(base, (parameters, buffers), (x,)), y)

    curve = []
    for _ in range(steps):
        gradients, values = vmap(grad_and_value(loss))(parameters, buffers)
        with torch.no_grad():
            for name, p in parameters.items():
                p -= 0.1 * gradients[name]
        curve.append(values.mean().item())
    return report("ensemble", curve)


if __name__ == "__main__":
    main(device=device_asked())
