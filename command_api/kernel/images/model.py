"""Images that members upload: decoded and re-encoded, so that only the pixels of an upload are stored."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Final

from PIL import ExifTags, Image

from command_api.kernel.decision import CommandRejected, invalid
from infra.kernel.http.request_limits import MAX_IMAGE_BYTES

MAX_PIXELS: Final = 40_000_000
MAX_SIDE: Final = 1_600
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
class WebpImage:
    """A WebP image; `hash` names what it holds."""

    hash: str
    width: int
    height: int
    body: bytes


def reencode(sent: bytes) -> WebpImage:
    """The image to store: upright, at most 1600 pixels a side, without metadata. Raises `CommandRejected`.

    The declared size is checked before decoding, so that a small file cannot exhaust the memory.
    """
    if len(sent) > MAX_IMAGE_BYTES:
        raise invalid("too_large", f"An image may have at most {MAX_IMAGE_BYTES // 2**20} MB.", "image")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(sent), formats=FORMATS) as image:
                if image.width * image.height > MAX_PIXELS:
                    raise _too_many_pixels()
                image.draft("RGB", (MAX_SIDE, MAX_SIDE))
                image.thumbnail((MAX_SIDE, MAX_SIDE))
                plain = _upright(image).convert("RGBA" if _is_transparent(image) else "RGB")
    except Image.DecompressionBombError as error:
        raise _too_many_pixels() from error
    except CommandRejected:
        raise
    except Exception as error:  # decoders raise many kinds of errors for damaged files
        message = "This is not an image. Please choose a JPEG, PNG or WebP file."
        raise invalid("no_image", message, "image") from error
    drawn = BytesIO()
    # A new image with the pixels alone, without EXIF, profiles and comments.
    clean = Image.frombytes(plain.mode, plain.size, plain.tobytes())
    clean.save(drawn, "WEBP", quality=_QUALITY, method=4)
    body = drawn.getvalue()
    return WebpImage(sha256(body).hexdigest(), clean.width, clean.height, body)


def narrowed(picture: WebpImage, width: int) -> WebpImage | None:
    """The picture at this width, for narrow screens; `None` if it is not wider."""
    if picture.width <= width:
        return None
    with Image.open(BytesIO(picture.body)) as image:
        height = max(1, round(picture.height * width / picture.width))
        drawn = BytesIO()
        image.resize((width, height), Image.Resampling.LANCZOS).save(drawn, "WEBP", quality=_QUALITY, method=4)
    body = drawn.getvalue()
    return WebpImage(sha256(body).hexdigest(), width, height, body)


def _upright(image: Image.Image) -> Image.Image:
    """Returns the image rotated by its EXIF orientation, unless that is unreadable. (Pillow's `exif_transpose` rewrites
    the EXIF and fails on some files.)"""
    try:
        turn = _TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:  # noqa: BLE001 - as above
        turn = None
    return image.transpose(turn) if turn is not None else image


def _is_transparent(image: Image.Image) -> bool:
    return image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info


def _too_many_pixels() -> CommandRejected:
    return invalid("too_large", f"An image may have at most {MAX_PIXELS:,} pixels.", "image")
