"""Reacts to SIGINT and SIGTERM at once, whichever thread receives them."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import contextmanager
from typing import Callable, Iterator

_NUMBERS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_signals(callback: Callable[[], None]) -> Iterator[None]:
    """Calls `callback` from another thread for each of the two signals. Main thread only.

    Python runs signal handlers in the main thread. If that thread waits for a lock while another
    thread receives the signal, the handler may never run; hence the wake-up socket, which is
    written in whichever thread receives the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("run() handles signals: call it from the main thread, or use start()")
    reader, writer = socket.socketpair()
    writer.setblocking(False)

    def listen() -> None:
        while numbers := reader.recv(64):
            for number in numbers:
                if number in _NUMBERS:
                    callback()

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
        writer.close()  # ends the listener
        listener.join()
        reader.close()
