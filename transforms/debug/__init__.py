"""Debugging of traced code: printing, callbacks, and stop_gradient."""
