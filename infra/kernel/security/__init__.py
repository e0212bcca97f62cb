"""Sessions, encryption, subject keys, the audit log and sign-in providers."""
