"""The first thing a child process runs: ties its life to the supervisor's, then becomes the real program by `exec`.

Run as a script by its path (`python -I -S launch.py ...`), so that it starts in milliseconds; standard library only.

    launch.py PARENT_PID DEATH_SIGNAL own|mapped LISTENER|- -- PROGRAM ARG...

LISTENER: the descriptor of a listening socket that the program takes over (`infra.kernel.http.server`), given to it the
way systemd does.

`mapped`: the program sees itself as an ordinary user although we are root (a user namespace that maps one id), because
Postgres refuses to run as root. Files stay owned by the outer user.
"""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER = 0x10000000
_MAPPED_ID = 1000
_LISTENER = 3


def main(arguments: list[str]) -> None:
    parent, death_signal, identity, listener, dashes, *command = arguments
    if dashes != "--" or not command:
        raise SystemExit("launch.py PARENT_PID DEATH_SIGNAL own|mapped LISTENER|- -- PROGRAM ARG...")
    if identity == "mapped":
        map_to_ordinary_user()
    if listener != "-":
        pass_listener(int(listener))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != int(parent):
            raise SystemExit("the supervisor ended before its child began")
    os.execvp(command[0], command)  # noqa: S606 - this program's whole purpose


def pass_listener(listener: int) -> None:
    """sd_listen_fds(3): one socket, descriptor 3, and the environment says for which process."""
    if listener != _LISTENER:
        os.dup2(listener, _LISTENER)
        os.close(listener)
    os.environ["LISTEN_FDS"] = "1"
    os.environ["LISTEN_PID"] = str(os.getpid())


def map_to_ordinary_user() -> None:
    """Raises `OSError` where the system allows no user namespaces."""
    outer_user, outer_group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "this system allows no user namespaces")
    for name, content in (
        ("setgroups", "deny"),
        ("uid_map", f"{_MAPPED_ID} {outer_user} 1"),
        ("gid_map", f"{_MAPPED_ID} {outer_group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(content)


if __name__ == "__main__":
    main(sys.argv[1:])
