"""Makes the helper modules beside this file importable from every kind of test."""
