package intaglio.client;

/**
 * The base class of every failure of a call. No message holds the API key or the token of a link, nor
 * control characters. The messages of the service hold no data.
 */
public abstract class IntaglioException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    IntaglioException(String message, Throwable cause) {
        super(message, cause);
    }
}
