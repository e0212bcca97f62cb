"""Images of listings: decoded and drawn anew, so that nothing of the file that was sent is kept but what one sees."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Final

from PIL import ExifTags, Image

from command_api.decision import Refused, invalid
from infra.http_guard import MAX_IMAGE_BYTES

MOST_PIXELS: Final = 40_000_000
LONGEST_SIDE: Final = 1_600
FORMATS: Final = ("JPEG", "PNG", "WEBP")
_QUALITY: Final = 82
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A WebP image; `hash` names what it holds."""

    hash: str
    width: int
    height: int
    body: bytes


def redrawn(sent: bytes) -> Picture:
    """The image as it is kept: turned upright, at most 1600 pixels a side, without metadata. Raises `Refused`.

    The size that a file claims is looked at before it is unpacked, so that a small file cannot fill the memory.
    """
    if len(sent) > MAX_IMAGE_BYTES:
        raise invalid("too_large", f"An image may have at most {MAX_IMAGE_BYTES // 2**20} MB.", "image")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(sent), formats=FORMATS) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise _too_many_pixels()
                image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
                image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
                plain = _upright(image).convert("RGBA" if _is_transparent(image) else "RGB")
    except Image.DecompressionBombError as error:
        raise _too_many_pixels() from error
    except Refused:
        raise
    except Exception as error:  # decoders answer damaged files with whatever they stumble over
        raise _no_image() from error
    drawn = BytesIO()
    # A new image with these pixels alone: what else the old one carried (EXIF, profiles, comments) is not taken along.
    clean = Image.frombytes(plain.mode, plain.size, plain.tobytes())
    clean.save(drawn, "WEBP", quality=_QUALITY, method=4)
    body = drawn.getvalue()
    return Picture(sha256(body).hexdigest(), clean.width, clean.height, body)


def _upright(image: Image.Image) -> Image.Image:
    """Turned as its EXIF says; as it lies if that cannot be read. (Pillow's own way writes the EXIF anew, and fails on
    what it cannot write.)"""
    try:
        turn = _TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:  # noqa: BLE001 - as above
        turn = None
    return image.transpose(turn) if turn is not None else image


def _is_transparent(image: Image.Image) -> bool:
    return image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info


def _too_many_pixels() -> Refused:
    return invalid("too_large", f"An image may have at most {MOST_PIXELS:,} pixels.", "image")


def _no_image() -> Refused:
    return invalid("no_image", "This is not an image. Please choose a JPEG, PNG or WebP file.", "image")
