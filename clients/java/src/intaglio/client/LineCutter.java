package intaglio.client;

import java.nio.ByteBuffer;
import java.util.function.Supplier;

/** Cuts a body that comes in pieces into lines of UTF-8. */
final class LineCutter implements AutoCloseable {
    /** Longest line: a row of 1 MB has some 6 MB when all of it is escaped. */
    static final int LINE_BYTES_MAX = 16 << 20;

    private final Supplier<Gathered> places;
    private Gathered line;

    /** {@code places}: where the bytes of a line are kept. */
    LineCutter(Supplier<Gathered> places) {
        this.places = places;
        this.line = places.get();
    }

    /** The next line that ends in the piece; null: none does, and the piece is used up. */
    String next(ByteBuffer piece) throws Gathered.Full {
        while (piece.hasRemaining()) {
            ByteBuffer taken = piece.slice(piece.position(), untilLineFeed(piece));
            piece.position(piece.position() + taken.remaining());
            String why = line.add(taken);
            if (why != null) throw new BadAnswerException("a line of the answer is not taken: " + why);
            if (piece.hasRemaining()) {
                piece.get();
                return take();
            }
        }
        return null;
    }

    /** Whether the last line has its end. */
    boolean isEnded() {
        return line.length() == 0;
    }

    /** The error of a list whose last line has none. */
    static BadAnswerException cutOff() {
        return new BadAnswerException("the list was cut off within a line");
    }

    private String take() {
        String text = line.text();
        line.close();
        line = places.get();
        if (text != null) return text;
        throw new BadAnswerException("a line of the answer is no text in UTF-8; does a proxy answer?");
    }

    /** Bytes of the piece before its first line feed, or all of them. */
    private static int untilLineFeed(ByteBuffer piece) {
        for (int at = piece.position(); at < piece.limit(); at++) {
            if (piece.get(at) == '\n') return at - piece.position();
        }
        return piece.remaining();
    }

    @Override
    public void close() {
        line.close();
    }
}
