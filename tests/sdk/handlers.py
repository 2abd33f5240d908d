"""The worker under test, in Python; handlers.mjs is the same in JavaScript.

It prints what its handlers see. The environment variable WORKER_OPTIONS holds the worker's options
as JSON.
"""

import asyncio
import json
import logging
import os
import signal
import threading

from longshore import Fatal, HandOff, Release, Retry, Worker

logging.basicConfig(level=logging.INFO, format="%(message)s")
options = json.loads(os.environ.get("WORKER_OPTIONS", "{}"))
worker = Worker(
    concurrency=options.get("concurrency", 2),
    lease_seconds=options.get("leaseSeconds"),
    grace=options.get("grace", 25),
    patience=options.get("patience", 3),
    poll_seconds=options.get("pollSeconds", 20),
    batch_settle=options.get("batchSettle", False),
)
writing = threading.Lock()


def say(*words):
    with writing:
        print(*words, flush=True)


def exists_within(path, seconds):
    """True if the file exists, after waiting for up to `seconds`."""
    pause = threading.Event()
    pause.wait(0 if os.path.exists(path) else seconds)
    return os.path.exists(path)


@worker.handler("DOUBLE")
def double(job):
    return {"doubled": job.payload * 2}


@worker.handler("ERROR")
def error(job):
    if job.attempt == 1:
        raise ValueError("boom")
    return {"attempt": job.attempt, "last": job.last_error["message"]}


@worker.handler("FATAL")
def fatal(job):
    raise Fatal("no hope", code="NO_HOPE", details={"why": job.payload})


@worker.handler("RETRY")
def retry(job):
    if job.attempt == 1:
        return Retry("not yet", after=0.05)
    return job.attempt


@worker.handler("RELEASE")
def release(job):
    if job.attempt == 1:
        raise Release()
    return job.failures


@worker.handler("BAD_RESULT")
def bad_result(job):
    return "x" * (2 << 20) if job.payload == "large" else {1: say}


@worker.handler("WAIT")
def wait(job):
    before = json.dumps(job.checkpoint)
    job.progress(42)
    job.save({"seen": job.attempt}, now=False)
    say("started", job.attempt, before)
    job.stopped.wait()
    say("stopped", job.stop_reason.value)
    job.raise_if_stopped()


@worker.handler("UNTIL")
def until(job):
    """Runs until the file exists and ignores requests to stop."""
    say("started", job.attempt)
    while not exists_within(job.payload, 0.02):
        pass
    say("finished", job.attempt)
    return job.attempt


@worker.handler("STEPS")
def steps(job):
    for step in range(job.checkpoint or 0, job.payload["steps"]):
        say("step", step, "attempt", job.attempt)
        job.save(step + 1)
        if job.attempt == 1 and step == job.payload["dieAt"]:
            os.kill(os.getpid(), signal.SIGKILL)
    return job.checkpoint


@worker.handler("HANDOFF")
def hand_off(job):
    return HandOff(timeout=60)


@worker.handler("LOG")
def log(job):
    job.log("a line")
    job.log("another")


class NoText(Exception):
    def __str__(self):
        raise ValueError("no text")


def save_then_modify(job):
    if job.attempt == 2:
        return job.checkpoint
    state = {"step": 1}
    job.save(state, now=False)
    state["step"] = {"not", "JSON"}
    raise Retry("again", after=0)


def save_too_much(job):
    if job.attempt == 2:
        return job.checkpoint
    job.save("x" * 300_000, now=False)
    raise Release()


def log_and_return(job, lines):
    for line in lines:
        job.log(line)
    return "logged"


def throw(error):
    raise error


MISTAKES = {
    "strange details": lambda job: throw(Fatal("no", code="STRANGE", details={"a": say})),
    "large details": lambda job: throw(Fatal("no", code="LARGE", details="x" * 100_000)),
    "an error as the message": lambda job: throw(Fatal(ValueError("inner"), code="WRAPPED")),
    "a reserved code": lambda job: throw(Fatal("no", code="POISON")),
    "a large message": lambda job: throw(ValueError("x" * 3_000_000)),
    "a large result": lambda job: "x" * 1_500_000,
    "a huge result": lambda job: "x" * 3_000_000,
    "no text": lambda job: throw(NoText()),
    "no error": lambda job: throw(asyncio.CancelledError()),
    "a returned error": lambda job: ValueError("returned"),
    "progress": lambda job: job.progress(101),
    "a strange checkpoint": lambda job: job.save({"a": say}, now=False),
    "a checkpoint that changes": save_then_modify,
    "a large checkpoint": save_too_much,
    "a large log": lambda job: log_and_return(job, ["x" * 1000] * 5000),
    "half a character": lambda job: log_and_return(job, ["a\ud800b"]),
    "a number in the log": lambda job: log_and_return(job, [42]),
}


@worker.handler("MISTAKE")
def mistake(job):
    return MISTAKES[job.payload](job)


say("working")
worker.run()
say("ended")
