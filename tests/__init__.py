"""The tests, and the programs that they start: what these log is text, on standard error."""

from infra.kernel.observability import logging

logging.configure_text()
