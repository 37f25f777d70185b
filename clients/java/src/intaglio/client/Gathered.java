package intaglio.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;

/** Bytes of a body that is kept in memory, up to a bound. Pieces of any size cost what they hold. */
final class Gathered implements AutoCloseable {
    private static final int CHUNK_BYTES_MAX = 1 << 20;
    /** Bodies up to this size are not counted. */
    private static final int SMALL_BYTES = 1 << 20;

    private final Memory memory;
    private final int bytesMax;
    private final String advice;
    private final ArrayDeque<byte[]> full = new ArrayDeque<>();
    private byte[] last = {};
    private int lastLength;
    private int length;
    private long taken;

    /** {@code advice}: what the caller can do about a body that is longer. */
    Gathered(Memory memory, int bytesMax, String advice) {
        this.memory = memory;
        this.bytesMax = bytesMax;
        this.advice = advice;
    }

    /** What all bodies of a client may take together. */
    static final class Memory {
        private final AtomicLong free;

        Memory(long bytesMax) {
            free = new AtomicLong(bytesMax);
        }

        /** Half of what the JVM may use. */
        static Memory ofThisMachine() {
            return new Memory(Runtime.getRuntime().maxMemory() / 2);
        }

        private boolean take(long bytes) {
            if (free.addAndGet(-bytes) >= 0) return true;
            free.addAndGet(bytes);
            return false;
        }

        private void give(long bytes) {
            free.addAndGet(bytes);
        }
    }

    /**
     * Other bodies have the memory. The call gives back what it has and is made again later, so that
     * calls never wait for each other's memory.
     */
    static final class Full extends IOException {
        private static final long serialVersionUID = 1L;
    }

    int length() {
        return length;
    }

    /** Takes the bytes of the piece; returns null, or why they are too many. */
    String add(ByteBuffer piece) throws Full {
        if (piece.remaining() > bytesMax - length) {
            return "it is longer than " + bytesMax + " bytes" + advice;
        }
        length += piece.remaining();
        while (piece.hasRemaining()) {
            if (lastLength == last.length) grow(piece.remaining());
            int count = Math.min(piece.remaining(), last.length - lastLength);
            piece.get(last, lastLength, count);
            lastLength += count;
        }
        return null;
    }

    private void grow(int wanted) throws Full {
        int size = Math.min(CHUNK_BYTES_MAX, Math.max(wanted, Math.max(128, 2 * last.length)));
        // The array of the whole needs as much again.
        if (length > SMALL_BYTES) {
            if (!memory.take(2L * size)) throw new Full();
            taken += 2L * size;
        }
        if (last.length > 0) full.add(last);
        last = new byte[size];
        lastLength = 0;
    }

    /** The whole; it can be taken once. */
    byte[] bytes() {
        var made = new byte[length];
        int at = 0;
        for (byte[] chunk = full.poll(); chunk != null; chunk = full.poll()) {
            System.arraycopy(chunk, 0, made, at, chunk.length);
            at += chunk.length;
        }
        System.arraycopy(last, 0, made, at, lastLength);
        last = new byte[0];
        return made;
    }

    /** The whole in UTF-8; null: it is no such text. */
    String text() {
        byte[] bytes = bytes();
        var text = new String(bytes, StandardCharsets.UTF_8);
        // It replaces what is malformed.
        return text.indexOf('\ufffd') < 0 || isUtf8(bytes) ? text : null;
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException malformed) {
            return false;
        }
    }

    @Override
    public void close() {
        memory.give(taken);
        taken = 0;
    }
}
