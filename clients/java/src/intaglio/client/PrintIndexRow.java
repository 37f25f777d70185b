package intaglio.client;

/**
 * Pages of one document in a merged print file.
 *
 * @param row id of the row
 * @param documentId identifier of the document
 * @param fromPage its first page in the print file, from 1
 * @param toPage its last page in the print file
 */
public record PrintIndexRow(String row, String documentId, long fromPage, long toPage) {
}
