"""A proxy to a database that can drop responses.

A server that uses the proxy's URL talks to the real store until `holds` returns true: from then on
it receives no more responses. Killing it then means killing it between its commit and the response
to its client.
"""

import re
import socket
import threading
from pathlib import Path

SOCKET = ".s.PGSQL.5432"


class StallingProxy:
    def __init__(self, store, folder):
        """For `store`, a URL of tests/e2e/stores.py; `folder` is for a socket, and short."""
        self.holds = lambda: False
        self.held = threading.Event()
        if host := re.search(r"host=([^&]*)", store):
            self._target = (socket.AF_UNIX, str(Path(host[1]) / SOCKET))
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(Path(folder) / SOCKET))
            self.url = store.replace(host[1], str(folder))
        else:
            host, port = re.search(r"//([^:]*):(\d+)", store).groups()
            self._target = (socket.AF_INET, (host, int(port)))
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            self.url = store.replace(f":{port}", f":{listener.getsockname()[1]}")
        listener.listen()
        self._listener = listener
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            family, address = self._target
            server = socket.socket(family)
            server.connect(address)
            for source, sink, answers in ((client, server, False), (server, client, True)):
                arguments = (source, sink, answers)
                threading.Thread(target=self._pass, args=arguments, daemon=True).start()

    def _pass(self, source, sink, answers):
        try:
            while data := source.recv(65536):
                if answers and (self.held.is_set() or self.holds()):
                    self.held.set()
                    continue  # the response is dropped
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        finally:
            source.close()
