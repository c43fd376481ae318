"""REINFORCE on a pole that is balanced by pushes, an environment in NumPy."""

import numpy as np
import torch
from _seeded import device_asked, report, seeded
from torch import nn
from torch.distributions import Categorical


class Pole:
    """An inverted pendulum on a cart, stepped by Euler; an episode ends when it leans 0.2 rad, or after 100 steps."""

    def __init__(self, rng):
        self.state = rng.uniform(-0.05, 0.05, 4)
        self.count = 0

    def step(self, action):
        x, v, angle, turn = self.state
        force = 10.0 if action else -10.0
        push = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        spin = (9.8 * np.sin(angle) - np.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1))
        self.state = self.state + 0.02 * np.array([v, push - 0.05 * spin * np.cos(angle) / 1.1, turn, spin])
        self.count += 1
        return self.count == 100 or abs(self.state[2]) > 0.2


def main(steps=30, device="cpu"):
    rng = np.random.default_rng(0)
    policy = seeded(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)).double()).to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    curve = []
    for _ in range(steps):
        pole, scores, done = Pole(rng), [], False
        while not done:
            choice = Categorical(logits=policy(torch.from_numpy(pole.state).to(device)))
            action = torch.tensor(int(rng.random() < choice.probs[1].item()), device=device)
            scores.append(choice.log_prob(action))
            done = pole.step(action.item())
        returns = torch.arange(len(scores), 0, -1, dtype=torch.float64, device=device)
        loss = -(torch.stack(scores) * (returns - returns.mean())).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(float(len(scores)))
    return report("reinforce", curve)


if __name__ == "__main__":
    main(device=device_asked())
