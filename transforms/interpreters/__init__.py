"""The transforms that interpret operations, and the drivers over them: grad, jvp, vmap, Jacobians."""
