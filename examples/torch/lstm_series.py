"""An LSTM that continues sine waves, fitted by L-BFGS."""

import numpy as np
import torch
from _seeded import device_asked, report, seeded
from torch import nn


class Series(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.lstm = nn.LSTM(1, width, batch_first=True)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.lstm(x)[0])


def main(steps=5, device="cpu"):
    shifts = np.random.default_rng(0).uniform(0, 2 * np.pi, 8)
    waves = torch.from_numpy(np.sin(np.arange(40) / 5.0 + shifts[:, None])).unsqueeze(-1).to(device)
    model = seeded(Series().double()).to(device)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.8, max_iter=10, line_search_fn="strong_wolfe")
    curve = []

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(waves[:, :-1]), waves[:, 1:])
        loss.backward()
        return loss

    for _ in range(steps):
        curve.append(optimizer.step(closure).item())
    return report("lstm_series", curve)


if __name__ == "__main__":
    main(device=device_asked())
