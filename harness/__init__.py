"""The xtest tool: judges programs by what they print. This package imports nothing by itself."""
