"""Partners: affiliate programs with their dated terms. Admins maintain them."""
