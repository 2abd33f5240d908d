"""Hears SIGINT and SIGTERM at once, whichever thread the system gives them to."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import contextmanager
from typing import Callable, Iterator

_NUMBERS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def told_of_signals(tell: Callable[[], None]) -> Iterator[None]:
    """Calls `tell` from another thread for each of the two signals. For the main thread alone.

    A handler in Python runs when the main thread next does. If that thread waits for a lock, and
    the system gave the signal to another thread, this can be never; hence the wake-up socket,
    which is written wherever the signal comes.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("run() hears signals: call it from the main thread, or use start()")
    reader, writer = socket.socketpair()
    writer.setblocking(False)

    def listen() -> None:
        while numbers := reader.recv(64):
            for number in numbers:
                if number in _NUMBERS:
                    tell()

    listener = threading.Thread(target=listen, name="longshore-signals", daemon=True)
    listener.start()
    before = {number: signal.signal(number, lambda *_: None) for number in _NUMBERS}
    outer = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(outer)
        for number, action in before.items():
            signal.signal(number, action)
        writer.close()  # which ends the listener
        listener.join()
        reader.close()
