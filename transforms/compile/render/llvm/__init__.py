"""Rendering: from statements of the loop IR to LLVM's text, and the C function around them."""
