package intaglio.client;

/**
 * An argument of the call cannot be sent: it is null, not finite, too long, or no text in UTF-8. Nothing
 * was sent. The message repeats nothing of the value.
 */
public final class InvalidArgumentException extends IntaglioException {
    private static final long serialVersionUID = 1L;

    /** Its name or place. */
    private final String argument;

    InvalidArgumentException(String argument, String why) {
        super(argument + " " + why, null);
        this.argument = argument;
    }

    /**
     * Which argument it is.
     *
     * @return its name, or the place of a value in it, such as {@code data.lines[2].amount}
     */
    public String argument() {
        return argument;
    }
}
