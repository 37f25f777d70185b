package intaglio.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The service refused the call: a repetition is refused again, or was refused too often. */
public class ServiceException extends IntaglioException {
    private static final long serialVersionUID = 1L;

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

    private ServiceException(String message, int status, Map<?, ?> body, Duration retryAfter) {
        super(message, null);
        this.status = status;
        this.code = textOf(body, "code", "unknown");
        this.requestId = textOf(body, "requestId", "");
        this.fields = fieldsOf(body);
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
     * The error that a refusal tells; {@code text} is null where its body is longer than any
     * refusal.
     */
    static ServiceException of(int status, String text, Duration retryAfter) {
        Map<?, ?> body = text != null && Json.readOrNull(text) instanceof Map<?, ?> map ? map : Map.of();
        if (!(body.get("code") instanceof String code) || !(body.get("error") instanceof String error)) {
            return new ServiceException(ofAnother(status), status, Map.of(), retryAfter);
        }
        String message = error + " (" + code + ", status " + status + ")";
        var made = new ServiceException(message, status, body, retryAfter);
        return code.equals("invalid_data") ? new InvalidDataException(made) : made;
    }

    /** The message for a response that does not come from the service. */
    private static String ofAnother(int status) {
        if (status < 300 || status >= 400) return "status " + status;
        return "status " + status
                + ": a redirect, which would hand the key on; url has to be where it leads";
    }

    private static String textOf(Map<?, ?> body, String name, String otherwise) {
        return body.get(name) instanceof String text ? text : otherwise;
    }

    private static List<Api.FieldError> fieldsOf(Map<?, ?> body) {
        if (!(body.get("fields") instanceof List<?> list)) return List.of();
        return list.stream()
                .filter(Map.class::isInstance)
                .map(one -> new Api.FieldError(
                        textOf((Map<?, ?>) one, "field", ""), textOf((Map<?, ?>) one, "reason", "")))
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
