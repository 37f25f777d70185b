"""The rate limit of the key, and how long a call may take to be answered."""

import random
import re
import threading
import time
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Optional

from .errors import IntaglioError, ServiceError, counted

_BACK_OFF = 0.25
_BACK_OFF_MAX = 30.0
# A service that asks for more asks for ever.
_RETRY_AFTER_MAX = 1e15
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


class Patience:
    """How often a call is sent, and when again. Refusals by the rate limit are counted apart: other
    programs may use the same key. The end of a window is waited for whatever the time is."""

    def __init__(self, tries_max: int, retry_max: float) -> None:
        self._tries_max = tries_max
        self._retry_max = retry_max
        self._end = time.monotonic() + retry_max
        self._limited = 0
        self._others = 0

    @property
    def tries(self) -> int:
        """How often the call was sent, with the try that is under way."""
        return self._limited + self._others + 1

    def extend(self, seconds: float) -> None:
        """The call waited for a window of the rate limit before it was sent."""
        self._end += seconds

    def next(self, error: IntaglioError, asked: float, is_limited: bool) -> float:
        """Seconds to the next try; `asked`: those that the service asks for. Raises `error`, with the
        option that ends the call, when there is none."""
        sent = self.tries
        if is_limited:
            self._limited += 1
        else:
            self._others += 1
        count = self._limited if is_limited else self._others
        # The exponent is bounded: a float is, too.
        most = min(_BACK_OFF_MAX, _BACK_OFF * 2.0 ** min(count - 1, 20))
        wait = max(asked, most * random.uniform(0.5, 1))
        rest = self._end - time.monotonic()
        if asked > (self._retry_max if is_limited else max(0.0, rest)):
            allowed = f"retry_max allows {self._retry_max:.15g} s"
            raise _ended(error, f"the service asks to wait {asked:.0f} s; {allowed}", 0)
        if count >= self._tries_max:
            raise _ended(error, "tries_max allows no more", sent)
        if is_limited:
            self._end += asked
            rest += asked
        if wait > rest:
            allowed = f"retry_max allows no try later than {self._retry_max:.15g} s after the call"
            raise _ended(error, allowed, sent)
        return wait


def _ended(error: IntaglioError, why: str, tries: int) -> IntaglioError:
    """The error says which option ended the call. `tries` is 0 where their number is not the reason."""
    # NoAnswerError has the number already.
    given_up = f"given up after {counted(tries)}: " if isinstance(error, ServiceError) else ""
    error.args = (f"{error.args[0]}; {given_up if tries > 0 else ''}{why}",)
    return error


def retry_after(said: str) -> Optional[float]:
    """Seconds to wait of a header Retry-After, which has seconds or a date (RFC 9110, 10.2.3); None: it
    cannot be read."""
    if re.fullmatch(r"[0-9]{1,1000}", said) is not None:
        return min(float(said), _RETRY_AFTER_MAX)
    try:
        date = parsedate_to_datetime(said)
        if date.tzinfo is None:
            date = date.replace(tzinfo=timezone.utc)
        return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
