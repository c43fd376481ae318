"""A variational autoencoder of two-dimensional rings, with the distributions of torch.distributions."""

import numpy as np
import torch
from _seeded import device_asked, report, seeded
from torch import nn
from torch.distributions import Normal, kl_divergence
from torch.utils.data import DataLoader, TensorDataset


class VAE(nn.Module):
    def __init__(self, width=32, latent=2):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, width), nn.Tanh(), nn.Linear(width, 2))

    def forward(self, x, noise):
        mean, log_scale = self.encoder(x).chunk(2, dim=-1)
        posterior = Normal(mean, log_scale.exp())
        code = posterior.loc + posterior.scale * noise
        likelihood = Normal(self.decoder(code), 0.1).log_prob(x).sum(-1)
        divergence = kl_divergence(posterior, Normal(torch.zeros_like(mean), torch.ones_like(mean))).sum(-1)
        return (divergence - likelihood).mean()


def main(steps=100, device="cpu"):
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 256)
    points = np.stack([np.cos(angle), np.sin(angle)], 1) + 0.05 * rng.normal(size=(256, 2))
    loader = DataLoader(TensorDataset(torch.from_numpy(points.astype(np.float32))), batch_size=64, drop_last=True)
    model = seeded(VAE()).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    curve = []
    while len(curve) < steps:
        for (x,) in loader:
            noise = torch.from_numpy(rng.normal(size=(len(x), 2)).astype(np.float32)).to(device)
            loss = model(x.to(device), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            curve.append(loss.item())
    return report("vae", curve[:steps])


if __name__ == "__main__":
    main(device=device_asked())
