"""Everything that is not a decision or a number: settings, engines, adapters, migrations and the local stack."""

PRODUCT_NAME = "Althing"
"""The product's working name. The only place that says it in code; the web app reads it from `/api/platform/about`."""
