"""Drawing that the games share."""
