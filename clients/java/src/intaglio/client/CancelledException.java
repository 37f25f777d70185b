package intaglio.client;

/** The call's {@link Cancel} or its time limit ended it, or its thread was interrupted. */
public final class CancelledException extends IntaglioException {
    private static final long serialVersionUID = 1L;

    CancelledException(String message) {
        super(message, null);
    }
}
