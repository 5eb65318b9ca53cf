"""Read TOML tables strictly, and locate their keys in the text."""
