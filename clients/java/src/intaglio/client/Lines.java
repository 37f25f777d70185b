package intaglio.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The lines of an answer as they come in. */
final class Lines implements AutoCloseable {
    /** Longest line: a row of 1 MB has some 6 MB when all of it is escaped. */
    private static final int LINE_BYTES_MAX = 16 << 20;

    private final Answer answer;
    private final String origin;
    private ByteBuffer piece = ByteBuffer.allocate(0);

    Lines(Answer answer, String origin) {
        this.answer = answer;
        this.origin = origin;
    }

    /** The next line without its end; null: there is none. */
    String next() {
        var line = new ByteArrayOutputStream();
        try {
            for (; piece != null; piece = answer.next()) {
                while (piece.hasRemaining()) {
                    int length = untilLineFeed();
                    if (line.size() + length > LINE_BYTES_MAX) {
                        throw new BadAnswerException("a line of the answer is longer than any of the service");
                    }
                    var copy = new byte[length];
                    piece.get(copy);
                    line.writeBytes(copy);
                    if (piece.hasRemaining()) {
                        piece.get();
                        return textOf(line);
                    }
                }
            }
        } catch (IOException lost) {
            Throwable cause = lost.getCause() == null ? lost : lost.getCause();
            throw new NoAnswerException(origin, Lost.reasonOf(cause).why(), 1, cause);
        }
        return line.size() == 0 ? null : textOf(line);
    }

    /** Bytes of the piece before its first line feed, or all of them. */
    private int untilLineFeed() {
        for (int at = piece.position(); at < piece.limit(); at++) {
            if (piece.get(at) == '\n') return at - piece.position();
        }
        return piece.remaining();
    }

    private static String textOf(ByteArrayOutputStream line) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray())).toString();
        } catch (CharacterCodingException malformed) {
            throw new BadAnswerException("a line of the answer is no text in UTF-8; does a proxy answer?");
        }
    }

    @Override
    public void close() {
        answer.close();
    }
}
