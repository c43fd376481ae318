"""Saved tensors kept in half precision by hooks, and recomputed by a checkpoint."""

import numpy as np
import torch
from _seeded import device_asked, report, seeded
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint


def main(steps=20, device="cpu"):
    rng = np.random.default_rng(0)
    x, y = (torch.from_numpy(rng.normal(size=(32, n)).astype(np.float32)).to(device) for n in (8, 1))
    deep = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(3))
    model = seeded(nn.ModuleList([*deep, nn.Linear(8, 1)])).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    packed = []

    def pack(t):
        packed.append(t.numel())
        return t.half() if t.dtype == torch.float32 and not t.requires_grad else t

    def unpack(t):
        return t.float() if t.dtype == torch.float16 else t

    curve = []
    for _ in range(steps):
        h = x
        with saved_tensors_hooks(pack, unpack):
            for layer in model[:-1]:
                h = layer(h)
        h = checkpoint(model[0], h, use_reentrant=False)
        loss = nn.functional.mse_loss(model[-1](h), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    assert packed
    return report("saved_hooks", curve)


if __name__ == "__main__":
    main(device=device_asked())
