package intaglio.client;

/** Texts of others in messages: bounded, without control characters and without the API key. */
final class Words {
    private Words() {
    }

    /**
     * The text as it may be shown: an ellipsis replaces each secret, wherever it stands and in whatever
     * case, and blanks replace control characters.
     */
    static String shown(String text, int lengthMax, Secrets secrets) {
        // Twice: what is left out may have parted a secret.
        String plain = without(cleaned(without(text, secrets)), secrets);
        if (plain.length() <= lengthMax) return plain;
        int end = Character.isHighSurrogate(plain.charAt(lengthMax - 2)) ? lengthMax - 2 : lengthMax - 1;
        return plain.substring(0, end) + "…";
    }

    private static String without(String text, Secrets secrets) {
        String made = text;
        for (String secret : secrets.all()) made = without(made, secret);
        return made;
    }

    private static String without(String text, String secret) {
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

    /** Whether an error, or one behind it, tells a secret. */
    static boolean tells(Throwable error, Secrets secrets) {
        int depth = 0;
        for (Throwable one = error; one != null && depth < 20; one = one.getCause(), depth++) {
            String text = String.valueOf(one.getMessage());
            if (!without(text, secrets).equals(text)) return true;
        }
        return false;
    }

    /** A number of tries. */
    static String tries(int count) {
        return count == 1 ? "1 try" : count + " tries";
    }
}
