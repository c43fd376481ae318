"""Checkers for derivatives: check_grads for functions, check for primitives."""
