"""Optimizers: their state, the flat arrays that they compute on, their formulas, schedules of learning rates."""
