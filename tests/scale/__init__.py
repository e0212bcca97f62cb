"""Scale-out with faults: `make test-scale`. Not part of `make test`: it takes minutes."""
