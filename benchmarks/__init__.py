"""How fast, how large, beside what: every number is taken in the same run as the one it is divided by."""
