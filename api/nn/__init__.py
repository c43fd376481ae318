"""Layers of neural networks as functions of arrays and traced arrays; they keep no state."""

from .softmax import log_softmax as log_softmax, logsumexp as logsumexp, softmax as softmax
