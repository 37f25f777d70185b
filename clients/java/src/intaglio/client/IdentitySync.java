package intaglio.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** Teams and users, for a key with the scope {@code identity-sync}. */
public final class IdentitySync {
    private final Transport transport;
    private final Cancel cancel;

    IdentitySync(Transport transport, Cancel cancel) {
        this.transport = transport;
        this.cancel = cancel;
    }

    /**
     * All teams and users.
     *
     * @return teams and users as they are
     */
    public Api.Identities list() {
        return transport.record(Api.Identities.class, Sending.of(Operation.listIdentities), cancel);
    }

    /**
     * Makes the listed teams and users as they are listed, and leaves the others.
     *
     * @param wanted teams and users as they should be
     * @return numbers of changes
     */
    public Api.IdentityCounts update(Api.Identities wanted) {
        return sync(bodyOf(wanted));
    }

    /**
     * As {@link #update}, and deactivates every team and user that is not listed. Each list must
     * name somebody.
     *
     * @param wanted teams and users as they should be
     * @param deactivatesAtMost refuse it when it would deactivate more teams and users than this
     * @return numbers of changes
     */
    public Api.IdentityCounts replace(Api.Identities wanted, int deactivatesAtMost) {
        Map<String, Object> body = bodyOf(wanted);
        body.put("full", true);
        body.put("deactivatesAtMost", deactivatesAtMost);
        return sync(body);
    }

    private Api.IdentityCounts sync(Map<String, ?> body) {
        Sending sending = Sending.of(Operation.syncIdentities).json(body);
        return transport.record(Api.IdentityCounts.class, sending, cancel);
    }

    private static Map<String, Object> bodyOf(Api.Identities wanted) {
        Arguments.notNull(wanted, "wanted");
        var body = new LinkedHashMap<String, Object>();
        body.put("teams", Arguments.notNull(wanted.teams(), "wanted.teams").stream()
                .map(one -> members(
                        "teamId", one.teamId(), "name", one.name(), "active", one.active()))
                .toList());
        body.put("users", Arguments.notNull(wanted.users(), "wanted.users").stream()
                .map(one -> members(
                        "userId", one.userId(),
                        "teamId", one.teamId(),
                        "role", one.role(),
                        "displayName", one.displayName(),
                        "email", one.email(),
                        "active", one.active()))
                .toList());
        return body;
    }

    /** Names with values, of which none may be null. */
    private static Map<String, Object> members(Object... given) {
        var made = new LinkedHashMap<String, Object>();
        for (int index = 0; index < given.length; index += 2) {
            var name = (String) given[index];
            made.put(name, Arguments.notNull(given[index + 1], "wanted: " + name));
        }
        return made;
    }
}
