"""The end of calls: by their caller, or by a time limit."""

import math
import threading
import time
from typing import Callable, List, Optional

from .errors import Cancelled, InvalidArgumentError

# Longest wait at a time: no timer of a system is too short for it.
_WAIT_MAX = 3600.0


class Cancel:
    """Ends the calls it is given to, from any thread or after `timeout` seconds."""

    def __init__(self, timeout: Optional[float] = None) -> None:
        if timeout is not None and not _is_number(timeout):
            raise InvalidArgumentError("timeout", "must be a number of seconds")
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._stops: List[Callable[[], None]] = []
        self._end = None if timeout is None else time.monotonic() + timeout

    def cancel(self) -> None:
        """Ends waits and requests under way with `Cancelled`."""
        self._event.set()
        with self._lock:
            for stop in self._stops:
                stop()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set() or self.left() <= 0

    def left(self) -> float:
        """Seconds until the time limit."""
        return float("inf") if self._end is None else self._end - time.monotonic()

    def check(self) -> None:
        if self.cancelled:
            raise Cancelled("the call was cancelled")

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            self.check()
            rest = min(end - time.monotonic(), self.left(), _WAIT_MAX)
            if rest <= 0:
                break
            self._event.wait(rest)
        self.check()

    def watch(self, stop: Callable[[], None]) -> None:
        """`stop` is called by `cancel()`, until it is forgotten."""
        with self._lock:
            self._stops.append(stop)

    def forget(self, stop: Callable[[], None]) -> None:
        with self._lock:
            if stop in self._stops:
                self._stops.remove(stop)


def cancel_of(value: object) -> Optional[Cancel]:
    """What ends a call; None: nothing does."""
    if value is not None and not isinstance(value, Cancel):
        raise InvalidArgumentError("cancel", "must be a Cancel, such as Cancel(timeout=60), or None")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not math.isnan(value)
