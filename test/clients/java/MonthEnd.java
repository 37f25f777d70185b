package intaglio.client;

import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Documents in both modes by several threads, and a run from its rows to its files: URL KEY FOLDER.
 */
public final class MonthEnd {
    private MonthEnd() {
    }

    /**
     * Writes what came of it.
     *
     * @param args address, key and folder
     * @throws Exception when something is not as it should be
     */
    public static void main(String[] args) throws Exception {
        Intaglio client = Intaglio.of(args[0], args[1]);
        Path folder = Path.of(args[2]);
        System.out.println("documents " + documents(client, folder));
        run(client.runs(), folder);
        System.exit(0);
    }

    /** Each of eight threads stores a document twice by the same key; how many there are. */
    private static long documents(Intaglio client, Path folder) throws Exception {
        var threads = Executors.newFixedThreadPool(8);
        var stored = new ArrayList<Future<String>>();
        for (int number = 0; number < 16; number++) {
            String key = "letter-" + number / 2;
            stored.add(threads.submit(() -> {
                var data = Map.of("customer", "Somchai " + key, "total", new BigDecimal("1250.50"));
                var request = DocumentRequest.of("letter", data).idempotencyKey(key);
                Api.Acknowledgement made = client.store(request);
                Path path = folder.resolve(key + "-" + Thread.currentThread().getId() + ".pdf");
                if (!client.downloadToFile(made.documentId(), path).sha256().equals(made.sha256())) {
                    throw new AssertionError("another file");
                }
                return made.documentId();
            }));
        }
        var ids = new ArrayList<String>();
        for (Future<String> one : stored) ids.add(one.get());
        threads.shutdown();
        return ids.stream().distinct().count();
    }

    private static void run(Runs runs, Path folder) throws Exception {
        Charset thai = Charset.forName("x-windows-874");
        var rows = new StringBuilder("refNo,customer,total\r\n");
        for (int number = 1; number <= 30; number++) {
            rows.append("R-").append(number).append(",\"สมชาย\nใจดี\",").append(number).append(".10\r\n");
        }
        Path file = folder.resolve("rows.csv");
        Files.write(file, rows.toString().getBytes(thai));
        RunRequest request = RunRequest.of("letter", "refNo")
                .expectRows(30)
                .expectSum("total", new BigDecimal("468.00"))
                .documentsPerPrint(10);
        String runId = runs.create(request).runId();
        System.out.println(runs.upload(runId, file, RowFormat.CSV, thai));
        System.out.println(runs.upload(runId, file, RowFormat.CSV, thai));
        runs.check(runId);
        System.out.println("checked " + runs.watch(runId, changed -> { }).counts().received());
        runs.start(runId);
        Api.Run done = runs.watch(runId, changed -> { });
        System.out.println(done.state() + " " + done.counts().stored() + " " + done.reasons());
        try (Stream<ManifestRow> manifest = runs.manifest(runId, "stored")) {
            List<Long> lines = manifest.map(ManifestRow::line).toList();
            System.out.println("lines " + lines.get(0) + " to " + lines.get(lines.size() - 1));
        }
        System.out.println("invalid " + runs.exceptions(runId).count());
        List<Api.RunPrint> prints = runs.prints(runId).toList();
        System.out.println("prints " + prints.size());
        WrittenFile print = runs.printToFile(runId, 1, folder.resolve("print-1.pdf"));
        System.out.println("print is " + print.sha256().equals(prints.get(0).sha256()));
        System.out.println("index " + runs.printIndex(runId, 1).count());
        runs.manifestToFile(runId, folder.resolve("manifest.ndjson"));
        System.out.println("zip " + (runs.zipToFile(runId, folder.resolve("all.zip")).bytes() > 1000));
    }
}
