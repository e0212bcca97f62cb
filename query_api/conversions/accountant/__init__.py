"""The accountant's file: what each partner earned, paid and owes by month, for some or all websites of an account."""
