"""Composition root and operator tools: the command line, the local stack, migrations, audit, backup, demo."""
