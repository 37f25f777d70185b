package intaglio.client;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The body of a response as the caller's thread reads it. The stream of the JDK waits without a
 * limit, and its ready-made handlers read without a bound; this one does neither. At most {@link
 * #AHEAD} pieces of 16 KB are read ahead.
 */
final class Body implements HttpResponse.BodySubscriber<Body>, AutoCloseable {
    private static final int AHEAD = 8;
    private static final Object END = new Object();

    /** Lists of buffers, then {@link #END} or the error that ended the body. */
    private final LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();
    private final Queue<ByteBuffer> ready = new ArrayDeque<>();
    private volatile Flow.Subscription subscription;
    private volatile boolean isClosed;
    private boolean isAtEnd;

    @Override
    public CompletionStage<Body> getBody() {
        return CompletableFuture.completedStage(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        if (isClosed) given.cancel();
        else given.request(AHEAD);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        queue.add(buffers);
    }

    @Override
    public void onError(Throwable error) {
        queue.add(error);
    }

    @Override
    public void onComplete() {
        queue.add(END);
    }

    /**
     * The next bytes; null at the end. Throws IOException when the body breaks off or is silent.
     */
    ByteBuffer next(Duration silenceMax, Cancel cancel) throws IOException {
        while (ready.isEmpty()) {
            if (isAtEnd) return null;
            cancel.check();
            Object item = take(Math.min(Arguments.nanosOf(silenceMax), cancel.leftNanos()));
            cancel.check();
            if (item == null) throw new Silent();
            if (item == END) {
                isAtEnd = true;
            } else if (item instanceof Throwable error) {
                throw new IOException(error);
            } else {
                subscription.request(1);
                // The publisher gives lists of buffers, and the queue has nothing else.
                for (Object buffer : (List<?>) item) ready.add((ByteBuffer) buffer);
            }
        }
        return ready.remove();
    }

    private Object take(long nanos) {
        try {
            return queue.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            throw Cancel.interrupted();
        }
    }

    /** Ends the request, unless its body was read to the end: then its connection is used again. */
    @Override
    public void close() {
        isClosed = true;
        Flow.Subscription given = subscription;
        if (given != null) given.cancel();
        // Wakes a reader, which then finds its call cancelled.
        queue.add(END);
    }

    /** Nothing came for too long. */
    static final class Silent extends IOException {
        private static final long serialVersionUID = 1L;
    }
}
