package intaglio.client;

import java.util.Locale;

/** Texts of others in messages: bounded, without control characters and without the API key. */
final class Words {
    private Words() {
    }

    /**
     * The text as it may be shown: an ellipsis replaces the secret, wherever it stands and in whatever
     * case, and blanks replace control characters.
     */
    static String shown(String text, int lengthMax, String secret) {
        // Twice: what is left out may have parted the secret.
        String plain = without(cleaned(without(text, secret)), secret);
        if (plain.length() <= lengthMax) return plain;
        int end = Character.isHighSurrogate(plain.charAt(lengthMax - 2)) ? lengthMax - 2 : lengthMax - 1;
        return plain.substring(0, end) + "…";
    }

    private static String without(String text, String secret) {
        if (secret.isEmpty() || !text.toLowerCase(Locale.ROOT).contains(secret.toLowerCase(Locale.ROOT))) {
            return text;
        }
        var made = new StringBuilder();
        int length = secret.length();
        for (int at = 0; at < text.length();) {
            boolean isSecret = text.regionMatches(true, at, secret, 0, length);
            made.append(isSecret ? '…' : text.charAt(at));
            at += isSecret ? length : 1;
        }
        return made.toString();
    }

    private static String cleaned(String text) {
        var made = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            switch (Character.getType(point)) {
                case Character.CONTROL, Character.FORMAT, Character.SURROGATE,
                        Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                    made.append(' ');
                default -> made.appendCodePoint(point);
            }
        });
        return made.toString();
    }

    /** Whether an error, or one behind it, tells the secret. */
    static boolean tells(Throwable error, String secret) {
        if (secret.isEmpty()) return false;
        int depth = 0;
        for (Throwable one = error; one != null && depth < 20; one = one.getCause(), depth++) {
            if (String.valueOf(one.getMessage()).contains(secret)) return true;
        }
        return false;
    }

    /** A number of tries. */
    static String tries(int count) {
        return count == 1 ? "1 try" : count + " tries";
    }
}
