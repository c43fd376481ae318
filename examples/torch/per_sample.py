"""Gradients of each example by func.vmap of func.grad of a module, clipped and averaged as in private training."""

import numpy as np
import torch
from _seeded import device_asked, report, seeded
from torch import nn
from torch.func import functional_call, grad_and_value, vmap


def main(steps=30, bound=1.0, device="cpu"):
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.normal(size=(64, 5))).to(device)
    y = torch.from_numpy(rng.integers(0, 3, 64)).to(device)
    model = seeded(nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 3)).double()).to(device)
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def loss(parameters, x, y):
        return nn.functional.cross_entropy(functional_call(model, parameters, (x.unsqueeze(0),)), y.unsqueeze(0))

    curve = []
    for _ in range(steps):
        gradients, values = vmap(grad_and_value(loss), in_dims=(None, 0, 0))(parameters, x, y)
        norms = torch.stack([g.flatten(1).norm(dim=1) for g in gradients.values()]).norm(dim=0)
        scale = (bound / norms).clamp(max=1.0)
        parameters = {name: p - 0.5 * torch.einsum("n,n...->...", scale, gradients[name]) / len(x)
                      for name, p in parameters.items()}
        curve.append(values.mean().item())
    return report("per_sample", curve)


if __name__ == "__main__":
    main(device=device_asked())
