package intaglio.client;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** A run to make. It is immutable: each method gives another request. */
public final class RunRequest {
    private final Map<String, ?> body;
    private final String idempotencyKey;

    private RunRequest(Map<String, ?> body, String idempotencyKey) {
        this.body = body;
        this.idempotencyKey = idempotencyKey;
    }

    /**
     * A run of the version of a template that is the latest now.
     *
     * @param templateId identifier of the template
     * @param idField the field of a row that holds its id, which is unique in the run
     * @return the request
     */
    public static RunRequest of(String templateId, String idField) {
        var body = new LinkedHashMap<String, Object>();
        body.put("templateId", Arguments.id(templateId, "templateId"));
        body.put("idField", Arguments.text(idField, "idField"));
        return new RunRequest(body, null);
    }

    /**
     * Names the run, so that it is made once however often it is requested within 24 hours.
     *
     * @param key 1 to 255 printable ASCII characters
     * @return the request with it
     */
    public RunRequest idempotencyKey(String key) {
        return new RunRequest(body, Arguments.idempotencyKey(key));
    }

    /**
     * Takes this published version.
     *
     * @param version from 1
     * @return the request with it
     */
    public RunRequest version(int version) {
        return option("version", version);
    }

    /**
     * A name for people, without personal data.
     *
     * @param name the name
     * @return the request with it
     */
    public RunRequest name(String name) {
        return option("name", Arguments.text(name, "name"));
    }

    /**
     * How long the documents live from the moment they are stored.
     *
     * @param retention whole seconds
     * @return the request with it
     */
    public RunRequest retention(Duration retention) {
        return option("retentionSeconds", Arguments.time(retention, "retention").toSeconds());
    }

    /**
     * A control total: the run stops unless the file has as many rows.
     *
     * @param rows how many rows it has
     * @return the request with it
     */
    public RunRequest expectRows(long rows) {
        return expect("rows", rows);
    }

    /**
     * A control total: the run stops unless the values of a number field have this sum.
     *
     * @param field name of the field
     * @param sum its sum, compared exactly
     * @return the request with it
     */
    public RunRequest expectSum(String field, BigDecimal sum) {
        Object sums = expected().getOrDefault("sums", Map.of());
        var more = new LinkedHashMap<Object, Object>((Map<?, ?>) sums);
        more.put(Arguments.text(field, "field"), Arguments.notNull(sum, "sum"));
        return expect("sums", more);
    }

    private RunRequest expect(String name, Object value) {
        var more = new LinkedHashMap<>(expected());
        more.put(name, value);
        return option("expected", more);
    }

    private Map<Object, Object> expected() {
        return body.get("expected") instanceof Map<?, ?> map ? new LinkedHashMap<>(map) : new LinkedHashMap<>();
    }

    /**
     * Leaves out invalid rows instead of stopping, up to this share of all rows.
     *
     * @param shareMax from 0 to 1
     * @return the request with it
     */
    public RunRequest skipInvalid(double shareMax) {
        return option("onInvalid", "skip").option("invalidShareMax", shareMax);
    }

    /**
     * Makes merged print files, too.
     *
     * @param count documents in each of them
     * @return the request with it
     */
    public RunRequest documentsPerPrint(int count) {
        return option("documentsPerPrint", count);
    }

    /**
     * Has the service read the rows itself when the run starts.
     *
     * @param path {@code /folder/…/file} or {@code s3://bucket/…/key}, at a place that its operator allows
     * @return the request with it
     */
    public RunRequest source(String path) {
        return option("source", Map.of("path", Arguments.text(path, "path")));
    }

    /**
     * Any member of {@code POST /v1/runs}, such as {@code csv} or {@code options}.
     *
     * @param name its name
     * @param value its value, of the types that {@code data} of a document may have
     * @return the request with it
     */
    public RunRequest option(String name, Object value) {
        return new RunRequest(DocumentRequest.with(body, Arguments.text(name, "name"), value), idempotencyKey);
    }

    Map<String, ?> body() {
        return body;
    }

    String idempotencyKey() {
        return idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
    }
}
