"""Shipped resources."""
