"""Say things about runs in words and lines, as all formats and the terminal do."""
