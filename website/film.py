"""Record docs/pictures/run.svg anew by running xtest: python website/film.py"""

from __future__ import annotations

import tempfile
from pathlib import Path

from film_scene import record
from film_svg import svg_of

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "run.svg"

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PICTURE.write_text(svg_of(record(Path(folder))), encoding="utf-8")
