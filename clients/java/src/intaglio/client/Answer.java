package intaglio.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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

    /** The whole body in UTF-8; null: it has more bytes, or is no such text. */
    String text(int bytesMax) throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (ByteBuffer piece = next(); piece != null; piece = next()) {
            if (piece.remaining() > bytesMax - bytes.size()) return null;
            // The buffers of the JDK are read-only: they have no array.
            var copy = new byte[piece.remaining()];
            piece.get(copy);
            bytes.writeBytes(copy);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException malformed) {
            return null;
        }
    }

    @Override
    public void close() {
        watched.close();
        response.body().close();
    }
}
