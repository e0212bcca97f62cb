"""`althing health`: asks the service where the settings say that it listens."""

from __future__ import annotations

import pytest

from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.http.health import Parts, start_server
from infra.ops import cli, health_check
from tests.support.engines import free_port


def test_the_exit_code_says_whether_a_service_is_ready(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts: dict[str, bool | str] = {"log": True}
    port = free_port()

    def state() -> Parts:
        return parts

    monkeypatch.setenv("ALTHING_PROJECTORS_PORT", str(port))
    monkeypatch.setenv("ALTHING_INTERNAL_HOST", "127.0.0.2")
    assert health_check.main(["projectors"]) == 1
    assert "does not respond" in capsys.readouterr().err
    stop = start_server("127.0.0.2", port, state)
    try:
        assert health_check.main(["projectors"]) == 0
        parts["log"] = "does not answer"
        assert health_check.main(["projectors"]) == 1
        assert '"log": "does not answer"' in capsys.readouterr().err
        assert health_check.main(["projectors", "--live"]) == 0
    finally:
        stop()


def test_every_service_has_an_address() -> None:
    settings = Settings(host="192.0.2.1", internal_host="10.0.0.7", projectors_port=8012)
    found = health_check.addresses(settings)
    assert set(found) == set(cli.SERVICES)
    assert found == {
        "ingest": ("192.0.2.1", 8001),
        "command": ("10.0.0.7", 8010),
        "query": ("10.0.0.7", 8011),
        "projectors": ("10.0.0.7", 8012),
        "web": ("192.0.2.1", 8000),
    }
    with pytest.raises(SettingsError, match="ALTHING_PROJECTORS_PORT is not set"):
        health_check.main(["projectors"])
