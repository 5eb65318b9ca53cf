"""Board-game engines: values in, values out. No input or output, no clock, no hidden chance."""
