package intaglio.client;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON as maps, lists, texts, {@link BigDecimal}s, booleans and null (RFC 8259). Depth, the
 * count of values and the length of numbers are bounded: a hostile answer must not overflow the stack,
 * fill the memory or take quadratic time.
 */
final class Json {
    private static final int DEPTH_MAX = 64;
    private static final int NUMBER_LENGTH_MAX = 400;
    /** Values of a text: each takes some 150 bytes, so that all of them take a sixth of the heap. */
    private static final long VALUES_MAX = Math.max(100_000, Runtime.getRuntime().maxMemory() >> 10);

    private final String text;
    private int at;
    private int count;

    private Json(String text) {
        this.text = text;
    }

    /**
     * An object of the service: all of its bodies are objects. The message repeats nothing of the
     * text.
     */
    static Map<?, ?> readObject(String text) {
        if (readOrNull(text) instanceof Map<?, ?> map) return map;
        throw new BadAnswerException("the answer is no JSON of the service; does a proxy answer?");
    }

    /** The value of the text; null where it is no JSON, too. */
    static Object readOrNull(String text) {
        try {
            var json = new Json(text);
            Object value = json.value(0);
            json.skipBlanks();
            return json.at == text.length() ? value : null;
        } catch (Malformed malformed) {
            return null;
        }
    }

    private Object value(int depth) {
        if (depth > DEPTH_MAX || ++count > VALUES_MAX) throw Malformed.HERE;
        skipBlanks();
        switch (peek()) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object(int depth) {
        var members = new LinkedHashMap<String, Object>();
        at++;
        skipBlanks();
        if (peek() == '}') {
            at++;
            return members;
        }
        for (;;) {
            skipBlanks();
            if (peek() != '"') throw Malformed.HERE;
            String name = string();
            skipBlanks();
            expect(':');
            members.put(name, value(depth + 1));
            skipBlanks();
            if (peek() == '}') break;
            expect(',');
        }
        at++;
        return members;
    }

    private List<Object> array(int depth) {
        var items = new ArrayList<>();
        at++;
        skipBlanks();
        if (peek() == ']') {
            at++;
            return items;
        }
        for (;;) {
            items.add(value(depth + 1));
            skipBlanks();
            if (peek() == ']') break;
            expect(',');
        }
        at++;
        return items;
    }

    private String string() {
        int start = ++at;
        int end = start;
        while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\\') end++;
        // Most texts have no escape.
        if (end < text.length() && text.charAt(end) == '"') {
            at = end + 1;
            return text.substring(start, end);
        }
        var made = new StringBuilder(text.substring(start, end));
        for (at = end;;) {
            char next = peek();
            at++;
            if (next == '"') return made.toString();
            made.append(next == '\\' ? escaped() : next);
        }
    }

    private char escaped() {
        char next = peek();
        at++;
        switch (next) {
            case 'n':
                return '\n';
            case 't':
                return '\t';
            case 'r':
                return '\r';
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case '"', '\\', '/':
                return next;
            case 'u':
                return codeUnit();
            default:
                throw Malformed.HERE;
        }
    }

    private char codeUnit() {
        if (at + 4 > text.length()) throw Malformed.HERE;
        int unit = 0;
        for (int end = at + 4; at < end; at++) {
            int digit = Character.digit(text.charAt(at), 16);
            if (digit < 0) throw Malformed.HERE;
            unit = unit * 16 + digit;
        }
        return (char) unit;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw Malformed.HERE;
        at += word.length();
        return value;
    }

    private BigDecimal number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
        if (at == start || at - start > NUMBER_LENGTH_MAX) throw Malformed.HERE;
        try {
            return new BigDecimal(text.substring(start, at));
        } catch (NumberFormatException malformed) {
            throw Malformed.HERE;
        }
    }

    private void expect(char wanted) {
        if (peek() != wanted) throw Malformed.HERE;
        at++;
    }

    private char peek() {
        if (at >= text.length()) throw Malformed.HERE;
        return text.charAt(at);
    }

    private void skipBlanks() {
        while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) at++;
    }

    private static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1L;
        static final Malformed HERE = new Malformed();

        private Malformed() {
            super(null, null, false, false);
        }
    }
}
