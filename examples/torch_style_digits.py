"""A PyTorch-style script on real digits: tensors, backward, hooks, a no_grad update, and a custom Function.

python examples/torch_style_digits.py           on covector.compat.torch
python examples/torch_style_digits.py --torch   the same lines on PyTorch, with both loss curves in one figure

Only the import differs. The data set is the 1,797 handwritten digits included in scikit-learn.
"""

import importlib
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

EPOCHS, BATCH, RATE, MOMENTUM = 30, 64, 0.1, 0.9
PATHS = [a for a in sys.argv[1:] if not a.startswith("--")]
PICTURE = Path(PATHS[0]) if PATHS else Path(__file__).with_suffix(".png")


def data():
    """Return training and test digits as arrays: 64 numbers in [0, 1] each, and the label."""
    x, y = load_digits(return_X_y=True)
    return train_test_split((x / 16.0).astype(np.float32), y, test_size=0.25, random_state=0, stratify=y)


def script(torch):
    """Train and test; return the losses and the test accuracy. Plain PyTorch code."""

    class LeakyRelu(torch.autograd.Function):
        """An activation with a custom derivative."""

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.where(x > 0, x, x * 0.01)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return torch.where(x > 0, grad, grad * 0.01)

    x_train, x_test, y_train, y_test = (torch.tensor(a) for a in data())
    rng = np.random.default_rng(0)
    sizes = [(64, 64), (64, 32), (32, 10)]
    weights = [torch.tensor((rng.normal(size=s) * np.sqrt(2.0 / s[0])).astype(np.float32), requires_grad=True)
               for s in sizes]
    biases = [torch.zeros(s[1], requires_grad=True) for s in sizes]
    params = weights + biases
    speed = [torch.zeros_like(p) for p in params]
    norms = []
    for w in weights:  # a hook receives each gradient when it is computed; this one clips it
        w.register_hook(lambda g: g.clamp(-1.0, 1.0))
    weights[0].register_hook(lambda g: norms.append(g.norm().item()))

    def logits(x):
        h = LeakyRelu.apply(torch.addmm(biases[0], x, weights[0]))
        h = LeakyRelu.apply(torch.addmm(biases[1], h, weights[1]))
        return torch.addmm(biases[2], h, weights[2])

    losses = []
    for _ in range(EPOCHS):
        order = torch.tensor(rng.permutation(len(y_train)))
        total = 0.0
        for start in range(0, len(order), BATCH):
            pick = order[start : start + BATCH]
            loss = torch.nn.functional.cross_entropy(logits(x_train[pick]), y_train[pick])
            loss.backward()
            with torch.no_grad():
                for p, v in zip(params, speed):
                    v.mul_(MOMENTUM).add_(p.grad)
                    p.sub_(RATE * v)
                    p.grad = None
            total += loss.item() * len(pick)
        losses.append(total / len(order))
    with torch.no_grad():
        right = (logits(x_test).argmax(1) == y_test).sum().item()
    return losses, right / len(y_test), len(norms)


def main():
    names = ["covector.compat.torch"] + (["torch"] if "--torch" in sys.argv else [])
    curves = {}
    for name in names:
        start = time.perf_counter()
        losses, accuracy, hooks = script(importlib.import_module(name))
        curves[name] = losses
        print(f"{name}: last loss {losses[-1]:.5f}, {hooks} gradients seen by the hook, "
              f"{time.perf_counter() - start:.1f} s")
        print(f"test accuracy: {100 * accuracy:.1f} %")
    draw(curves)
    if len(curves) == 2:
        gap = max(abs(a - b) for a, b in zip(*curves.values()))
        print(f"largest difference between the two loss curves: {gap:.2e}")


def draw(curves):
    """Plot the loss of each epoch, with one line per library."""
    plt = importlib.import_module("matplotlib.pyplot")
    figure, axes = plt.subplots(figsize=(6, 4))
    for (name, losses), style in zip(curves.items(), ("-", "--")):
        axes.semilogy(range(1, len(losses) + 1), losses, style, label=name)
    axes.set_xlabel("epoch")
    axes.set_ylabel("training loss")
    axes.set_title("The same script on two libraries" if len(curves) > 1 else "Training loss")
    axes.legend()
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=120)
    print(f"loss curves: {PICTURE}")


if __name__ == "__main__":
    with threadpool_limits(1):  # matrices this small gain nothing from more threads
        main()
