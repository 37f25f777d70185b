package intaglio.client;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** Lists whose rows are lines of JSON, with the members that each row has. */
enum RowKind {
    MANIFEST(List.of("row", "outcome"), List.of("part")),
    PRINT_INDEX(List.of("row", "documentId"), List.of("fromPage", "toPage"));

    private final List<String> texts;
    private final List<String> numbers;

    RowKind(List<String> texts, List<String> numbers) {
        this.texts = texts;
        this.numbers = numbers;
    }

    /** The members of a row. Throws BadAnswerException for what is none, and repeats nothing of it. */
    Map<?, ?> read(String line) {
        Map<?, ?> row = Json.readObject(line);
        for (String name : texts) check(row.get(name) instanceof String, name);
        for (String name : numbers) check(row.get(name) instanceof BigDecimal, name);
        return row;
    }

    private static void check(boolean isThere, String name) {
        if (isThere) return;
        throw new BadAnswerException("a row of the answer has no member " + name + "; does a proxy answer?");
    }
}
