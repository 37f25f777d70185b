package intaglio.client;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Calls every operation of a server that compares requests with the description: URL FOLDER. */
public final class Everything {
    private static final String RUN = "01a1f4a2-7b00-7000-8a9d-0123456789ab";

    private Everything() {
    }

    /**
     * Writes the operations that the client knows.
     *
     * @param args address and folder
     * @throws Exception when a response is not as described
     */
    public static void main(String[] args) throws Exception {
        String url = args[0];
        Path path = Path.of(args[1], "a.pdf");
        Intaglio client = Intaglio.builder(url + "/", "ik_of-a-test").requestsMax(1).build();
        documents(client, url, path);
        runs(client, path);
        rowsOf(client, path);
        Api.Identities identities = client.identities().list();
        same(1L, client.identities().update(identities).teams().created());
        same(1L, client.identities().replace(identities, 5).teams().created());
        for (Operation one : Operation.values()) {
            System.out.println(one + " " + one.method + " " + one.path);
        }
    }

    private static void documents(Intaglio client, String url, Path path) throws Exception {
        Map<String, ?> data = Map.of(
                "customer", "ไทย \"\\\n", "total", new BigDecimal("1250.50"), "issued", LocalDate.of(2026, 11, 22));
        DocumentRequest request = DocumentRequest.of("receipt", data)
                .version(3)
                .metadata("Receipt", "R-1")
                .watermark("COPY");
        Pdf pdf = client.generate(request);
        same("a-request", pdf.requestId());
        same(pdf.sha256(), client.generateToFile(request, path).sha256());
        same(true, java.util.Arrays.equals(pdf.bytes(), Files.readAllBytes(path)));
        String documentId = client.store(request.signed()).documentId();
        same("object", client.dataSchema("receipt", 3).get("type"));
        same("object", client.dataSchema("receipt").get("type"));
        same("customer", client.fieldContract("receipt", 3).fields().get(0).name());
        same("customer", client.fieldContract("receipt").fields().get(0).name());
        same(documentId, client.document(documentId).documentId());
        same(pdf.sha256(), client.download(documentId).sha256());
        same((long) pdf.bytes().length, client.downloadToFile(documentId, path).bytes());
        same(pdf.sha256(), client.fetchLink(url + "/v1/files/a.link").sha256());
        same(path, client.fetchLinkToFile(url + "/v1/files/a.link", path).path());
        same(true, client.verifyFile(path).issued());
        same(true, client.verifyReference("RC-0005").issued());
    }

    private static void runs(Intaglio client, Path path) {
        Runs runs = client.runs();
        RunRequest request = RunRequest.of("receipt", "refNo")
                .name("October")
                .expectRows(2)
                .expectSum("total", new BigDecimal("2501.00"))
                .skipInvalid(0.01)
                .documentsPerPrint(10_000);
        same(RUN, runs.create(request).runId());
        same(RUN, runs.list().findFirst().orElseThrow().runId());
        same(true, runs.get(RUN).parts().get(0).checked());
        byte[] rows = "{\"refNo\":\"R-1\",\"customer\":\"สมชาย\"}\n".getBytes(StandardCharsets.UTF_8);
        same(1L, runs.putPart(RUN, 1, RowFormat.NDJSON, rows).part());
        same("done", runs.check(RUN).state());
        for (Api.Run run : List.of(
                runs.start(RUN), runs.startWithoutInvalid(RUN), runs.pause(RUN), runs.resume(RUN), runs.cancel(RUN))) {
            same(RUN, run.runId());
        }
        same("done", runs.watch(RUN, run -> { }).state());
        same(10_000L, runs.prints(RUN).findFirst().orElseThrow().documents());
        runs.printToFile(RUN, 1, path);
        same(22L, runs.zipToFile(RUN, path).bytes());
    }

    private static void rowsOf(Intaglio client, Path path) throws Exception {
        Runs runs = client.runs();
        try (Stream<ManifestRow> rows = runs.manifest(RUN, "invalid")) {
            // With a bound of one request: a reader of rows may make other calls.
            List<String> outcomes = rows.peek(row -> client.verify("0".repeat(64))).map(ManifestRow::outcome).toList();
            same(List.of("stored", "invalid"), outcomes);
        }
        runs.manifestToFile(RUN, path);
        same(true, Files.readString(path).startsWith("{\"row\""));
        List<RowAddress> places = runs.exceptions(RUN, "invalid").map(ExceptionRow::address).toList();
        same(List.of(new RowAddress(1, 17)), places);
        same(RUN, runs.withdraw(RUN, places).runId());
        same(3L, runs.printIndex(RUN, 1).findFirst().orElseThrow().toPage());
    }

    private static void same(Object expected, Object actual) {
        if (!expected.equals(actual)) throw new AssertionError(actual + " instead of " + expected);
    }
}
