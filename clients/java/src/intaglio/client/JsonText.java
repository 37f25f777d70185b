package intaglio.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * Writes values as JSON. What JSON does not have ends in {@link InvalidArgumentException} with its place,
 * such as {@code data.lines[2].amount}.
 */
final class JsonText {
    /** Objects and lists that stand in one another; the service takes less. */
    private static final int DEPTH_MAX = 64;
    /** Digits of an amount that is written out; the service takes 40. */
    private static final int DIGITS_MAX = 400;
    /** The largest whole number that every reader of JSON keeps exactly: 2^53. */
    private static final long EXACT_MAX = 1L << 53;

    private final StringBuilder text = new StringBuilder(256);
    /** Names and indexes of the values that are being written, the outermost first. */
    private final Object[] place = new Object[DEPTH_MAX + 1];

    private JsonText() {
    }

    /**
     * The text of a value: amounts ({@link BigDecimal}, {@link BigInteger} and whole numbers beyond
     * 2^53) are written as strings, which the service reads with all their digits, and dates as
     * {@code YYYY-MM-DD}.
     */
    static String of(Object value) {
        var json = new JsonText();
        try {
            json.write(value, 0);
        } catch (ConcurrentModificationException changed) {
            throw json.at(1, "was changed while it was read");
        }
        return json.text.toString();
    }

    private void write(Object value, int depth) {
        if (value == null || value instanceof Boolean) {
            text.append(value);
        } else if (value instanceof CharSequence || value instanceof LocalDate) {
            quote(value.toString(), depth);
        } else if (value instanceof Number number) {
            write(number, depth);
        } else if (value instanceof Map<?, ?> map) {
            write(map, depth);
        } else if (value instanceof Iterable<?> items) {
            write(items, depth);
        } else {
            throw other(value, depth);
        }
    }

    private void write(Number number, int depth) {
        if (number instanceof BigDecimal amount) {
            // toPlainString() of 1E+999999999 would fill the memory.
            long digits = Math.max((long) amount.precision() - amount.scale(), amount.scale());
            if (Math.max(digits, amount.precision()) > DIGITS_MAX) throw tooLong(depth);
            text.append('"').append(amount.toPlainString()).append('"');
        } else if (number instanceof BigInteger amount) {
            // A digit has more than three bits.
            if (amount.bitLength() > DIGITS_MAX * 3) throw tooLong(depth);
            text.append('"').append(amount).append('"');
        } else if (number instanceof Double || number instanceof Float) {
            if (!Double.isFinite(number.doubleValue())) {
                throw at(depth, "is NaN or infinite, which JSON does not have: give a number,"
                        + " or null for a field without a value");
            }
            text.append(number);
        } else if (number instanceof Integer || number instanceof Short || number instanceof Byte) {
            text.append(number);
        } else if (number instanceof Long value) {
            boolean isExact = value <= EXACT_MAX && value >= -EXACT_MAX;
            if (isExact) text.append(value.longValue());
            else text.append('"').append(value.longValue()).append('"');
        } else {
            throw other(number, depth);
        }
    }

    private void write(Map<?, ?> map, int depth) {
        checkDepth(depth);
        char before = '{';
        for (Map.Entry<?, ?> member : inOrder(map)) {
            if (member.getKey() == null) throw at(depth, "has a name that is null");
            String name = String.valueOf(member.getKey());
            place[depth] = name;
            text.append(before);
            quote(name, depth + 1);
            text.append(':');
            write(member.getValue(), depth + 1);
            before = ',';
        }
        text.append(before == '{' ? "{}" : "}");
    }

    /**
     * The members of a map: in the order that it keeps, else by their names. {@code Map.of} has another
     * order in each JVM, and the service takes a repetition with other bytes for another document.
     */
    private static Iterable<? extends Map.Entry<?, ?>> inOrder(Map<?, ?> map) {
        if (map.size() < 2 || map instanceof LinkedHashMap || map instanceof SortedMap) return map.entrySet();
        var members = new ArrayList<Map.Entry<?, ?>>(map.entrySet());
        members.sort(Comparator.comparing(member -> String.valueOf(member.getKey())));
        return members;
    }

    private void write(Iterable<?> items, int depth) {
        checkDepth(depth);
        if (items instanceof Set && !(items instanceof LinkedHashSet) && !(items instanceof SortedSet)) {
            throw at(depth, "is a Set without an order, which a repetition would write in another one: give a List");
        }
        int index = 0;
        for (Object item : items) {
            place[depth] = index;
            text.append(index++ == 0 ? '[' : ',');
            write(item, depth + 1);
        }
        text.append(index == 0 ? "[]" : "]");
    }

    private void quote(String value, int depth) {
        text.append('"');
        for (int index = 0; index < value.length(); index++) {
            char unit = value.charAt(index);
            if (unit == '"' || unit == '\\') {
                text.append('\\').append(unit);
            } else if (unit < ' ') {
                text.append(unit < 0x10 ? "\\u000" : "\\u001").append(Character.forDigit(unit & 0xf, 16));
            } else {
                if (Character.isSurrogate(unit)) {
                    if (Arguments.unpairedIndex(value.substring(index, Math.min(index + 2, value.length()))) == 0) {
                        throw at(depth, "has half of a surrogate pair, which UTF-8 does not have");
                    }
                    text.append(unit);
                    unit = value.charAt(++index);
                }
                text.append(unit);
            }
        }
        text.append('"');
    }

    private void checkDepth(int depth) {
        if (depth < DEPTH_MAX) return;
        throw at(2, "is nested deeper than " + DEPTH_MAX + " levels, or contains itself");
    }

    private InvalidArgumentException tooLong(int depth) {
        return at(depth, "has more than " + DIGITS_MAX + " digits when it is written out; the service takes 40");
    }

    private InvalidArgumentException other(Object value, int depth) {
        return at(depth, "is of the class " + value.getClass().getTypeName() + ", which cannot be sent as JSON: give"
                + " a text, a number, a boolean, a LocalDate, a List or a Map");
    }

    /** Names may be data, too: those that are no usual names are left out. */
    private InvalidArgumentException at(int depth, String why) {
        var where = new StringBuilder();
        for (int level = 0; level < depth; level++) {
            Object one = place[level];
            if (one instanceof Integer) where.append('[').append(one).append(']');
            else where.append(level == 0 ? "" : ".").append(Words.shown(String.valueOf(one), 100, Secrets.NONE));
        }
        return new InvalidArgumentException(where.length() == 0 ? "the value" : where.toString(), why);
    }
}
