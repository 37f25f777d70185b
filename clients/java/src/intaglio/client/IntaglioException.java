package intaglio.client;

/** The base class of every failure of a call. No message holds data, keys or passwords. */
public abstract class IntaglioException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    IntaglioException(String message, Throwable cause) {
        super(message, cause);
    }
}
