package intaglio.client;

/** {@code data} does not match the field contract: {@link #fields()} lists every defect. */
public final class InvalidDataException extends ServiceException {
    private static final long serialVersionUID = 1L;

    InvalidDataException(ServiceException refused) {
        super(refused, refused.getMessage());
    }
}
