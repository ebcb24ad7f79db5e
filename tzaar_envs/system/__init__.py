"""The machine around the suite: files, signals, installed libraries and extras."""
