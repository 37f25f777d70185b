package intaglio.client;

import java.time.Duration;

/**
 * How long a call may go on: decides after each failed try whether another one follows, and when. Not
 * before the service asked for it, and never sooner than the client's own back-off.
 */
final class Patience {
    private final Transport.Limits limits;
    /** Whether the call waits for windows of the key's rate limit. */
    private final boolean isPaced;
    /** Tries that count, without refusals by the key's rate limit; and those alone. */
    private int tries;
    private int refusals;
    /** No try begins later; waits for windows of the key's rate limit put it off. */
    private long endNanos;

    Patience(Transport.Limits limits, boolean isPaced) {
        this.limits = limits;
        this.isPaced = isPaced;
        this.endNanos = System.nanoTime() + Arguments.nanosOf(limits.retryMax());
    }

    /** Time that was spent on a window of the key's rate limit. */
    void putOff(long nanos) {
        endNanos += nanos;
    }

    /** How often the request was sent. */
    int sent() {
        return tries + refusals;
    }

    /**
     * The nanoseconds to the next try. Throws what ends the call.
     *
     * @param failed the try
     * @param origin scheme, host and port, for the message
     */
    long next(Failed failed, String origin) {
        boolean isWindow = isPaced && failed.isRateLimit();
        int count = isWindow ? ++refusals : ++tries;
        if (failed.isFinal()) throw failed.end(sent(), origin, "");
        long most = Arguments.nanosOf(limits.retryMax());
        long left = Math.max(0, endNanos - System.nanoTime());
        long asked = Arguments.nanosOf(failed.asked());
        if (asked > (isWindow ? most : left)) throw failed.end(sent(), origin, tooLong(failed.asked(), most, left));
        if (count >= limits.triesMax()) {
            throw failed.end(sent(), origin, givenUp("triesMax allows no more"));
        }
        long wait = Math.max(asked, Arguments.nanosOf(Pace.backOff(count)));
        // The end of a window is waited for whatever the time is, its back-off is not.
        if (isWindow) endNanos += asked;
        if (wait > endNanos - System.nanoTime()) {
            throw failed.end(sent(), origin, givenUp("retryMax of " + seconds(most) + " allows no more"));
        }
        return wait;
    }

    private String givenUp(String why) {
        return "; given up after " + Words.tries(sent()) + ": " + why;
    }

    private static String tooLong(Duration asked, long most, long left) {
        String rest = left < most - 1_000_000_000L ? ", of which " + seconds(left) + " are left" : "";
        return "; the service asks to wait " + asked.toSeconds() + " s; retryMax allows " + seconds(most) + rest;
    }

    /** Whole seconds; shorter times with their milliseconds. */
    private static String seconds(long nanos) {
        long millis = nanos / 1_000_000;
        return millis >= 10_000 || millis % 1_000 == 0 ? millis / 1_000 + " s" : millis / 1_000.0 + " s";
    }
}
