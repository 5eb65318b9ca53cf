"""Write reports: one module per format."""
