"""Optimizers that step inside of backward: each parameter is updated as soon as its gradient is complete."""

import numpy as np
import torch
from _seeded import device_asked, report, seeded
from torch import nn


def main(steps=30, device="cpu"):
    rng = np.random.default_rng(0)
    x, y = (torch.from_numpy(rng.normal(size=(32, n))).to(device) for n in (6, 2))
    model = seeded(nn.Sequential(nn.Linear(6, 16), nn.ELU(), nn.Linear(16, 2)).double()).to(device)
    optimizers = {p: torch.optim.Adam([p], lr=1e-2) for p in model.parameters()}

    def step(p):
        optimizers[p].step()
        p.grad = None

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(step)
    curve = []
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        assert all(p.grad is None for p in model.parameters())
        curve.append(loss.item())
    return report("step_in_backward", curve)


if __name__ == "__main__":
    main(device=device_asked())
