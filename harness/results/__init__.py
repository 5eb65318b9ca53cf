"""Files that runs leave on disk: results files, resume, the cache, the last run, fingerprints."""
