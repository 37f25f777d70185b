package intaglio.client;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Cuts a file of rows into parts. The same file is always cut at the same places, so an interrupted
 * upload can resume. Memory does not grow with the file.
 */
final class RowFile implements AutoCloseable {
    /** Size of a part; the service takes 16 MB. */
    private static final int PART_BYTES = 8 << 20;
    /** A row has at most 1 MB, so one that ends no sooner is none. */
    private static final int ROW_BYTES_MAX = 4 << 20;
    private static final byte[] UTF_8_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final Path path;
    private final RowFormat format;
    private final Charset charset;
    private final InputStream file;
    /** The header of CSV, which every part begins with. */
    private byte[] header = {};
    private long line = 1;
    private boolean isAtEnd;

    /**
     * A part.
     *
     * @param rows whole rows in UTF-8; of CSV the header comes first
     * @param firstLine the line of the file on which the rows after the header begin
     */
    record Part(byte[] rows, long firstLine) {
    }

    RowFile(Path path, RowFormat format, Charset charset) {
        this.path = path;
        this.format = format;
        this.charset = charset;
        try {
            file = new BufferedInputStream(Files.newInputStream(path), 1 << 16);
            skipMark();
        } catch (IOException fault) {
            throw unreadable(fault);
        }
        if (format == RowFormat.CSV) {
            header = record();
            line += lineFeeds(header);
        }
    }

    private void skipMark() throws IOException {
        file.mark(UTF_8_MARK.length);
        if (!Arrays.equals(file.readNBytes(UTF_8_MARK.length), UTF_8_MARK)) file.reset();
    }

    /** The next part; null: there is none. */
    Part next() {
        var rows = new ByteArrayOutputStream();
        rows.writeBytes(header);
        long first = line;
        while (rows.size() < PART_BYTES && !isAtEnd) {
            byte[] record = record();
            rows.writeBytes(record);
            line += lineFeeds(record);
        }
        return rows.size() == header.length ? null : new Part(inUtf8(rows.toByteArray()), first);
    }

    /**
     * The bytes of a record with its line feed. One inside quotes belongs to the cell (RFC 4180).
     */
    private byte[] record() {
        var record = new ByteArrayOutputStream();
        boolean isQuoted = false;
        try {
            for (;;) {
                int next = file.read();
                if (next < 0) {
                    isAtEnd = true;
                    break;
                }
                record.write(next);
                if (next == '"') isQuoted ^= format == RowFormat.CSV;
                if (next == '\n' && !isQuoted) break;
                if (record.size() > ROW_BYTES_MAX) {
                    throw new FileException(path, "the row on line " + line + " does not end within 4 MB", null);
                }
            }
        } catch (IOException fault) {
            throw unreadable(fault);
        }
        return record.toByteArray();
    }

    private byte[] inUtf8(byte[] rows) {
        if (charset.equals(StandardCharsets.UTF_8)) return rows;
        try {
            String text = charset.newDecoder().decode(ByteBuffer.wrap(rows)).toString();
            return text.getBytes(StandardCharsets.UTF_8);
        } catch (CharacterCodingException malformed) {
            throw new FileException(path, "the file is no text in " + charset.name(), null);
        }
    }

    private static long lineFeeds(byte[] bytes) {
        long count = 0;
        for (byte one : bytes) if (one == '\n') count++;
        return count;
    }

    private FileException unreadable(IOException fault) {
        return new FileException(path, "the file cannot be read", fault);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException fault) {
            throw unreadable(fault);
        }
    }
}
