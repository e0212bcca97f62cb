"""What `althing audit` is made of. It shares no code with the projectors: it works every figure out in its own way."""
