package intaglio.client;

import java.net.PasswordAuthentication;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What no message may tell: the API key, the token of a link, what a proxy was told. */
final class Secrets {
    static final Secrets NONE = new Secrets();
    /** Shorter passwords stand in many words. */
    private static final int PASSWORD_LENGTH_MIN = 4;

    private final CopyOnWriteArrayList<String> all = new CopyOnWriteArrayList<>();

    static Secrets of(String first) {
        var made = new Secrets();
        made.all.add(first);
        return made;
    }

    /** Those, and another one. */
    Secrets with(String more) {
        var made = of(more);
        made.all.addAll(all);
        return made;
    }

    /** Learns a password of a proxy, and how Basic writes it (RFC 7617). */
    void learn(PasswordAuthentication told) {
        var password = new String(told.getPassword());
        if (password.length() < PASSWORD_LENGTH_MIN) return;
        all.addIfAbsent(password);
        byte[] pair = (told.getUserName() + ":" + password).getBytes(StandardCharsets.UTF_8);
        all.addIfAbsent(Base64.getEncoder().encodeToString(pair));
    }

    List<String> all() {
        return all;
    }
}
