"""torch.distributed._composable: names that programs import; their use is refused."""
