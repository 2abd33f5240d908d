"""An external service that records requests and responds as configured."""

import base64
import hashlib
import hmac
import queue
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Request:
    def __init__(self, handler, body):
        self.method = handler.command
        self.target = handler.path
        self.headers = handler.headers
        self.body = body

    @property
    def is_signed(self):
        """By Standard Webhooks, with SECRET."""
        key = base64.b64decode(SECRET.removeprefix("whsec_"))
        text = ".".join([self.headers["webhook-id"], self.headers["webhook-timestamp"], ""])
        digest = hmac.new(key, text.encode() + self.body, hashlib.sha256).digest()
        return self.headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients that disconnect early are part of the tests."""


class Receiver:
    """`answer(request)` gives (status, headers, body); each request is in `requests` too."""

    def __init__(self, answer=lambda request: (200, {}, b""), certificate=None):
        self.requests = queue.Queue()
        self.stopped = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def _handle(self):
                length = int(self.headers.get("Content-Length") or 0)
                request = Request(self, self.rfile.read(length))
                receiver.requests.put(request)
                if answer is Receiver.never:
                    receiver.stopped.wait(60)
                    self.close_connection = True
                    return
                status, headers, body = answer(request)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

            def log_message(self, *_):
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self._scheme = "https"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    @staticmethod
    def never(request):
        """As an answer: none."""

    def next(self, timeout=60):
        return self.requests.get(timeout=timeout)

    def stop(self):
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
