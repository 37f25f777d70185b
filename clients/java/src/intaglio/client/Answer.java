package intaglio.client;

import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;

/** An answer whose body is still to be read, by the thread that called. */
final class Answer implements AutoCloseable {
    private final HttpResponse<Body> response;
    private final Duration silenceMax;
    private final Cancel cancel;
    private final Cancel.Watch watched;

    Answer(HttpResponse<Body> response, Duration silenceMax, Cancel cancel) {
        this.response = response;
        this.silenceMax = silenceMax;
        this.cancel = cancel;
        this.watched = cancel.watch(response.body()::close);
    }

    int status() {
        return response.statusCode();
    }

    HttpHeaders headers() {
        return response.headers();
    }

    String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** The next bytes; null at the end. */
    ByteBuffer next() throws IOException {
        return response.body().next(silenceMax, cancel);
    }

    /** Reads the whole body; returns null, or why there is no place for it. */
    String gather(Gathered gathered) throws IOException {
        for (ByteBuffer piece = next(); piece != null; piece = next()) {
            String why = gathered.add(piece);
            if (why != null) return why;
        }
        return null;
    }

    /**
     * Reads the whole body; false: there is no place for it, or it breaks off, goes on or is silent for too
     * long.
     */
    boolean gatherInTime(Gathered gathered, Duration most) throws IOException {
        long end = System.nanoTime() + Arguments.nanosOf(most);
        try {
            for (ByteBuffer piece = next(); piece != null; piece = next()) {
                if (gathered.add(piece) != null || System.nanoTime() - end > 0) return false;
            }
            return true;
        } catch (IOException lost) {
            return false;
        }
    }

    @Override
    public void close() {
        watched.close();
        response.body().close();
    }
}
