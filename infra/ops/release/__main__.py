"""`make release`: the files of a release in `.build/release`, of the commit that is checked out.

`RELEASE_KEY` names the releaser's SSH key. It uploads nothing.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from infra.kernel.config.paths import BUILD, ROOT
from infra.ops.release import ReleaseError, archives, bill_of_materials, checksums, constraints, tree


def main() -> int:
    try:
        folder = make(ROOT, BUILD / "release", os.environ.get("RELEASE_KEY", ""))
    except ReleaseError as error:
        sys.stderr.write(f"No release was made. {error}\n")
        return 1
    for path in sorted(folder.iterdir()):
        sys.stdout.write(f"{path.stat().st_size / 1e6:7.1f} MB  {path.relative_to(ROOT)}\n")
    return 0


def make(root: Path, folder: Path, key: str) -> Path:
    """Builds beside `folder`, which it replaces when everything is there and signed. Raises `ReleaseError`."""
    require_key(key)
    tree.require_clean(root)
    epoch = tree.commit_time(root)
    version = tree.version(root)
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    archives.build(root, new, epoch)
    constraints.write(root, new, version)
    (new / f"althing-{version}.cdx.json").write_text(bill_of_materials.document(root, version, epoch))
    checksums.sign(checksums.write(new), key)
    shutil.rmtree(folder, ignore_errors=True)
    return new.rename(folder)


def require_key(key: str) -> None:
    """Raises `ReleaseError` before the work begins."""
    if not key:
        raise ReleaseError("RELEASE_KEY names the SSH key that signs the checksums, for example ~/.ssh/id_ed25519.")
    if not Path(key).is_file():
        raise ReleaseError(f"RELEASE_KEY: there is no file {key}.")


if __name__ == "__main__":
    sys.exit(main())
