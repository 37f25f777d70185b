package intaglio.client;

/**
 * An answer with a status of success is not the service's JSON, or is larger than any answer of the
 * service: it may come from a proxy. The message quotes nothing from it.
 */
public final class BadAnswerException extends IntaglioException {
    private static final long serialVersionUID = 1L;

    BadAnswerException(String message) {
        super(message, null);
    }
}
