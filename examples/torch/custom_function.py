"""A Function of one's own with a second derivative, in the loss of a physics-informed fit of u'' = -u."""

import numpy as np
import torch
from _seeded import device_asked, report, seeded
from torch import nn


class Wave(torch.autograd.Function):
    """sin, whose derivative is written by hand and can be differentiated again."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.cos(x)


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.first, self.last = nn.Linear(1, width), nn.Linear(width, 1)

    def forward(self, t):
        return self.last(Wave.apply(self.first(t)))


def main(steps=30, device="cpu"):
    net = seeded(Net().double(), scale=1.5).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-2)
    t = torch.from_numpy(np.linspace(0.0, 3.0, 20)[:, None]).to(device).requires_grad_()
    curve = []
    for _ in range(steps):
        u = net(t)
        (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
        (ddu,) = torch.autograd.grad(du.sum(), t, create_graph=True)
        loss = (ddu + u).square().mean() + u[0, 0].square() + (du[0, 0] - 1.0).square()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return report("custom_function", curve)


if __name__ == "__main__":
    main(device=device_asked())
