package intaglio.client;

/**
 * An answer with a status of success holds no whole PDF or archive: a proxy may have answered, or
 * the body broke off. Nothing was kept of it.
 */
public final class NoDocumentException extends IntaglioException {
    private static final long serialVersionUID = 1L;

    NoDocumentException(String message) {
        super(message, null);
    }
}
