"""The learned critique: human or machine."""
