"""Partners: affiliate programs with their dated terms. Admins maintain the directory, and
members partners of their own, which nobody else sees; they may request that the directory gets a program."""
