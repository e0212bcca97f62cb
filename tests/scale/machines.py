"""The machines of a cluster under test: network namespaces on one bridge, or loopback where these are not permitted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

PRIVATE: Final = "ALTHING_TEST_PRIVATE_NETWORK"
"""Set by `python -m tests.scale` when this process has a network of its own."""
HUB: Final = "10.77.0.1"
NETWORK: Final = "10.77.0.0/24"
LOOPBACK: Final = "127.0.0.1"
BRIDGE: Final = "hub"


@dataclass(frozen=True)
class Machine:
    """`prefix` starts a program on it. `port`: its place on the bridge; none on loopback, which cannot be cut."""

    host: str
    prefix: tuple[str, ...] = ()
    port: str = ""

    def cut(self) -> None:
        """From now on packets to and from the other machines vanish, without an error."""
        _ip("link", "set", self.port, "nomaster")

    def join(self) -> None:
        """Ends `cut`."""
        _ip("link", "set", self.port, "master", BRIDGE)


def is_private() -> bool:
    return os.environ.get(PRIVATE) == "1"


@contextmanager
def machines(count: int) -> Iterator[tuple[Machine, ...]]:
    """The first is where the test itself runs. The others exist until the block ends."""
    if not is_private():
        yield (Machine(LOOPBACK),) * (count + 1)
        return
    _ip("link", "add", BRIDGE, "type", "bridge")
    _ip("addr", "add", f"{HUB}/24", "dev", BRIDGE)
    _ip("link", "set", BRIDGE, "up")
    made = [Machine(HUB)]
    try:
        made += [_machine(number) for number in range(1, count + 1)]
        yield tuple(made)
    finally:
        for machine in made[1:]:
            _ip("netns", "delete", machine.prefix[-1])
        _ip("link", "delete", BRIDGE)


def _machine(number: int) -> Machine:
    name, port, host = f"machine{number}", f"port{number}", f"10.77.0.{10 + number}"
    inside = ("ip", "netns", "exec", name)
    _ip("netns", "add", name)
    _ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
    _ip("link", "set", port, "master", BRIDGE, "up")
    for command in (
        ("link", "set", "lo", "up"),
        ("addr", "add", f"{host}/24", "dev", "eth0"),
        ("link", "set", "eth0", "up"),
    ):
        subprocess.run([*inside, "ip", *command], check=True, capture_output=True)
    return Machine(host, inside, port)


def _ip(*command: str) -> None:
    subprocess.run(["ip", *command], check=True, capture_output=True)
