package intaglio.client;

import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** What strangers answer, to many threads in a small heap: URL of a server whose paths begin with a name. */
public final class Endless {
    private static final int THREADS = 16;

    private Endless() {
    }

    /**
     * Writes the errors of each kind of call.
     *
     * @param args the address
     * @throws Exception when a thread is interrupted
     */
    public static void main(String[] args) throws Exception {
        String url = args[0];
        DocumentRequest request = DocumentRequest.of("t", Map.of());
        Intaglio pdf = Intaglio.builder(url + "/pdf", "ik_a-key").triesMax(1).build();
        tell("document", () -> pdf.generate(request));
        Intaglio large = Intaglio.of(url + "/large", "ik_a-key");
        tell("large", () -> large.generate(request).sha256());
        Intaglio record = Intaglio.builder(url + "/record", "ik_a-key").triesMax(1).build();
        tell("record", () -> record.store(request));
        Intaglio values = Intaglio.builder(url + "/values", "ik_a-key").triesMax(1).build();
        tell("values", () -> values.store(request));
        Intaglio refusal = Intaglio.builder(url + "/refusal", "ik_a-key").triesMax(1).build();
        tell("refusal", () -> refusal.store(request));
        tell("line", () -> {
            try (Stream<ManifestRow> rows = record.runs().manifest("r")) {
                return rows.count();
            }
        });
        Intaglio trickle = Intaglio.builder(url + "/trickle", "ik_a-key").silenceMax(Duration.ofSeconds(1)).build();
        tell("trickle", () -> trickle.with(Cancel.after(Duration.ofSeconds(20))).document("d"));
        tell("link", () -> pdf.fetchLink(url + "/link/v1/files/a-token.of-a-link"));
        asking(url);
        System.exit(0);
    }

    /** A service and a proxy that ask for a name and a password. */
    private static void asking(String url) throws Exception {
        Authenticator own = new Authenticator() {
            @Override
            protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication("a-name", "a-password".toCharArray());
            }
        };
        URI address = URI.create(url);
        var selector = ProxySelector.of(new InetSocketAddress(address.getHost(), address.getPort()));
        for (String name : List.of("asks", "refuses", "proxy-asks", "proxy-refuses", "proxy-echoes", "tunnel", "tells")) {
            String at = name.equals("tunnel") ? "https://127.0.0.1:9" : url + "/" + name;
            Intaglio.Builder builder = Intaglio.builder(at, "ik_a-key").triesMax(1);
            if (!name.equals("tells")) builder.proxyAuthenticator(own);
            if (name.startsWith("proxy") || name.equals("tunnel")) builder.proxy(selector);
            Intaglio client = builder.build();
            tell(name, () -> client.document("d"));
        }
    }

    private static void tell(String name, Callable<?> call) throws Exception {
        var threads = Executors.newFixedThreadPool(THREADS);
        var coming = new ArrayList<Future<?>>();
        for (int thread = 0; thread < THREADS; thread++) coming.add(threads.submit(call));
        var told = new java.util.TreeSet<String>();
        for (Future<?> one : coming) {
            try {
                told.add("no error: " + one.get());
            } catch (ExecutionException failed) {
                Throwable error = failed.getCause();
                told.add(error.getClass().getSimpleName() + ": " + error.getMessage());
                for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                    if (String.valueOf(cause.getMessage()).contains("ik_a-key")) told.add("the key is told");
                }
            }
        }
        threads.shutdown();
        told.forEach(one -> System.out.println(name + ": " + one));
    }
}
