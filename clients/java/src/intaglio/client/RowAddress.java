package intaglio.client;

/**
 * The place of a row.
 *
 * @param part number of its part, from 1
 * @param line its line in the file, from 1
 */
public record RowAddress(long part, long line) {
}
