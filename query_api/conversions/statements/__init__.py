"""Statements: what each partner owes a website for a month, and why."""
