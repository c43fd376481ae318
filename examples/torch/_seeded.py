"""What the scripts share: weights from NumPy's generator, the same with every library, and the option --device."""

import argparse

import numpy as np
import torch


def seeded(module, seed=0, scale=1.0):
    """Fill the parameters of a module with normal numbers over the square root of what each output adds up."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for p in module.parameters():
            values = rng.normal(size=tuple(p.shape)) * scale / np.sqrt(p.shape[-1] if p.dim() > 1 else 1e4)
            p.copy_(torch.from_numpy(values).to(p.dtype))
    return module


def device_asked():
    """The device that the option `--device` names: the CPU by default, "cuda" for a GPU."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    return torch.device(parser.parse_args().device)


def report(name, curve):
    """Print a curve, first and last values, and return it."""
    print(f"{name}: {curve[0]:.4f} -> {curve[-1]:.4f} in {len(curve)} steps")
    return curve
