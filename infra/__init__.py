"""Everything that is not a decision or a number: settings, engines, adapters, migrations and the local stack."""

import sys

if "structlog" not in sys.modules:
    # structlog imports rich for a renderer that is not used here: 90 modules, which every process would load.
    rich = sys.modules.pop("rich", None)
    sys.modules["rich"] = None  # type: ignore[assignment]  # an import of it fails
    import structlog as structlog

    del sys.modules["rich"]
    if rich is not None:
        sys.modules["rich"] = rich

# So would httpx, for a command of its own.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # an import of it fails

PRODUCT_NAME = "Althing"
"""The product's working name. The only place that says it in code; the web app reads it from `/api/platform/about`."""
