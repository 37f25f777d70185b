package intaglio.client;

import java.util.Locale;
import java.util.Optional;

/**
 * What the SHA-256 of a file is compared with. A file with another one ends in {@link DigestException},
 * and nothing is kept of it.
 */
public final class Digest {
    /** With the {@code ETag} of the answer, where it has one that is a SHA-256. */
    static final Digest OF_ANSWER = new Digest(null, false);
    private static final Digest REQUIRED = new Digest(null, true);

    private final String expected;
    private final boolean isRequired;

    private Digest(String expected, boolean isRequired) {
        this.expected = expected;
        this.isRequired = isRequired;
    }

    /**
     * With a digest that you keep, such as {@code sha256()} of what {@link Intaglio#store} returned.
     *
     * @param digest 64 hexadecimal digits
     * @return what a download is given
     */
    public static Digest sha256(String digest) {
        return new Digest(Arguments.sha256(digest).toLowerCase(Locale.ROOT), true);
    }

    /**
     * With the {@code ETag} of the answer, which must have one: where a proxy drops it, the call ends in
     * {@link DigestException}.
     *
     * @return what a download is given
     */
    public static Digest required() {
        return REQUIRED;
    }

    Optional<String> expected() {
        return Optional.ofNullable(expected);
    }

    boolean isRequired() {
        return isRequired;
    }
}
