"""Planted faults: each turns at least one test red, or the tests have lost something. `make mutants` runs them.

`tests/mutants.toml` lists them: place, change, and the narrowest tests that must find it. A run copies the tree, shows
that all these tests pass there, then plants one fault at a time and runs its tests. What only breaks the program (it
does not parse, cannot be imported, a fixture fails) does not count as found.
"""
