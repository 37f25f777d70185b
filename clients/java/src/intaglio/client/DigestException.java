package intaglio.client;

/**
 * A file that arrived has another SHA-256 than the stored document, or one was demanded and the answer
 * has none to compare with. Nothing was kept of it.
 */
public final class DigestException extends IntaglioException {
    private static final long serialVersionUID = 1L;

    /** SHA-256 of the stored document. */
    private final String expected;
    /** SHA-256 of what arrived. */
    private final String actual;

    private DigestException(String message, String expected, String actual) {
        super(message, null);
        this.expected = expected;
        this.actual = actual;
    }

    static DigestException other(String expected, String actual) {
        String message = "the file has the SHA-256 " + actual + ", and the document " + expected;
        return new DigestException(message, expected, actual);
    }

    static DigestException missing(String actual) {
        return new DigestException("the answer has no ETag with the SHA-256 of the document, so that the file"
                + " cannot be compared: give its digest by Digest.sha256; does a proxy drop it?", "", actual);
    }

    /**
     * SHA-256 of the stored document.
     *
     * @return 64 hexadecimal digits; empty when the answer has none
     */
    public String expected() {
        return expected;
    }

    /**
     * SHA-256 of what arrived.
     *
     * @return 64 hexadecimal digits
     */
    public String actual() {
        return actual;
    }
}
