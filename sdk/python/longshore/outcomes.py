"""The outcomes of an attempt other than a result; each can be returned or raised.

Any other exception is a failure that is retried with the job's back-off. Its text becomes the error
message and its traceback is in the details.
"""

from __future__ import annotations

from typing import Any, Optional


class Outcome(Exception):
    """The base class of outcomes."""


class Retry(Outcome):
    """Counts as a failure; retried after `after` seconds, by default with the job's back-off."""

    def __init__(
        self,
        message: str = "",
        *,
        after: Optional[float] = None,
        code: Optional[str] = None,
        details: Any = None,
    ) -> None:
        super().__init__(message)
        self.message, self.after, self.code, self.details = message, after, code, details


class Fatal(Outcome):
    """Fails the job permanently: it becomes a dead letter."""

    def __init__(
        self, message: str = "", *, code: Optional[str] = None, details: Any = None
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.details = message, code, details


class Release(Outcome):
    """Returns the job to the front of its queue, or after `after` seconds. Not a failure."""

    def __init__(self, *, after: Optional[float] = None) -> None:
        super().__init__("released")
        self.after = after


class HandOff(Outcome):
    """An external call will finish the job, by its key or with this attempt's lease token."""

    def __init__(self, *, timeout: Optional[float] = None) -> None:
        super().__init__("handed off")
        self.timeout = timeout


class Canceled(Outcome):
    """The handler stopped because of a cancellation."""

    def __init__(self, message: str = "canceled") -> None:
        super().__init__(message)
        self.message = message
