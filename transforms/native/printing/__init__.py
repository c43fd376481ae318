"""From statements to LLVM's text, and the C function around them."""
