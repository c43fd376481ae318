"""The module of checkpoints of a torch, and a leaf to checkpoint functions of."""

import importlib


def tools(torch):
    return importlib.import_module(torch.__name__ + ".utils.checkpoint")


def leaf(torch, *numbers):
    return torch.tensor(numbers, requires_grad=True)


def ck(torch):
    return torch.utils.checkpoint.checkpoint
