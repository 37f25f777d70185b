package intaglio.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as maps, lists, texts, {@link BigDecimal}s, booleans and null (RFC 8259). Depth and the
 * length of numbers are bounded: a hostile answer must not overflow the stack or take quadratic
 * time.
 */
final class Json {
    private static final int DEPTH_MAX = 64;
    private static final int NUMBER_LENGTH_MAX = 400;
    /** The largest whole number that every reader of JSON keeps exactly: 2^53. */
    private static final long EXACT_MAX = 1L << 53;

    private final String text;
    private int at;

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
        if (depth > DEPTH_MAX) throw Malformed.HERE;
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

    /**
     * The text of a value: amounts ({@link BigDecimal}, {@link BigInteger} and whole numbers beyond
     * 2^53) are written as strings, which the service reads with all their digits, and dates as
     * {@code YYYY-MM-DD}.
     */
    static String write(Object value) {
        var text = new StringBuilder();
        write(value, text, 0);
        return text.toString();
    }

    private static void write(Object value, StringBuilder text, int depth) {
        if (depth > DEPTH_MAX) {
            throw new IllegalArgumentException("data is nested deeper than " + DEPTH_MAX + " levels");
        }
        if (value == null || value instanceof Boolean) {
            text.append(value);
        } else if (value instanceof CharSequence || value instanceof LocalDate) {
            quote(value.toString(), text);
        } else if (value instanceof BigDecimal amount) {
            quote(amount.toPlainString(), text);
        } else if (value instanceof BigInteger amount) {
            quote(amount.toString(), text);
        } else if (value instanceof Number number) {
            write(number, text);
        } else if (value instanceof Map<?, ?> map) {
            write(map, text, depth);
        } else if (value instanceof Iterable<?> items) {
            write(items, text, depth);
        } else {
            throw new IllegalArgumentException("a " + value.getClass().getName() + " cannot be sent as JSON");
        }
    }

    private static void write(Number number, StringBuilder text) {
        if (number instanceof Double || number instanceof Float) {
            double value = number.doubleValue();
            if (!Double.isFinite(value)) throw new IllegalArgumentException("a number is not finite");
            text.append(number);
        } else if (number instanceof Integer || number instanceof Short || number instanceof Byte) {
            text.append(number);
        } else if (number instanceof Long value) {
            if (Math.abs(value) <= EXACT_MAX && value != Long.MIN_VALUE) text.append(value);
            else quote(value.toString(), text);
        } else {
            throw new IllegalArgumentException("a " + number.getClass().getName() + " cannot be sent as JSON");
        }
    }

    private static void write(Map<?, ?> map, StringBuilder text, int depth) {
        char before = '{';
        for (Map.Entry<?, ?> member : map.entrySet()) {
            text.append(before);
            quote(String.valueOf(member.getKey()), text);
            text.append(':');
            write(member.getValue(), text, depth + 1);
            before = ',';
        }
        text.append(before == '{' ? "{}" : "}");
    }

    private static void write(Iterable<?> items, StringBuilder text, int depth) {
        char before = '[';
        for (Object item : items) {
            text.append(before);
            write(item, text, depth + 1);
            before = ',';
        }
        text.append(before == '[' ? "[]" : "]");
    }

    private static void quote(String value, StringBuilder text) {
        text.append('"');
        for (int index = 0; index < value.length(); index++) {
            char unit = value.charAt(index);
            if (unit == '"' || unit == '\\') text.append('\\').append(unit);
            else if (unit < ' ' || isUnpaired(value, index)) text.append(String.format("\\u%04x", (int) unit));
            else text.append(unit);
        }
        text.append('"');
    }

    /**
     * Half of a surrogate pair has no form in UTF-8: escaped, it reaches the service, which refuses
     * it.
     */
    private static boolean isUnpaired(String value, int index) {
        char unit = value.charAt(index);
        if (!Character.isSurrogate(unit)) return false;
        if (Character.isHighSurrogate(unit)) {
            return index + 1 >= value.length() || !Character.isLowSurrogate(value.charAt(index + 1));
        }
        return index == 0 || !Character.isHighSurrogate(value.charAt(index - 1));
    }

    private static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1L;
        static final Malformed HERE = new Malformed();

        private Malformed() {
            super(null, null, false, false);
        }
    }
}
