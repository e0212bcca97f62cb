"""`althing doctor`: examines machine, settings, engines and running stack, and names the remedy of each problem.

`command` runs the checks of the other modules at the same time; `finding` is what they return, `subject` what they
examine. No check changes anything: what it writes is a temporary file without a name.
"""
