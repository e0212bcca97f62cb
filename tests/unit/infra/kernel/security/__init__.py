"""Tests of `infra.kernel.security`."""
