"""Makes a release: `make release` (`python -m infra.ops.release`). Only a checkout has this package.

`archives` builds wheel and sdist with the parts that `build_hook` adds, `bill_of_materials` lists what is inside,
`checksums` names the files' SHA-256 and signs them.
"""


class ReleaseError(Exception):
    """Why no release was made: one sentence for the releaser."""
