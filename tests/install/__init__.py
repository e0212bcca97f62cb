"""Install from the wheel where there is nothing but Python: `make test-install`, not part of `make test`."""
