package intaglio.client;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a try may begin: how many run at a time, what the key's rate limit allows, and how long to
 * back off.
 */
final class Pace {
    private static final Pattern LEFT = Pattern.compile(";\\s*r=(\\d{1,9})");
    private static final Pattern SECONDS = Pattern.compile(";\\s*t=(\\d{1,6})");
    private static final Pattern QUOTA = Pattern.compile(";\\s*q=(\\d{1,9})");
    private static final Pattern LENGTH = Pattern.compile(";\\s*w=(\\d{1,6})");
    private static final Pattern WAIT = Pattern.compile("\\d+");
    /** More seconds than these are taken for as many. */
    private static final int WAIT_DIGITS_MAX = 15;
    private static final long BACK_OFF_MS = 250;
    private static final long BACK_OFF_MS_MAX = 30_000;

    private final ReentrantLock lock = new ReentrantLock();
    /** Those that wait for a slot, in the order in which they came. */
    private final Queue<CompletableFuture<Void>> waiting = new ArrayDeque<>();
    private int free;
    /** Calls that may still begin in the window; those under way have been taken off. */
    private long left = Long.MAX_VALUE;
    private long quota = Long.MAX_VALUE;
    private long endNanos;
    private boolean isKnown;
    /** Length of a window; 0: it is not known. */
    private long windowNanos;
    /** No counted call begins before this; a limit before the service may refuse calls, too. */
    private long heldUntilNanos = System.nanoTime();

    Pace(int requestsMax) {
        free = requestsMax;
    }

    /** Waits for one of the requests at a time. */
    void takeSlot(Cancel cancel) {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        lock.lock();
        try {
            if (free > 0) {
                free--;
                return;
            }
            waiting.add(turn);
        } finally {
            lock.unlock();
        }
        try {
            cancel.await(turn, Long.MAX_VALUE);
        } catch (TimeoutException | ExecutionException impossible) {
            throw new AssertionError("its only ends are a slot and a cancellation", impossible);
        } catch (CancelledException cancelled) {
            // The slot may have come at the same moment.
            if (!turn.cancel(false) && !turn.isCancelled()) giveSlot();
            throw cancelled;
        }
    }

    void giveSlot() {
        lock.lock();
        try {
            for (var next = waiting.poll(); next != null; next = waiting.poll()) {
                // One that was cancelled takes nothing.
                if (next.complete(null)) return;
            }
            free++;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a call off the window; false: the window has none, and ends within {@code nanosMax}.
     */
    boolean begin(long nanosMax) {
        lock.lock();
        try {
            long wait = waitNanos();
            if (wait > 0 && wait <= nanosMax) return false;
            // The first call of a window opens it, before an answer tells its end.
            if (!isKnown && windowNanos > 0) {
                isKnown = true;
                endNanos = System.nanoTime() + windowNanos;
            }
            left--;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Nanoseconds to the end of the window; a window that has ended is replaced by a fresh one. */
    private long rest() {
        long rest = isKnown ? endNanos - System.nanoTime() : 0;
        if (isKnown && rest <= 0) {
            isKnown = false;
            left = quota;
        }
        return rest;
    }

    private long waitNanos() {
        long rest = rest();
        return Math.max(left > 0 ? 0 : rest, heldUntilNanos - System.nanoTime());
    }

    /** Waits for the end of the window. */
    void await(Cancel cancel) {
        long rest;
        lock.lock();
        try {
            rest = waitNanos();
        } finally {
            lock.unlock();
        }
        if (rest > 0) cancel.sleep(rest);
    }

    /**
     * Learns from {@code RateLimit: "minute";r=0;t=34} and {@code RateLimit-Policy:
     * "minute";q=120;w=60}.
     */
    void learn(HttpHeaders headers) {
        String limit = headers.firstValue("ratelimit").orElse("");
        long calls = numberOf(LEFT, limit);
        long seconds = numberOf(SECONDS, limit);
        String policy = headers.firstValue("ratelimit-policy").orElse("");
        long most = numberOf(QUOTA, policy);
        long length = numberOf(LENGTH, policy);
        lock.lock();
        try {
            if (most > 0) quota = most;
            if (length > 0) windowNanos = length * 1_000_000_000L;
            if (calls < 0 || seconds < 0) return;
            rest();
            long end = System.nanoTime() + seconds * 1_000_000_000L;
            // Seconds are rounded: the next window may begin before the end that is known of the last.
            boolean isNext = isKnown && end - endNanos > 1_500_000_000L;
            left = isNext ? calls : Math.min(left, calls);
            isKnown = true;
            endNanos = end;
        } finally {
            lock.unlock();
        }
    }

    /** The key's limit refused a call: the window has none left. */
    void hold(Duration wait) {
        lock.lock();
        try {
            long end = System.nanoTime() + Arguments.nanosOf(wait);
            if (end - heldUntilNanos > 0) heldUntilNanos = end;
        } finally {
            lock.unlock();
        }
    }

    private static long numberOf(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? Long.parseLong(found.group(1)) : -1;
    }

    /**
     * {@code Retry-After}, in seconds or as a date (RFC 9110 §10.2.3); null: there is none, or it cannot
     * be read. A date is compared with that of the answer, so that clocks may differ.
     */
    static Duration retryAfter(HttpHeaders headers) {
        String text = headers.firstValue("retry-after").orElse("").strip();
        if (WAIT.matcher(text).matches()) {
            String digits = text.length() > WAIT_DIGITS_MAX ? "9".repeat(WAIT_DIGITS_MAX) : text;
            return Duration.ofSeconds(Long.parseLong(digits));
        }
        Instant end = dateOf(text);
        if (end == null) return null;
        Instant now = dateOf(headers.firstValue("date").orElse(""));
        Duration wait = Duration.between(now == null ? Instant.now() : now, end);
        return wait.isNegative() ? Duration.ZERO : wait;
    }

    private static Instant dateOf(String text) {
        try {
            return DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from);
        } catch (DateTimeException malformed) {
            return null;
        }
    }

    /**
     * The wait after the try of this number, from 1: doubled each time, with up to a half left out
     * by chance, so that callers that were refused together do not come back together.
     */
    static Duration backOff(int tries) {
        long most = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS << Math.min(tries - 1, 10));
        return Duration.ofMillis((long) (most * (0.5 + ThreadLocalRandom.current().nextDouble() / 2)));
    }
}
