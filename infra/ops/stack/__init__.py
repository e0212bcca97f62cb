"""`althing up`: starts, supervises and stops the engines and services of one machine."""
