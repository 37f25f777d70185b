package intaglio.client;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ends the calls it is given to by {@link Intaglio#with(Cancel)}: from any thread, or after a time
 * limit. Waits and requests under way end with {@link CancelledException}. It can be given to any
 * number of calls.
 */
public final class Cancel {
    private static final String ENDED = "the call was cancelled, or took longer than its limit";
    /** For calls that have none. Nobody can cancel it. */
    static final Cancel NEVER = new Cancel();

    private final Set<Runnable> actions = ConcurrentHashMap.newKeySet();
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final long endNanos;
    private final boolean isLimited;

    /** Without a time limit. */
    public Cancel() {
        this.isLimited = false;
        this.endNanos = 0;
    }

    private Cancel(Duration limit) {
        this.isLimited = true;
        this.endNanos = System.nanoTime() + Arguments.nanosOf(limit);
    }

    /**
     * A time limit, which runs from now on, also for calls that begin later.
     *
     * @param limit the time that the calls have
     * @return a cancellation at that time
     */
    public static Cancel after(Duration limit) {
        return new Cancel(Arguments.notNull(limit, "limit"));
    }

    /** Ends all calls it was given to, and those that follow. */
    public void cancel() {
        cancelled.countDown();
        actions.forEach(Runnable::run);
    }

    /**
     * Whether its calls have ended.
     *
     * @return true after {@link #cancel()} or the time limit
     */
    public boolean isCancelled() {
        return cancelled.getCount() == 0 || leftNanos() <= 0;
    }

    long leftNanos() {
        return isLimited ? endNanos - System.nanoTime() : Long.MAX_VALUE;
    }

    void check() {
        if (isCancelled()) throw new CancelledException(ENDED);
        if (Thread.currentThread().isInterrupted()) throw interrupted();
    }

    /** The thread stays interrupted, for its owner to see. */
    static CancelledException interrupted() {
        Thread.currentThread().interrupt();
        return new CancelledException("the thread was interrupted");
    }

    /**
     * Runs the action at {@link #cancel()}, at once if that came before, until the result is
     * closed.
     */
    Watch watch(Runnable action) {
        if (this == NEVER) return () -> { };
        actions.add(action);
        if (cancelled.getCount() == 0) action.run();
        return () -> actions.remove(action);
    }

    /** Waits, or throws CancelledException. */
    void sleep(long nanos) {
        try {
            cancelled.await(Math.min(nanos, leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            throw interrupted();
        }
        check();
    }

    /**
     * The result of the future, which is cancelled when this call, its time or this Cancel ends.
     */
    <T> T await(CompletableFuture<T> future, long nanos) throws TimeoutException, ExecutionException {
        check();
        Watch watched = watch(() -> future.cancel(true));
        try {
            return future.get(Math.min(nanos, leftNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            future.cancel(true);
            check();
            throw late;
        } catch (InterruptedException interrupted) {
            future.cancel(true);
            throw interrupted();
        } catch (CancellationException ended) {
            throw new CancelledException(ENDED);
        } finally {
            watched.close();
        }
    }

    interface Watch extends AutoCloseable {
        @Override
        void close();
    }
}
