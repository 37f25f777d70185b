package intaglio.client;

/** No whole answer came, however often the request was sent. */
public final class NoAnswerException extends IntaglioException {
    private static final long serialVersionUID = 1L;

    /** How often the request was sent. */
    private final int tries;

    NoAnswerException(String origin, String why, int tries, Throwable cause) {
        super("no answer from " + origin + " after " + Words.tries(tries) + ": " + why, cause);
        this.tries = tries;
    }

    /**
     * How often the request was sent.
     *
     * @return the number of tries, from 1
     */
    public int tries() {
        return tries;
    }
}
