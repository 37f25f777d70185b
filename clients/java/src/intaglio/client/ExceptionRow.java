package intaglio.client;

import java.util.List;
import java.util.Map;

/**
 * A row that is invalid, failed, identical to another, refused or withdrawn, with its data.
 *
 * @param part the part in which the row stands
 * @param line its line in the file
 * @param outcome invalid, failed, identical, refused or withdrawn
 * @param rowId id of the row, or an empty text
 * @param code what is wrong, for programs; null: nothing
 * @param message what is wrong, for people; null: nothing
 * @param fields defects of a row that is invalid
 * @param data the row as it was uploaded; empty: it cannot be read, or is not stored any more
 * @param extra cells beyond the header
 * @param text the row as it was uploaded, if it does not fit the columns; otherwise empty
 */
public record ExceptionRow(
        long part,
        long line,
        String outcome,
        String rowId,
        String code,
        String message,
        List<Api.FieldError> fields,
        Map<String, Object> data,
        List<String> extra,
        String text) {

    /**
     * The place of the row.
     *
     * @return its part and line
     */
    public RowAddress address() {
        return new RowAddress(part, line);
    }
}
