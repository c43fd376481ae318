"""The interpreters of operations, and the drivers over them: grad, jvp, vmap, Jacobians."""
