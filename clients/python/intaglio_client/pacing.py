"""The rate limit of the key."""

import re
import threading
import time
from typing import Optional

# Seconds are rounded: the next window may begin before the end that is known of the last.
_ROUNDING = 1.5


class RateLimit:
    """Counts the calls of a window, so that further ones wait for the next window before the service
    refuses them. All calls of a client share it."""

    def __init__(self, wait_max: float) -> None:
        """`wait_max`: a window that ends later is not waited for; the service may refuse the call."""
        self._wait_max = wait_max
        self._lock = threading.Lock()
        # Calls that may still begin in the window.
        self._left = float("inf")
        self._quota = float("inf")
        # Seconds of a window; None: it is not known.
        self._window: Optional[float] = None
        # None: the window is not known.
        self._end: Optional[float] = None
        # No call begins before this: the service refused one.
        self._held_until = 0.0

    def begin(self) -> bool:
        """Takes a call off the window; False: none is left."""
        with self._lock:
            if self._seconds() > 0:
                return False
            if self._end is None and self._window is not None:
                # The first call of a window opens it, before an answer tells its end.
                self._end = time.monotonic() + self._window
            self._left -= 1
            return True

    def seconds(self) -> float:
        """Seconds to the next call."""
        with self._lock:
            return self._seconds()

    def _seconds(self) -> float:
        now = time.monotonic()
        if self._end is not None and self._end <= now:
            self._end = None
            self._left = self._quota
        rest = 0.0 if self._left > 0 or self._end is None else self._end - now
        seconds = max(rest, self._held_until - now)
        return max(0.0, seconds) if seconds <= self._wait_max else 0.0

    def learn(self, limit: str, policy: str) -> None:
        """Learns from `RateLimit: "minute";r=0;t=34` and `RateLimit-Policy: "minute";q=120;w=60`."""
        left = re.search(r";\s*r=(\d{1,9})", limit)
        seconds = re.search(r";\s*t=(\d{1,6})", limit)
        quota = re.search(r";\s*q=(\d{1,9})", policy)
        length = re.search(r";\s*w=(\d{1,6})", policy)
        with self._lock:
            if quota is not None:
                self._quota = int(quota[1])
            if length is not None:
                self._window = float(length[1])
            if left is None or seconds is None:
                return
            end = time.monotonic() + int(seconds[1])
            following = self._end is not None and end - self._end > _ROUNDING
            # Answers may arrive in another order than the service counted their calls.
            self._left = int(left[1]) if following else min(self._left, int(left[1]))
            self._end = end

    def hold(self, seconds: float) -> None:
        """The limit refused a call: none is left for so long."""
        with self._lock:
            self._held_until = max(self._held_until, time.monotonic() + seconds)
