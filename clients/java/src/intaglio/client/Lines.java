package intaglio.client;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The lines of an answer as they come in. */
final class Lines implements AutoCloseable {
    private final Answer answer;
    private final Transport transport;
    private final String origin;
    private final boolean isList;
    private final LineCutter cutter;
    private ByteBuffer piece = ByteBuffer.allocate(0);

    /** {@code isList}: its last line has an end; events that have none are left out. */
    Lines(Answer answer, Transport transport, String origin, boolean isList) {
        this.answer = answer;
        this.transport = transport;
        this.origin = origin;
        this.isList = isList;
        this.cutter = new LineCutter(() -> transport.gathering(LineCutter.LINE_BYTES_MAX, 2));
    }

    /** The next line without its end; null: there is none. */
    String next() {
        try {
            for (; piece != null; piece = answer.next()) {
                String line = cutter.next(piece);
                if (line != null) return line;
            }
        } catch (IOException lost) {
            throw transport.lost(lost, origin, 1);
        }
        if (isList && !cutter.isEnded()) throw LineCutter.cutOff();
        return null;
    }

    @Override
    public void close() {
        cutter.close();
        answer.close();
    }
}
