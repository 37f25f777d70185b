package intaglio.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes a body for a file only if it is one, whole and with its digest. */
final class WholeFile {
    /** The mark of the end stands within this many bytes of it. */
    private static final int END_BYTES = 1_024;
    /**
     * A stored document's ETag is its SHA-256; other answers have none. A proxy that compresses
     * makes a weak tag of it (RFC 9110 §8.8.1), or adds the name of its coding: the bytes are the same
     * once they are unpacked.
     */
    private static final Pattern TAG =
            Pattern.compile("(?:W/)?\"?([0-9a-fA-F]{64})(?:[-;+.:](?:gzip|br|deflate|zstd|df))?\"?");

    private WholeFile() {
    }

    /** How a file says what it is: its media type, its first bytes, and bytes near its end. */
    enum Kind {
        /** ISO 32000-2 §7.5.2 and §7.5.5. */
        PDF("PDF", "application/pdf", "%PDF-", "%%EOF"),
        /** The record that ends the directory of a ZIP archive (APPNOTE 4.3.16). */
        ZIP("ZIP archive", "application/zip", "PK", "PK\5\6"),
        /** Each line is checked. */
        MANIFEST("manifest", "application/x-ndjson", "", "");

        final String title;
        final String type;
        final String first;
        final String last;

        Kind(String title, String type, String first, String last) {
            this.title = title;
            this.type = type;
            this.first = first;
            this.last = last;
        }
    }

    static Pdf readPdf(Answer answer, Digest wanted, Gathered gathered) throws IOException {
        try (gathered) {
            Seen seen = copy(answer, Kind.PDF, wanted, piece -> {
                String why = gathered.add(piece);
                if (why != null) throw new NoDocumentException("the PDF is not taken: " + why);
            });
            return new Pdf(gathered.bytes(), seen.sha256, answer.header("x-request-id"), seen.isVerified);
        }
    }

    /**
     * Writes a body beside {@code path}, readable by the owner alone, and renames it when it is
     * whole and has its digest, so that a reader of {@code path} never finds a part. A failure
     * leaves nothing behind.
     */
    static WrittenFile write(Answer answer, Kind kind, Digest wanted, Path path, LineCutter lines)
            throws IOException {
        Path partial = path.resolveSibling(path.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            Seen seen;
            long[] count = {0};
            try (FileChannel file = create(partial)) {
                seen = copy(answer, kind, wanted, piece -> {
                    count[0] += piece.remaining();
                    if (kind == Kind.MANIFEST) checkRows(lines, piece.duplicate());
                    write(file, piece, path);
                });
            } catch (Unwritable fault) {
                throw fault.told;
            }
            if (!lines.isEnded()) throw new NoDocumentException(LineCutter.cutOff().getMessage());
            move(partial, path);
            return new WrittenFile(path, count[0], seen.sha256, answer.header("x-request-id"), seen.isVerified);
        } finally {
            remove(partial);
        }
    }

    private static void checkRows(LineCutter lines, ByteBuffer piece) throws IOException {
        try {
            for (String line = lines.next(piece); line != null; line = lines.next(piece)) {
                RowKind.MANIFEST.read(line);
            }
        } catch (BadAnswerException fault) {
            throw new NoDocumentException(fault.getMessage());
        }
    }

    /** What is known of a whole file. */
    private record Seen(String sha256, boolean isVerified) {
    }

    private interface Sink {
        void take(ByteBuffer piece) throws IOException;
    }

    /** A fault of the disk, which is an IOException beside those of the connection. */
    private static final class Unwritable extends IOException {
        private static final long serialVersionUID = 1L;
        private final transient FileException told;

        Unwritable(FileException told) {
            this.told = told;
        }
    }

    /** Gives the bytes of a whole file to the sink. */
    private static Seen copy(Answer answer, Kind kind, Digest wanted, Sink sink) throws IOException {
        // 206 is a part that nobody asked for.
        if (answer.status() != 200) {
            throw new NoDocumentException("status " + answer.status() + " is not that of a whole " + kind.title
                    + "; does a proxy answer?");
        }
        MessageDigest digest = sha256();
        boolean isKind = Heads.isOfType(answer.headers(), kind.type);
        byte[] begin = {};
        byte[] end = {};
        for (ByteBuffer piece = isKind ? answer.next() : null; piece != null; piece = answer.next()) {
            int missing = Math.min(kind.first.length() - begin.length, piece.remaining());
            begin = joined(begin, piece.duplicate().limit(piece.position() + missing), kind.first.length());
            if (!kind.first.startsWith(textOf(begin))) break;
            end = joined(end, piece, END_BYTES);
            digest.update(piece.duplicate());
            sink.take(piece);
        }
        if (!isKind || !textOf(begin).equals(kind.first)) {
            throw new NoDocumentException("the answer is no " + kind.title + "; does a proxy answer?");
        }
        checkEnd(kind, textOf(end));
        return compared(HexFormat.of().formatHex(digest.digest()), answer.header("etag"), wanted);
    }

    private static void checkEnd(Kind kind, String end) {
        int at = end.lastIndexOf(kind.last);
        if (at < 0) throw new NoDocumentException("the " + kind.title + " was cut off");
        // The end of an archive has a length and a comment; other bytes behind a PDF are no part of it.
        if (kind == Kind.PDF && !end.substring(at + kind.last.length()).isBlank()) {
            throw new NoDocumentException("the PDF goes on behind its end; does a proxy add something?");
        }
    }

    private static Seen compared(String actual, String tag, Digest wanted) {
        String given = wanted.expected().orElse(null);
        if (given != null && !given.equals(actual)) throw DigestException.other(given, actual);
        Matcher told = TAG.matcher(tag);
        boolean isTold = told.matches();
        if (given == null && isTold && !told.group(1).equalsIgnoreCase(actual)) {
            throw DigestException.other(told.group(1).toLowerCase(Locale.ROOT), actual);
        }
        if (given == null && !isTold && wanted.isRequired()) throw DigestException.missing(actual);
        return new Seen(actual, given != null || isTold);
    }

    /** The last bytes of both; the piece stays as it is. */
    private static byte[] joined(byte[] before, ByteBuffer piece, int bytesMax) {
        int taken = Math.min(piece.remaining(), bytesMax);
        int kept = Math.min(before.length, bytesMax - taken);
        var joined = new byte[kept + taken];
        System.arraycopy(before, before.length - kept, joined, 0, kept);
        piece.duplicate().position(piece.limit() - taken).get(joined, kept, taken);
        return joined;
    }

    private static String textOf(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every JDK has SHA-256", impossible);
        }
    }

    private static FileChannel create(Path partial) {
        boolean isPosix = partial.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes = isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        try {
            return FileChannel.open(
                    partial, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), attributes);
        } catch (IOException fault) {
            throw new FileException(partial, "the file cannot be made", fault);
        }
    }

    private static void write(FileChannel file, ByteBuffer piece, Path path) throws Unwritable {
        try {
            while (piece.hasRemaining()) file.write(piece);
        } catch (IOException fault) {
            // An interrupted thread has its channel closed.
            if (Thread.currentThread().isInterrupted()) throw Cancel.interrupted();
            throw new Unwritable(new FileException(path, "the file cannot be written", fault));
        }
    }

    private static void move(Path partial, Path path) {
        try {
            Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException fault) {
            throw new FileException(path, "the file cannot be put in its place", fault);
        }
    }

    private static void remove(Path partial) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException fault) {
            throw new FileException(partial, "the partial file cannot be removed", fault);
        }
    }

    /** SHA-256 of a file of this machine, read in pieces. */
    static String digestOf(Path path) {
        MessageDigest digest = sha256();
        try (var file = Files.newInputStream(path)) {
            var buffer = new byte[1 << 16];
            for (int count = file.read(buffer); count >= 0; count = file.read(buffer)) {
                digest.update(buffer, 0, count);
            }
        } catch (IOException fault) {
            throw new FileException(path, "the file cannot be read", fault);
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
