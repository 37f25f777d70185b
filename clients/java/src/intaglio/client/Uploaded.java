package intaglio.client;

/**
 * What an upload did.
 *
 * @param sent parts that were sent
 * @param skipped parts that the run had before
 */
public record Uploaded(int sent, int skipped) {
}
