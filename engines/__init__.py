"""Board-game engines: pure functions and values, without I/O, clocks or hidden randomness."""
