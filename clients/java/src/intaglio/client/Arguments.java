package intaglio.client;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;

/** Checks what callers pass, so that what cannot be sent ends the call before anything is sent. */
final class Arguments {
    /** Longer times count as this one, 146 years: sums of two of them fit a long. */
    private static final long NANOS_MAX = Long.MAX_VALUE / 4;
    private static final int PORT_MAX = 65_535;
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,1000}");
    private static final Pattern IDEMPOTENCY_KEY = Pattern.compile("[\\x20-\\x7e]{1,255}");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-fA-F]{64}");

    private Arguments() {
    }

    static <T> T notNull(T value, String name) {
        if (value == null) throw new InvalidArgumentException(name, "must not be null");
        return value;
    }

    static int atLeastOne(int count, String name) {
        if (count < 1) throw new InvalidArgumentException(name, "must be at least 1");
        return count;
    }

    /** A time from zero on. */
    static Duration time(Duration time, String name) {
        if (notNull(time, name).isNegative()) throw new InvalidArgumentException(name, "must not be negative");
        return time;
    }

    /** The nanoseconds of a time; {@link Duration#toNanos} throws beyond 292 years. */
    static long nanosOf(Duration time) {
        long secondsMax = NANOS_MAX / 1_000_000_000L;
        if (time.getSeconds() >= secondsMax) return NANOS_MAX;
        if (time.getSeconds() <= -secondsMax) return -NANOS_MAX;
        return time.toNanos();
    }

    static String apiKey(String key) {
        if (KEY.matcher(notNull(key, "apiKey")).matches()) return key;
        throw new InvalidArgumentException(
                "apiKey", "must be printable ASCII without blanks and line ends, as the service gave it");
    }

    static String idempotencyKey(String key) {
        if (IDEMPOTENCY_KEY.matcher(notNull(key, "idempotencyKey")).matches()) return key;
        throw new InvalidArgumentException("idempotencyKey", "must be 1 to 255 printable ASCII characters");
    }

    static String sha256(String digest) {
        if (SHA256.matcher(notNull(digest, "sha256")).matches()) return digest;
        throw new InvalidArgumentException("sha256", "must be 64 hexadecimal digits");
    }

    /** The reference that is printed on a document. */
    static String reference(String reference) {
        if (!text(reference, "reference").isEmpty()) return reference;
        throw new InvalidArgumentException("reference", "must not be empty");
    }

    /** An identifier that becomes a part of a path. */
    static String id(String id, String name) {
        String text = text(id, name);
        if (text.isBlank() || text.equals(".") || text.equals("..")) {
            throw new InvalidArgumentException(name, "must be an identifier of the service");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidArgumentException(name, "must not have control characters");
        }
        return text;
    }

    /** A path that names a file. */
    static Path file(Path path) {
        Path name = notNull(path, "path").getFileName();
        if (name != null && !name.toString().isEmpty()) return path;
        throw new InvalidArgumentException("path", "must name a file");
    }

    /** The file that a call is to write: what is there and is no file, such as a device, stays. */
    static void target(Path path) {
        if (!Files.exists(file(path)) || Files.isRegularFile(path)) return;
        String kind = Files.isDirectory(path) ? "a folder" : "a device, a pipe or a socket";
        throw new FileException(path, "it cannot be written, as it is " + kind + ", not a file", null);
    }

    /** A text that has a form in UTF-8. */
    static String text(String text, String name) {
        if (unpairedIndex(notNull(text, name)) < 0) return text;
        throw new InvalidArgumentException(name, "has half of a surrogate pair, which UTF-8 does not have");
    }

    /** Where half of a surrogate pair stands alone; -1: nowhere. */
    static int unpairedIndex(CharSequence text) {
        for (int index = 0; index < text.length(); index++) {
            char unit = text.charAt(index);
            if (!Character.isSurrogate(unit)) continue;
            boolean isPair = Character.isHighSurrogate(unit)
                    && index + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(index + 1));
            if (!isPair) return index;
            index++;
        }
        return -1;
    }

    /** An address of HTTP. The message holds nothing of it: a link is a secret. */
    static URI address(String address, String name) {
        URI uri = null;
        try {
            uri = URI.create(notNull(address, name));
        } catch (IllegalArgumentException malformed) {
            // Its message holds the address.
        }
        boolean isHttp = uri != null
                && ("http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme()));
        if (!isHttp) {
            throw new InvalidArgumentException(
                    name, "must be an address that begins with http:// or https://");
        }
        // URI takes names with an underscore for no host, and so does HttpClient.
        if (uri.getHost() == null || uri.getPort() == 0 || uri.getPort() > PORT_MAX) {
            throw new InvalidArgumentException(
                    name, "must have a host of letters, digits, hyphens and dots, and a port up to " + PORT_MAX);
        }
        return uri;
    }

    /** The address of a service, without slashes at its end. */
    static String serviceAddress(String address) {
        URI uri = address(address, "url");
        if (uri.getRawQuery() != null || uri.getRawFragment() != null || uri.getRawUserInfo() != null) {
            throw new InvalidArgumentException("url", "must have no ?, no # and no name or password");
        }
        int end = address.length();
        while (address.charAt(end - 1) == '/') end--;
        return address.substring(0, end);
    }
}
