"""Games that people play in the terminal, and the files that they are saved in."""
