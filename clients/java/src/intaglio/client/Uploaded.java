package intaglio.client;

/**
 * What an upload did.
 *
 * @param sent parts that were sent
 * @param skipped parts that the run had before
 * @param others parts of the run that are none of the file, such as those of another file
 */
public record Uploaded(int sent, int skipped, int others) {
}
