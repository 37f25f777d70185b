package intaglio.client;

/** How the rows of a run are written. */
public enum RowFormat {
    /** The data of a document on each line, as JSON. */
    NDJSON("application/x-ndjson"),
    /** A header with the names of the fields, and rows of cells (RFC 4180). */
    CSV("text/csv");

    final String type;

    RowFormat(String type) {
        this.type = type;
    }
}
