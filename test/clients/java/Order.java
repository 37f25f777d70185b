package intaglio.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes maps with and without an order of their own. */
public final class Order {
    private Order() {
    }

    /**
     * Writes a line of JSON.
     *
     * @param args none
     */
    public static void main(String[] args) {
        var kept = new LinkedHashMap<String, Object>();
        kept.put("b", 1);
        kept.put("a", 2);
        var none = Map.of("g", 1, "f", 2, "e", 3, "d", kept, "c", List.of(Map.of("z", 1, "y", 2, "x", 3)),
                "b", new TreeMap<>(Map.of("n", 1, "m", 2)), "a", Map.of());
        System.out.println(JsonText.of(none));
    }
}
