package intaglio.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The service refused the call: a repetition is refused again, or was refused too often. */
public class ServiceException extends IntaglioException {
    private static final long serialVersionUID = 1L;
    /** Longest text of another in the message; the message has at most 2,000 characters. */
    private static final int MESSAGE_MAX = 1_700;
    private static final int REQUEST_ID_MAX = 200;
    private static final Pattern CODE = Pattern.compile("[a-z][a-z0-9_]{0,63}");

    /** The HTTP status. */
    private final int status;
    /** The code of the service. */
    private final String code;
    /** The identifier of the request. */
    private final String requestId;
    /** The defects of the data. */
    private final transient List<Api.FieldError> fields;
    /** The time that the service asked to wait. */
    private final transient Duration retryAfter;

    private ServiceException(
            String message, int status, String code, Map<?, ?> body, Duration retryAfter, Secrets secrets) {
        super(message, null);
        this.status = status;
        this.code = code;
        this.requestId = textOf(body, "requestId", REQUEST_ID_MAX, secrets);
        this.fields = fieldsOf(body, secrets);
        this.retryAfter = retryAfter;
    }

    ServiceException(ServiceException refused, String message) {
        super(message, null);
        this.status = refused.status;
        this.code = refused.code;
        this.requestId = refused.requestId;
        this.fields = refused.fields;
        this.retryAfter = refused.retryAfter;
    }

    /**
     * The error that a refusal tells; {@code text} is null where its body is longer than any refusal.
     * Secrets are left out of what it tells.
     */
    static ServiceException of(int status, String text, Duration retryAfter, Secrets secrets) {
        Map<?, ?> body = text != null && Json.readOrNull(text) instanceof Map<?, ?> map ? map : Map.of();
        String code = textOf(body, "code", MESSAGE_MAX, secrets);
        if (!CODE.matcher(code).matches() || !(body.get("error") instanceof String error)) {
            return new ServiceException(ofAnother(status), status, "unknown", Map.of(), retryAfter, secrets);
        }
        String message = Words.shown(error, MESSAGE_MAX, secrets) + " (" + code + ", status " + status + ")";
        if (status == 401) message += ": check the API key, or ask the operator whether it was revoked";
        var made = new ServiceException(message, status, code, body, retryAfter, secrets);
        return code.equals("invalid_data") ? new InvalidDataException(made) : made;
    }

    /** The message for a response that does not come from the service. */
    private static String ofAnother(int status) {
        String what = "status " + status;
        switch (status) {
            case 304:
                return what + ": nobody asked whether something had changed, so that a proxy may have answered";
            case 401:
                return what + ": the API key is missing or not valid, or a proxy wants to know who calls;"
                        + " check apiKey and url";
            case 407:
                return what + ": the proxy wants a name and a password: give them by proxyAuthenticator. For"
                        + " https:// and the scheme Basic, Java also needs"
                        + " -Djdk.http.auth.tunneling.disabledSchemes=";
            default:
                return status >= 300 && status < 400
                        ? what + ": a redirect, which would hand the key on; url has to be where it leads"
                        : what + ", without a reason of the service: a proxy may have answered";
        }
    }

    /** The text of a member as it may be shown; empty: it has none. */
    private static String textOf(Map<?, ?> body, String name, int lengthMax, Secrets secrets) {
        return body.get(name) instanceof String text ? Words.shown(text, lengthMax, secrets) : "";
    }

    private static List<Api.FieldError> fieldsOf(Map<?, ?> body, Secrets secrets) {
        if (!(body.get("fields") instanceof List<?> list)) return List.of();
        return list.stream()
                .filter(Map.class::isInstance)
                .map(one -> (Map<?, ?>) one)
                .map(one -> new Api.FieldError(
                        textOf(one, "field", MESSAGE_MAX, secrets), textOf(one, "reason", MESSAGE_MAX, secrets)))
                .toList();
    }

    /**
     * The HTTP status.
     *
     * @return the status, for example 404
     */
    public int status() {
        return status;
    }

    /**
     * What is wrong, as a word that programs can compare.
     *
     * @return the code; {@code unknown} where the answer is not the service's own but, for example, a proxy's
     */
    public String code() {
        return code;
    }

    /**
     * Names the request for the operator, who finds it in the log and the audit records.
     *
     * @return the identifier, or an empty text where it is unknown
     */
    public String requestId() {
        return requestId;
    }

    /**
     * Every defect of {@code data}.
     *
     * @return the defective fields; empty unless the code is {@code invalid_data}
     */
    public List<Api.FieldError> fields() {
        return fields == null ? List.of() : fields;
    }

    /**
     * How long the service asked to wait.
     *
     * @return the time of {@code Retry-After}, if there was one
     */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
