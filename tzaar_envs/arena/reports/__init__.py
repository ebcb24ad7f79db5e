"""Reports of matches and tournaments: terminal tables, Markdown, HTML, plots."""
