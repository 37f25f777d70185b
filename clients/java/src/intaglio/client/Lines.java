package intaglio.client;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The lines of an answer as they come in. */
final class Lines implements AutoCloseable {
    /** Longest line: a row of 1 MB has some 6 MB when all of it is escaped. */
    private static final int LINE_BYTES_MAX = 16 << 20;

    private final Answer answer;
    private final Transport transport;
    private final String origin;
    private ByteBuffer piece = ByteBuffer.allocate(0);

    Lines(Answer answer, Transport transport, String origin) {
        this.answer = answer;
        this.transport = transport;
        this.origin = origin;
    }

    /** The next line without its end; null: there is none. */
    String next() {
        try (Gathered line = transport.gathering(LINE_BYTES_MAX, 2)) {
            for (; piece != null; piece = answer.next()) {
                while (piece.hasRemaining()) {
                    ByteBuffer taken = piece.slice(piece.position(), untilLineFeed());
                    piece.position(piece.position() + taken.remaining());
                    String why = line.add(taken);
                    if (why != null) throw new BadAnswerException("a line of the answer is not taken: " + why);
                    if (piece.hasRemaining()) {
                        piece.get();
                        return textOf(line);
                    }
                }
            }
            return line.length() == 0 ? null : textOf(line);
        } catch (IOException lost) {
            throw transport.lost(lost, origin, 1);
        }
    }

    /** Bytes of the piece before its first line feed, or all of them. */
    private int untilLineFeed() {
        for (int at = piece.position(); at < piece.limit(); at++) {
            if (piece.get(at) == '\n') return at - piece.position();
        }
        return piece.remaining();
    }

    private static String textOf(Gathered line) {
        String text = line.text();
        if (text != null) return text;
        throw new BadAnswerException("a line of the answer is no text in UTF-8; does a proxy answer?");
    }

    @Override
    public void close() {
        answer.close();
    }
}
