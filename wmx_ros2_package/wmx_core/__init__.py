"""The driver interface, its values, errors, rules of requests and parameter files."""
