"""autograd.Function: operations with a backward of the user's own."""
