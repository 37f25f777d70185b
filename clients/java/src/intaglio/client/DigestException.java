package intaglio.client;

/** A file that arrived has another SHA-256 than the stored document. Nothing was kept of it. */
public final class DigestException extends IntaglioException {
    private static final long serialVersionUID = 1L;

    /** SHA-256 of the stored document. */
    private final String expected;
    /** SHA-256 of what arrived. */
    private final String actual;

    DigestException(String expected, String actual) {
        super("the file has the SHA-256 " + actual + ", and the document " + expected, null);
        this.expected = expected;
        this.actual = actual;
    }

    /**
     * SHA-256 of the stored document.
     *
     * @return 64 hexadecimal digits
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
