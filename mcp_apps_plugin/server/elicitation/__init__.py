"""Asking the user from a handler: one call in both eras, rendered by a page where the host can."""
