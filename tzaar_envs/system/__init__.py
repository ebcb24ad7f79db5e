"""Operating-system services: files, signals, installed libraries and extras."""
