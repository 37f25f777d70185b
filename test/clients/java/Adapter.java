package intaglio.client;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * The calls of the table, made by the client for Java: tasks come in and results go out as JSON.
 */
public final class Adapter {
    private static final String KEY = "ik_of-a-test";
    private static final String PDF_SHA256 = "81eba1b1345f67aaafce0c48927a97cf0aff603af56370b05dad154ff3d9f816";
    private static final DocumentRequest REQUEST =
            DocumentRequest.of("receipt", Map.of("customer", "a secret"));
    private static final int TASKS_AT_A_TIME = 8;

    private Adapter() {
    }

    /**
     * Runs the tasks of the standard input.
     *
     * @param args none
     * @throws Exception when the adapter itself fails
     */
    public static void main(String[] args) throws Exception {
        String tasks = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        ExecutorService threads = Executors.newFixedThreadPool(TASKS_AT_A_TIME);
        var coming = new ArrayList<Future<Map<String, Object>>>();
        for (Object task : (List<?>) Json.readOrNull(tasks)) {
            coming.add(threads.submit(() -> run((Map<?, ?>) task)));
        }
        for (Future<Map<String, Object>> done : coming) out.println(JsonText.of(done.get()));
        System.exit(0);
    }

    private static Map<String, Object> run(Map<?, ?> task) throws Exception {
        var options = (Map<?, ?>) task.get("options");
        var folder = Path.of((String) task.get("folder"));
        Intaglio client = clientFor(task, options);
        var calls = (List<?>) task.get("calls");
        long start = System.nanoTime();
        boolean isParallel = Boolean.TRUE.equals(task.get("isParallel"));
        ExecutorService threads = Executors.newFixedThreadPool(isParallel ? calls.size() : 1);
        var coming = new ArrayList<Future<Map<String, Object>>>();
        for (Object call : calls) {
            coming.add(threads.submit(() -> told(client, (String) call, task)));
        }
        var results = new ArrayList<>();
        for (Future<Map<String, Object>> result : coming) results.add(result.get());
        threads.shutdown();
        var done = new LinkedHashMap<String, Object>();
        done.put("name", task.get("name"));
        done.put("results", results);
        done.put("tookMs", (System.nanoTime() - start) / 1_000_000);
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> left = files.sorted().toList();
            done.put("left", left.stream().map(one -> one.getFileName().toString()).toList());
            done.put("mode", left.isEmpty() ? null : modeOf(left.get(left.size() - 1)));
        }
        return done;
    }

    private static String modeOf(Path path) throws Exception {
        String text = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        return text.equals("rw-------") ? "600" : text;
    }

    private static Intaglio clientFor(Map<?, ?> task, Map<?, ?> options) throws Exception {
        Intaglio.Builder builder = Intaglio.builder((String) task.get("url"), KEY);
        if (options.get("triesMax") != null) builder.triesMax(number(options, "triesMax"));
        if (options.get("requestsMax") != null) builder.requestsMax(number(options, "requestsMax"));
        if (options.get("silenceMs") != null) builder.silenceMax(time(options, "silenceMs"));
        if (options.get("retryMs") != null) builder.retryMax(time(options, "retryMs"));
        if (task.get("proxy") instanceof Map<?, ?> proxy) setProxy(builder, proxy);
        if (task.get("certificates") instanceof String keys) {
            builder.sslContext(Reach.context(Path.of(keys), "own".equals(options.get("certificate"))));
        }
        return builder.build();
    }

    private static void setProxy(Intaglio.Builder builder, Map<?, ?> given) {
        URI proxy = URI.create((String) given.get("url"));
        var through = List.of(new Proxy(Proxy.Type.HTTP, new InetSocketAddress(proxy.getHost(), proxy.getPort())));
        builder.proxy(new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                return uri.getHost().equals(given.get("direct")) ? List.of(Proxy.NO_PROXY) : through;
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException fault) {
                // The client tells it.
            }
        });
        if (proxy.getUserInfo() == null) return;
        String[] user = proxy.getUserInfo().split(":", 2);
        builder.proxyAuthenticator(new Authenticator() {
            @Override
            protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication(user[0], user[1].toCharArray());
            }
        });
    }

    private static int number(Map<?, ?> options, String name) {
        return ((BigDecimal) options.get(name)).intValueExact();
    }

    private static Duration time(Map<?, ?> options, String name) {
        return Duration.ofMillis(number(options, name));
    }

    private static Map<String, Object> told(Intaglio client, String call, Map<?, ?> task) {
        var options = (Map<?, ?>) task.get("options");
        Cancel cancel = options.get("limitMs") == null ? new Cancel() : Cancel.after(time(options, "limitMs"));
        if (options.get("cancelMs") != null) {
            var timer = new Thread(() -> {
                try {
                    Thread.sleep(number(options, "cancelMs"));
                } catch (InterruptedException impossible) {
                    throw new AssertionError(impossible);
                }
                cancel.cancel();
            });
            timer.start();
        }
        try {
            var made = new LinkedHashMap<String, Object>();
            made.put("error", null);
            made.putAll(perform(client.with(cancel), call, task));
            return made;
        } catch (Throwable error) {
            return membersOf(error);
        }
    }

    /** What an error tells; one that is not of the package keeps its name. */
    private static Map<String, Object> membersOf(Throwable error) {
        var trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        var made = new LinkedHashMap<String, Object>();
        String name = error.getClass().getSimpleName();
        made.put("error", error instanceof IntaglioException ? name.replaceAll("Exception$", "") : name);
        made.put("text", error.getMessage() + "\n" + trace);
        made.put("message", error.getMessage());
        if (error instanceof NoAnswerException lost) made.put("tries", lost.tries());
        if (error instanceof DigestException other) made.put("sha256", other.actual());
        if (error instanceof ServiceException refused) {
            made.put("status", refused.status());
            made.put("code", refused.code());
            made.put("requestId", refused.requestId());
            made.put("fields", refused.fields().stream().map(Adapter::fieldOf).toList());
            refused.retryAfter().ifPresent(time -> made.put("retryAfterMs", time.toMillis()));
        }
        return made;
    }

    private static Map<String, String> fieldOf(Api.FieldError one) {
        var made = new LinkedHashMap<String, String>();
        made.put("field", one.field());
        made.put("reason", one.reason());
        return made;
    }

    private static Map<String, Object> perform(Intaglio client, String call, Map<?, ?> task) {
        var folder = Path.of((String) task.get("folder"));
        switch (call) {
            case "generate":
                return Map.of("sha256", client.generate(REQUEST).sha256());
            case "byReference":
                return Map.of("count", client.verifyReference("RC-0005").documents().size());
            case "toFile":
                return written(client.downloadToFile("d", folder.resolve("a.pdf")));
            case "toGivenFile":
                return written(client.downloadToFile("d", folder.resolve("a.pdf"), Digest.sha256(PDF_SHA256)));
            case "toSureFile":
                return written(client.downloadToFile("d", folder.resolve("a.pdf"), Digest.required()));
            case "store":
                client.store(REQUEST);
                return Map.of();
            case "named":
                client.store(REQUEST.idempotencyKey("mine"));
                return Map.of();
            case "document":
                client.document("d");
                return Map.of();
            case "missing":
                client.downloadToFile("d", folder.resolve("none").resolve("a.pdf"));
                return Map.of();
            case "manifestToFile":
                var manifest = folder.resolve("manifest.ndjson");
                return Map.of("sha256", client.runs().manifestToFile("r", manifest).sha256());
            case "exceptions":
                try (Stream<ExceptionRow> rows = client.runs().exceptions("r")) {
                    return Map.of("count", rows.filter(row -> !row.fields().isEmpty()).count());
                }
            case "upload":
                var rowFile = Path.of((String) task.get("rowFile"));
                Uploaded made = client.runs().upload("r", rowFile, RowFormat.CSV);
                return Map.of("sent", made.sent(), "skipped", made.skipped(), "others", made.others());
            case "watch":
                return Map.of("state", client.runs().watch("r", run -> { }).state());
            case "manifest":
            case "rows":
                try (Stream<ManifestRow> rows = client.runs().manifest("r")) {
                    rows.forEach(row -> { });
                }
                return Map.of();
            default:
                mistake(client, call, folder);
                return Map.of();
        }
    }

    private static Map<String, Object> written(WrittenFile file) {
        return Map.of("sha256", file.sha256(), "verified", file.verified());
    }

    /** What a program gives by mistake. */
    private static void mistake(Intaglio client, String call, Path folder) {
        switch (call) {
            case "loneSurrogate":
                client.generate(DocumentRequest.of("receipt", Map.of("customer", "\ud800")));
                return;
            case "circular":
                var around = new ArrayList<>();
                around.add(around);
                client.generate(DocumentRequest.of("receipt", Map.of("a", around)));
                return;
            case "nulPath":
                // A Path of the JDK cannot have NUL: one that names no file is the nearest mistake.
                client.downloadToFile("d", folder.getRoot());
                return;
            case "nulId":
                client.document("d\0");
                return;
            case "noId":
                client.document("");
                return;
            case "dotId":
                client.document("..");
                return;
            case "nullKey":
                Intaglio.of("http://127.0.0.1:9", null).document("d");
                return;
            case "noReference":
                client.verifyReference("");
                return;
            case "oddDigest":
                client.downloadToFile("d", folder.resolve("a.pdf"), Digest.sha256("xyz"));
                return;
            default:
                throw new UnsupportedOperationException(call);
        }
    }
}
