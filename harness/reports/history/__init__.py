"""Write the page of a history: one file that works offline."""
