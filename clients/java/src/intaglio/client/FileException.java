package intaglio.client;

import java.nio.file.Path;

/** A file on this machine could not be read or written: its disk is full, or access is denied. */
public final class FileException extends IntaglioException {
    private static final long serialVersionUID = 1L;

    FileException(Path path, String why, Throwable cause) {
        super(Words.shown(path.toString(), 500, Secrets.NONE) + ": " + why, cause);
    }
}
