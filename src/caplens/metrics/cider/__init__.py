"""CIDEr and its document frequencies."""
