"""Web: how soon pages can be read and used at 4x CPU throttling and slow 4G, nothing cached.

The built app in Chromium with seeded answers (`web/e2e/vitals.mjs`). The baseline is the home page of the same run: the
smallest page of the app, without a call to the API.
"""

from __future__ import annotations

import json
import os
import subprocess

from infra.ops.bootstrap import ROOT, users_browser
from tests.bench import Figure

COMMAND = "npm run vitals --prefix web"


def run() -> list[Figure]:
    done = subprocess.run(
        ["npm", "run", "-s", "vitals", "--", "--json"],
        cwd=ROOT / "web",
        env=dict(os.environ, CHROMIUM=users_browser()),
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    measured = json.loads(done.stdout)
    home = {item["id"]: item["value"] for item in measured if item["page"] == "home"}
    figures: list[Figure] = []
    for item in measured:
        figure: Figure = {
            "name": f"{item['page']}: {item['name']}",
            "value": item["value"],
            "unit": item["unit"],
            "command": COMMAND,
            "aim": f"≤ {item['limit']}",
        }
        if item["page"] != "home" and item["id"] in home:
            figure["baseline"] = home[item["id"]]
            figure["baseline_name"] = "home page"
        figures.append(figure)
    return figures
