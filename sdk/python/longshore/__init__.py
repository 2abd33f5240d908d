"""Client and worker for Longshore, a durable job platform.

    from longshore import Client
    job = Client().enqueue("GREET", {"name": "Ada"})

    from longshore import Worker
    worker = Worker()
    @worker.handler("GREET")
    def greet(job): ...
    worker.run()
"""

from .client import Client
from .errors import (
    ApiError,
    JobCanceled,
    JobFailed,
    LeaseLost,
    LongshoreError,
    Unreachable,
)
from .jobs import Enqueued, Job, NewJob
from .outcomes import Canceled, Fatal, HandOff, Outcome, Release, Retry
from .run import JobRun, StopReason
from .version import VERSION as __version__
from .worker import Worker

__all__ = [
    "ApiError",
    "Canceled",
    "Client",
    "Enqueued",
    "Fatal",
    "HandOff",
    "Job",
    "JobCanceled",
    "JobFailed",
    "JobRun",
    "LeaseLost",
    "LongshoreError",
    "NewJob",
    "Outcome",
    "Release",
    "Retry",
    "StopReason",
    "Unreachable",
    "Worker",
    "__version__",
]
