"""Make HTML pages: one style, one script of parts, and templates that extend one base."""
