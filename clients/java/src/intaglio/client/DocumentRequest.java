package intaglio.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A document to make. It is immutable: each method gives another request.
 *
 * <p>Values of {@code data} are texts, {@link java.math.BigDecimal}s, {@link java.time.LocalDate}s,
 * whole numbers, booleans, lists and maps. Give amounts as {@code BigDecimal} or as text: a {@code
 * double} has lost digits before it is sent.
 */
public final class DocumentRequest {
    private final Map<String, ?> body;
    private final Map<String, ?> options;
    private final String idempotencyKey;

    private DocumentRequest(Map<String, ?> body, Map<String, ?> options, String idempotencyKey) {
        this.body = body;
        this.options = options;
        this.idempotencyKey = idempotencyKey;
    }

    /**
     * A document of the latest version of a template.
     *
     * @param templateId identifier of the template
     * @param data values by the names of the template's fields; not copied
     * @return the request
     */
    public static DocumentRequest of(String templateId, Map<String, ?> data) {
        var body = new LinkedHashMap<String, Object>();
        body.put("templateId", Arguments.id(templateId, "templateId"));
        body.put("data", Arguments.notNull(data, "data"));
        return new DocumentRequest(body, Map.of(), null);
    }

    /**
     * Takes this published version.
     *
     * @param version from 1
     * @return the request with it
     */
    public DocumentRequest version(int version) {
        return new DocumentRequest(with(body, "version", version), options, idempotencyKey);
    }

    /**
     * Names the document, so that it is stored once however often it is requested within 24 hours,
     * also by a program that ended and begins again. Without it, each call of {@link
     * Intaglio#store} has one of chance, which covers the repetitions that the client makes by
     * itself.
     *
     * @param key 1 to 255 printable ASCII characters
     * @return the request with it
     */
    public DocumentRequest idempotencyKey(String key) {
        return new DocumentRequest(body, options, Arguments.idempotencyKey(key));
    }

    /**
     * Embeds a title and a subject in the PDF. They are never encrypted: references only, no
     * personal data.
     *
     * @param title the title
     * @param subject the subject
     * @return the request with them
     */
    public DocumentRequest metadata(String title, String subject) {
        return option("metadata", Map.of(
                "title", Arguments.text(title, "title"), "subject", Arguments.text(subject, "subject")));
    }

    /**
     * Protects the document with AES-256.
     *
     * @param userPassword opens it
     * @param ownerPassword manages its permissions
     * @return the request with them
     */
    public DocumentRequest protection(String userPassword, String ownerPassword) {
        return option("protection", Map.of(
                "userPassword", Arguments.text(userPassword, "userPassword"),
                "ownerPassword", Arguments.text(ownerPassword, "ownerPassword")));
    }

    /**
     * Draws a text over every page.
     *
     * @param text the text
     * @return the request with it
     */
    public DocumentRequest watermark(String text) {
        return option("watermark", Map.of("text", Arguments.text(text, "text")));
    }

    /**
     * Merges stored documents behind the new one.
     *
     * @param documentIds identifiers of documents of the team, in their order
     * @return the request with them
     */
    public DocumentRequest attach(List<String> documentIds) {
        for (String id : Arguments.notNull(documentIds, "documentIds")) Arguments.id(id, "documentIds");
        return option("attach", List.copyOf(documentIds));
    }

    /**
     * Signs the document with the signer of the team.
     *
     * @return the request with it
     */
    public DocumentRequest signed() {
        return option("signature", true);
    }

    /**
     * Any member of {@code options} of {@code POST /v1/generate}.
     *
     * @param name its name
     * @param value its value, of the types that {@code data} may have
     * @return the request with it
     */
    public DocumentRequest option(String name, Object value) {
        return new DocumentRequest(body, with(options, Arguments.text(name, "name"), value), idempotencyKey);
    }

    Map<String, ?> body(String mode) {
        Map<String, ?> made = with(body, "mode", mode);
        return options.isEmpty() ? made : with(made, "options", options);
    }

    String idempotencyKey() {
        return idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
    }

    static Map<String, ?> with(Map<String, ?> members, String name, Object value) {
        var more = new LinkedHashMap<String, Object>(members);
        more.put(name, value);
        return more;
    }

    /** Values may be personal data: they are not shown. */
    @Override
    public String toString() {
        return "DocumentRequest[" + body.get("templateId") + "]";
    }
}
