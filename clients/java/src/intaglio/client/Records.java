package intaglio.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Makes records of JSON objects: members by the names of the components. Members that a newer
 * service has are left out; one that is absent is null, 0, false or an empty list or map.
 */
final class Records {
    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return Shape.of(type);
        }
    };

    private static final Pattern ID = Pattern.compile("[0-9A-Za-z_-]{1,128}");
    private static final Pattern UUID =
            Pattern.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final Pattern LINK = Pattern.compile("https?://[!-~]+");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private Records() {
    }

    private record Shape(Constructor<?> constructor, RecordComponent[] components) {
        static Shape of(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class[]::new);
            try {
                return new Shape(type.getDeclaredConstructor(types), components);
            } catch (NoSuchMethodException impossible) {
                throw new AssertionError("every record has such a constructor", impossible);
            }
        }
    }

    /**
     * As {@link #read}, of a whole answer: its first component must be there. JSON of a proxy, such as
     * {@code {"status":"ok"}}, has others.
     */
    static <T> T readWhole(Class<T> type, Map<?, ?> members) {
        RecordComponent first = SHAPES.get(type).components[0];
        if (members.get(first.getName()) == null) throw otherAnswer();
        return read(type, members);
    }

    /** The record, if its identifier has the shape that the service gives it. */
    static <T> T checked(T made, String id) {
        if (id != null && ID.matcher(id).matches()) return made;
        throw otherAnswer();
    }

    /** The record, if it has a digest. */
    static <T> T withDigest(T made, String sha256) {
        if (sha256 != null && SHA256.matcher(sha256).matches()) return made;
        throw otherAnswer();
    }

    /** The record, if it has a digest and a link of the web. */
    static <T> T withFile(T made, String sha256, String url) {
        if (url != null && LINK.matcher(url).matches()) return withDigest(made, sha256);
        throw otherAnswer();
    }

    /** The record of a document that was stored, if its identifier has the shape that it has there. */
    static <T> T stored(T made, String documentId) {
        if (documentId != null && UUID.matcher(documentId).matches()) return made;
        throw otherAnswer();
    }

    private static BadAnswerException otherAnswer() {
        return new BadAnswerException("the answer is not the record that the service gives; does a proxy answer?");
    }

    /** Throws BadAnswerException where a member has another type. */
    static <T> T read(Class<T> type, Map<?, ?> members) {
        Shape shape = SHAPES.get(type);
        var values = new Object[shape.components.length];
        for (int index = 0; index < values.length; index++) {
            RecordComponent component = shape.components[index];
            // A word of the language has a line behind it.
            String name = component.getName().replace("_", "");
            values[index] = convert(component.getGenericType(), members.get(name));
        }
        try {
            return type.cast(shape.constructor.newInstance(values));
        } catch (InstantiationException | IllegalAccessException | InvocationTargetException impossible) {
            throw new AssertionError("the records of this package take any values", impossible);
        }
    }

    private static Object convert(Type type, Object value) {
        if (type instanceof ParameterizedType made) {
            Type[] of = made.getActualTypeArguments();
            return made.getRawType() == List.class ? list(of[0], value) : map(of[1], value);
        }
        var wanted = (Class<?>) type;
        if (wanted == long.class || wanted == int.class) {
            if (value == null) return wanted == long.class ? (Object) 0L : (Object) 0;
            long number = whole(value);
            if (wanted == long.class) return number;
            if (number != (int) number) throw other();
            return (int) number;
        }
        if (wanted == boolean.class) return value == null ? Boolean.FALSE : cast(Boolean.class, value);
        if (value == null || wanted == Object.class) return value;
        if (wanted == Long.class) return whole(value);
        if (wanted == Instant.class) return instant(cast(String.class, value));
        if (wanted.isRecord()) return read(wanted, cast(Map.class, value));
        return cast(wanted, value);
    }

    private static List<?> list(Type item, Object value) {
        if (value == null) return List.of();
        var made = new ArrayList<>();
        for (Object one : cast(List.class, value)) made.add(convert(item, one));
        return Collections.unmodifiableList(made);
    }

    private static Map<?, ?> map(Type item, Object value) {
        if (value == null) return Map.of();
        var made = new LinkedHashMap<Object, Object>();
        for (Object one : cast(Map.class, value).entrySet()) {
            var entry = (Map.Entry<?, ?>) one;
            made.put(entry.getKey(), convert(item, entry.getValue()));
        }
        return Collections.unmodifiableMap(made);
    }

    private static long whole(Object value) {
        try {
            return cast(BigDecimal.class, value).longValueExact();
        } catch (ArithmeticException inexact) {
            throw other();
        }
    }

    private static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException malformed) {
            throw other();
        }
    }

    private static <T> T cast(Class<T> type, Object value) {
        if (type.isInstance(value)) return type.cast(value);
        throw other();
    }

    private static BadAnswerException other() {
        return new BadAnswerException("a member of the answer has another type than the service gives it");
    }
}
