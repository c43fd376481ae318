"""Lowering: from the equations of a graph to statements of the loop IR."""
