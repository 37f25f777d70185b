package intaglio.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request, before it has an address.
 *
 * @param operation what is called
 * @param places fill the path
 * @param query parameters; null values are left out
 * @param headers beside those that every request has
 * @param json sent as JSON unless null
 * @param bytes sent as they are unless null
 * @param link an address that needs no key takes the place of the operation's path; null: none
 */
record Sending(
        Operation operation,
        List<Object> places,
        Map<String, Object> query,
        Map<String, String> headers,
        Map<String, ?> json,
        byte[] bytes,
        String link) {

    static Sending of(Operation operation, Object... places) {
        for (Object place : places) if (!(place instanceof Number)) operation.checkId(place);
        return new Sending(operation, List.of(places), Map.of(), Map.of(), null, null, null);
    }

    static Sending ofLink(String link) {
        Arguments.address(link, "link");
        return new Sending(Operation.getFile, List.of(), Map.of(), Map.of(), null, null, link);
    }

    Sending query(String name, Object value) {
        var more = new LinkedHashMap<>(query);
        more.put(name, value);
        return new Sending(operation, places, more, headers, json, bytes, link);
    }

    Sending header(String name, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Sending(operation, places, query, more, json, bytes, link);
    }

    Sending json(Map<String, ?> body) {
        return new Sending(operation, places, query, headers, body, bytes, link);
    }

    Sending bytes(byte[] body) {
        return new Sending(operation, places, query, headers, json, body, link);
    }
}
