"""Program matching: the program directory, business ideas, applications and finished lessons."""
