"""Write a static site: a matrix, a page per suite and case, badges; it works offline."""
