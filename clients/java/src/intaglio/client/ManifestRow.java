package intaglio.client;

import java.util.List;

/**
 * What became of a row of a run.
 *
 * @param row id of the row
 * @param outcome pending, stored, invalid, failed, identical, withdrawn or refused
 * @param documentId of a stored row; otherwise null
 * @param sha256 of a stored row; otherwise null
 * @param pages of a stored row
 * @param bytes of a stored row
 * @param code of a row that is invalid or failed; otherwise null
 * @param message of a row that is invalid or failed; otherwise null
 * @param fields defects of a row that is invalid
 * @param part the part in which the row stands
 * @param line its line in the file
 */
public record ManifestRow(
        String row,
        String outcome,
        String documentId,
        String sha256,
        long pages,
        long bytes,
        String code,
        String message,
        List<Api.FieldError> fields,
        long part,
        long line) {
}
