package intaglio.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One try until the head of its answer has come. It uses {@link HttpClient#send}, which an
 * interruption of the calling thread ends: at the time limit and at a cancellation another thread
 * interrupts it. The future of {@code sendAsync} could be cancelled without that, but it costs more
 * than twice the CPU: sending, reading and the result each run on another thread, and where the JDK
 * has one or two cores it starts a thread for each result (CompletableFuture's default executor).
 */
final class Opening implements HttpResponse.BodyHandler<Body> {
    private final Thread caller = Thread.currentThread();
    private Body body;
    private boolean isInterrupted;
    private boolean isOver;

    /** Throws {@link Body.Silent} when no head came in time. */
    HttpResponse<Body> send(HttpClient http, HttpRequest request, long nanosMax, Cancel cancel)
            throws IOException {
        cancel.check();
        // Not the time limit of HttpRequest: since JDK 26 it also ends the body.
        var timer = new CompletableFuture<Boolean>();
        timer.thenAccept(isLate -> interrupt(isLate));
        timer.completeOnTimeout(true, Math.min(nanosMax, cancel.leftNanos()), TimeUnit.NANOSECONDS);
        Cancel.Watch watched = cancel.watch(() -> interrupt(true));
        HttpResponse<Body> response = null;
        boolean isThrown = false;
        try {
            response = http.send(request, this);
            return response;
        } catch (InterruptedException interrupted) {
            isThrown = true;
        } catch (IOException failed) {
            // send() wraps what happened in another error of the same kind.
            throw new IOException(failed.getCause() instanceof IOException cause ? cause : failed);
        } catch (RuntimeException unreadable) {
            // HttpClient reads a Content-Length beyond 64 bits so, for one.
            throw new IOException("the head of the answer cannot be read", unreadable);
        } finally {
            watched.close();
            // Not cancel(): JDK 17 would keep the timer until its time.
            timer.complete(false);
            end(response != null, isThrown);
        }
        if (!wasInterrupted()) throw Cancel.interrupted();
        cancel.check();
        throw new Body.Silent();
    }

    @Override
    public synchronized Body apply(HttpResponse.ResponseInfo info) {
        body = new Body();
        if (isOver) body.close();
        return body;
    }

    /**
     * Interrupts the caller at most once. A second interruption could reach the caller after send()
     * has returned because of the first, and would then stay set.
     */
    private synchronized void interrupt(boolean isWanted) {
        if (!isWanted || isOver || isInterrupted) return;
        isInterrupted = true;
        caller.interrupt();
    }

    private synchronized boolean wasInterrupted() {
        return isInterrupted;
    }

    /**
     * From here on nobody interrupts the caller. An interruption that send() has not seen is taken
     * back, and nobody reads an answer that comes when its call has been given up.
     */
    private synchronized void end(boolean isTaken, boolean isThrown) {
        isOver = true;
        if (isInterrupted && !isThrown) Thread.interrupted();
        if (!isTaken && body != null) body.close();
    }
}
