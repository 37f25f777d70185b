package intaglio.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a program gives by mistake: URL of a server that nobody may call. */
public final class Mistakes {
    private Mistakes() {
    }

    private interface Call {
        Object make();
    }

    /**
     * Writes the argument that each mistake names, or the error that is none of the client.
     *
     * @param args the address
     */
    public static void main(String[] args) {
        Intaglio client = Intaglio.builder(args[0], "ik_a-key").triesMax(1).build();
        data(client);
        requests(client);
        runs(client);
        builders(args[0]);
    }

    private static void data(Intaglio client) {
        var around = new HashMap<String, Object>();
        around.put("b", around);
        Object[] values = {
            Double.NaN, Float.NEGATIVE_INFINITY, new BigDecimal("1e999999999"), new BigDecimal("1e-999999999"),
            BigInteger.TEN.pow(5_000), "a\ud800b", "\udc00", around, new Object(), new Date(), new byte[] {1},
            Arrays.asList(1, Map.of("c", Double.NaN)), Map.of("\ud800", 1), new String[] {"a"}
        };
        for (Object value : values) {
            tell("data", () -> client.generate(DocumentRequest.of("t", Map.of("x", value))));
        }
        var withoutName = new HashMap<String, Object>();
        withoutName.put(null, 1);
        tell("data", () -> client.store(DocumentRequest.of("t", withoutName)));
    }

    private static void requests(Intaglio client) {
        DocumentRequest request = DocumentRequest.of("t", Map.of());
        tell("templateId", () -> DocumentRequest.of(null, Map.of()));
        tell("data", () -> DocumentRequest.of("t", null));
        tell("idempotencyKey", () -> request.idempotencyKey("a\r\nX: y"));
        tell("idempotencyKey", () -> request.idempotencyKey(null));
        tell("title", () -> request.metadata(null, "s"));
        tell("userPassword", () -> request.protection(null, "s"));
        tell("text", () -> request.watermark(null));
        tell("documentIds", () -> request.attach(Arrays.asList("a", null)));
        tell("request", () -> client.generate(null));
        tell("templateId", () -> client.fieldContract("a\nb"));
        tell("documentId", () -> client.download(null));
        tell("documentId", () -> client.document("\ud800"));
        tell("digest", () -> client.download("d", null));
        tell("sha256", () -> Digest.sha256(null));
        tell("sha256", () -> client.verify("abc"));
        tell("reference", () -> client.verifyReference(null));
        tell("path", () -> client.generateToFile(request, null));
        tell("path", () -> client.downloadToFile("d", Path.of("")));
        tell("link", () -> client.fetchLink("ftp://a/b"));
        tell("link", () -> client.fetchLink("http://a/\n"));
        tell("other", () -> client.with(null));
        tell("limit", () -> Cancel.after(null));
        tell("wanted", () -> client.identities().update(null));
        tell("wanted.users", () -> client.identities().update(new Api.Identities(List.of(), null)));
    }

    private static void runs(Intaglio client) {
        Runs runs = client.runs();
        tell("idField", () -> RunRequest.of("t", null));
        tell("retention", () -> RunRequest.of("t", "f").retention(null));
        tell("sum", () -> RunRequest.of("t", "f").expectSum("a", null));
        tell("expected.sums.a", () -> runs.create(
                RunRequest.of("t", "f").expectSum("a", new BigDecimal("1e999999999"))));
        tell("runId", () -> runs.exceptions(".."));
        tell("outcome", () -> runs.manifest("r", null));
        tell("rows", () -> runs.putPart("r", 1, RowFormat.CSV, null));
        tell("part", () -> runs.putPart("r", 0, RowFormat.CSV, new byte[0]));
        tell("format", () -> runs.upload("r", Path.of("a.csv"), null));
        tell("rows", () -> runs.withdraw("r", new ArrayList<>(Arrays.asList((RowAddress) null))));
        tell("changed", () -> runs.watch("r", null));
    }

    private static void builders(String url) {
        for (String key : new String[] {null, "", "a b", "k\r\nX: y", "é"}) {
            tell("apiKey", () -> Intaglio.of(url, key));
        }
        String[] addresses = {
            null, "", "a", "htp:/x", "http://", "http://a b", "http://a?b", "http://a:70000", "http://u:secret@a"
        };
        for (String address : addresses) tell("url", () -> Intaglio.of(address, "k"));
        Intaglio.Builder builder = Intaglio.builder(url, "k");
        tell("requestsMax", () -> builder.requestsMax(0));
        tell("triesMax", () -> builder.triesMax(-1));
        tell("silenceMax", () -> builder.silenceMax(Duration.ZERO));
        tell("retryMax", () -> builder.retryMax(Duration.ofSeconds(-1)));
        tell("bodyBytesMax", () -> builder.bodyBytesMax(Integer.MAX_VALUE));
        tell("selector", () -> builder.proxy(null));
        tell("authenticator", () -> builder.proxyAuthenticator(null));
        tell("context", () -> builder.sslContext(null));
        // Times beyond what a long holds in nanoseconds are times.
        Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
        Cancel.after(ever).check();
        builder.silenceMax(ever).retryMax(ever).build();
    }

    private static void tell(String argument, Call call) {
        try {
            System.out.println(argument + ": nothing but " + call.make());
        } catch (InvalidArgumentException told) {
            System.out.println(argument + ": " + told.getMessage());
        } catch (Throwable other) {
            System.out.println(argument + ": not told but " + other);
        }
    }
}
