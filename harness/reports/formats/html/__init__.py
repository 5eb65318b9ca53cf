"""Write the HTML report: a single file that works offline."""
