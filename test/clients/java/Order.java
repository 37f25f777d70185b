package intaglio.client;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Writes maps with and without an order of their own. */
public final class Order {
    private Order() {
    }

    /**
     * Writes a line of JSON, and what is refused.
     *
     * @param args a pipe
     */
    public static void main(String[] args) {
        var kept = new LinkedHashMap<String, Object>();
        kept.put("b", 1);
        kept.put("a", 2);
        var none = Map.of("g", 1, "f", 2, "e", 3, "d", kept, "c", List.of(Map.of("z", 1, "y", 2, "x", 3)),
                "b", new TreeMap<>(Map.of("n", 1, "m", 2)), "a", Map.of());
        System.out.println(JsonText.of(none));
        try {
            System.out.println(JsonText.of(Map.of("a", Set.of(1))));
        } catch (InvalidArgumentException refused) {
            System.out.println(refused.getMessage());
        }
        Path pipe = Path.of(args[0]);
        try {
            Intaglio.of("http://127.0.0.1:1", "ik_a-key").generateToFile(DocumentRequest.of("t", Map.of()), pipe);
        } catch (FileException refused) {
            System.out.println(refused.getMessage().replace(pipe.toString(), "pipe"));
        }
    }
}
