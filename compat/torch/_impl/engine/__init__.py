"""The backward pass: from tensors to roots of the sweep, and from cotangents to gradients."""
