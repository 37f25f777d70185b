package intaglio.client;

import java.time.Duration;

/**
 * A try that failed and may be made again.
 *
 * @param refusal what the service answered; null: no whole answer came
 * @param lost why none came
 * @param cause of that
 * @param asked the time that the service asked to wait
 */
record Failed(ServiceException refusal, Lost.Reason lost, Throwable cause, Duration asked) {
    static Failed lost(Throwable cause) {
        return new Failed(null, Lost.reasonOf(cause), cause, Duration.ZERO);
    }

    static Failed refused(ServiceException refusal) {
        return new Failed(refusal, null, null, refusal.retryAfter().orElse(Duration.ZERO));
    }

    boolean isFinal() {
        return lost != null && lost.isFinal();
    }

    /** Whether the key has used up its calls of a window. */
    boolean isRateLimit() {
        return refusal != null && refusal.status() == 429;
    }

    /** What ends the call. */
    IntaglioException end(int sent, String origin, String why) {
        return lost == null
                ? new ServiceException(refusal, refusal.getMessage() + why)
                : new NoAnswerException(origin, lost.why() + why, sent, cause);
    }
}
