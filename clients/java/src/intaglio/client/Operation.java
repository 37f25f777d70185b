package intaglio.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Every operation that an API key reaches, by its {@code operationId} in the service's
 * /openapi.json.
 */
enum Operation {
    generateDocument("POST", "/v1/generate"),
    getFieldContract("GET", "/v1/templates/{id}/fields"),
    getDataSchema("GET", "/v1/templates/{id}/schema"),
    getDocument("GET", "/v1/documents/{id}"),
    getFile("GET", "/v1/files/{token}"),
    verifyFile("POST", "/v1/verify"),
    createRun("POST", "/v1/runs"),
    listRuns("GET", "/v1/runs"),
    getRun("GET", "/v1/runs/{id}"),
    startRun("POST", "/v1/runs/{id}/start"),
    resumeRun("POST", "/v1/runs/{id}/resume"),
    pauseRun("POST", "/v1/runs/{id}/pause"),
    cancelRun("POST", "/v1/runs/{id}/cancel"),
    putRunPart("PUT", "/v1/runs/{id}/parts/{n}"),
    getRunManifest("GET", "/v1/runs/{id}/manifest"),
    getRunZip("GET", "/v1/runs/{id}/zip"),
    listRunExceptions("GET", "/v1/runs/{id}/exceptions"),
    withdrawRunRows("POST", "/v1/runs/{id}/withdraw"),
    listRunPrints("GET", "/v1/runs/{id}/prints"),
    getRunPrint("GET", "/v1/runs/{id}/prints/{n}"),
    getRunPrintIndex("GET", "/v1/runs/{id}/prints/{n}/index"),
    followRun("GET", "/v1/runs/{id}/events"),
    listIdentities("GET", "/v1/sync/identities"),
    syncIdentities("POST", "/v1/sync/identities");

    final String method;
    final String path;

    Operation(String method, String path) {
        this.method = method;
        this.path = path;
    }

    /** Throws what an identifier in the path cannot be, by the name of the argument. */
    void checkId(Object id) {
        String name = path.startsWith("/v1/templates/")
                ? "templateId"
                : path.startsWith("/v1/documents/") ? "documentId" : "runId";
        Arguments.id((String) id, name);
    }

    /** The path with the places filled in, in their order. */
    String fill(List<Object> places) {
        String filled = path;
        for (Object place : places) {
            String start = filled.substring(0, filled.indexOf('{'));
            filled = start + escape(place) + filled.substring(filled.indexOf('}') + 1);
        }
        return filled;
    }

    static String escape(Object value) {
        return URLEncoder.encode(String.valueOf(value), StandardCharsets.UTF_8).replace("+", "%20");
    }
}
