package intaglio.client;

import java.net.Authenticator;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;

/**
 * A service, called with one API key. It can be used by any number of threads, virtual ones too,
 * and keeps its connections open: make one for a process.
 *
 * <p>Calls are repeated where a repetition may help, wait for the key's rate limit, and end with an
 * {@link IntaglioException}.
 */
public final class Intaglio {
    private final Transport transport;
    private final Cancel cancel;

    private Intaglio(Transport transport, Cancel cancel) {
        this.transport = transport;
        this.cancel = cancel;
    }

    /**
     * A service with the default limits.
     *
     * @param url address of the service, such as {@code https://documents.bank.example}
     * @param apiKey key for it
     * @return a client
     */
    public static Intaglio of(String url, String apiKey) {
        return builder(url, apiKey).build();
    }

    /**
     * A service with limits, proxies or certificates of your own.
     *
     * @param url address of the service, such as {@code https://documents.bank.example}
     * @param apiKey key for it
     * @return a builder of a client
     */
    public static Builder builder(String url, String apiKey) {
        return new Builder(url, apiKey);
    }

    /**
     * The same client, whose calls also end with this: {@code
     * intaglio.with(Cancel.after(limit)).store(…)}.
     *
     * @param other ends the calls
     * @return a client that shares connections and limits with this one
     */
    public Intaglio with(Cancel other) {
        return new Intaglio(transport, other);
    }

    /**
     * Makes a PDF that the service does not store (mode sync).
     *
     * @param request what to make
     * @return the PDF
     */
    public Pdf generate(DocumentRequest request) {
        return transport.send(generation(request, "sync"), cancel, WholeFile::readPdf);
    }

    /**
     * As {@link #generate}, written to a file while it comes.
     *
     * @param request what to make
     * @param path where it is written; a file there is replaced once the new one is whole
     * @return the file
     */
    public WrittenFile generateToFile(DocumentRequest request, Path path) {
        return transport.send(generation(request, "sync"), cancel, writing(path));
    }

    /**
     * Makes a PDF that the service stores (mode async), once however often the call is repeated.
     *
     * @param request what to make
     * @return its identifier, digest and a link
     */
    public Api.Acknowledgement store(DocumentRequest request) {
        Sending sending = generation(request, "async").header("Idempotency-Key", request.idempotencyKey());
        return transport.record(Api.Acknowledgement.class, sending, cancel);
    }

    private static Sending generation(DocumentRequest request, String mode) {
        return Sending.of(Operation.generateDocument).json(request.body(mode));
    }

    /**
     * The fields of the latest version of a template.
     *
     * @param templateId identifier of the template
     * @return its fields
     */
    public Api.FieldContract fieldContract(String templateId) {
        Sending sending = Sending.of(Operation.getFieldContract, templateId);
        return transport.record(Api.FieldContract.class, sending, cancel);
    }

    /**
     * The fields of a version of a template.
     *
     * @param templateId identifier of the template
     * @param version a published version, from 1
     * @return its fields
     */
    public Api.FieldContract fieldContract(String templateId, int version) {
        Sending sending = Sending.of(Operation.getFieldContract, templateId).query("version", version);
        return transport.record(Api.FieldContract.class, sending, cancel);
    }

    /**
     * JSON Schema 2020-12 of the data of the latest version of a template.
     *
     * @param templateId identifier of the template
     * @return the schema
     */
    public Map<String, Object> dataSchema(String templateId) {
        return transport.members(Sending.of(Operation.getDataSchema, templateId), cancel);
    }

    /**
     * JSON Schema 2020-12 of the data of a version of a template.
     *
     * @param templateId identifier of the template
     * @param version a published version, from 1
     * @return the schema
     */
    public Map<String, Object> dataSchema(String templateId, int version) {
        Sending sending = Sending.of(Operation.getDataSchema, templateId).query("version", version);
        return transport.members(sending, cancel);
    }

    /**
     * The record of a stored document, with a fresh link.
     *
     * @param documentId identifier of the document
     * @return its record
     */
    public Api.DocumentRecord document(String documentId) {
        Sending sending = Sending.of(Operation.getDocument, documentId);
        return transport.record(Api.DocumentRecord.class, sending, cancel);
    }

    /**
     * The file of a stored document. Throws DigestException when another file arrives.
     *
     * @param documentId identifier of the document
     * @return the PDF
     */
    public Pdf download(String documentId) {
        return transport.send(file(documentId), cancel, WholeFile::readPdf);
    }

    /**
     * As {@link #download}, written to a file while it comes.
     *
     * @param documentId identifier of the document
     * @param path where it is written; a file there is replaced once the new one is whole
     * @return the file
     */
    public WrittenFile downloadToFile(String documentId, Path path) {
        return transport.send(file(documentId), cancel, writing(path));
    }

    private static Sending file(String documentId) {
        return Sending.of(Operation.getDocument, documentId).query("download", 1);
    }

    /**
     * The file behind the {@code url} of a document. The API key is not sent.
     *
     * @param link the link
     * @return the PDF
     */
    public Pdf fetchLink(String link) {
        return transport.send(Sending.ofLink(checkAddress(link, "link")), cancel, WholeFile::readPdf);
    }

    /**
     * As {@link #fetchLink}, written to a file while it comes.
     *
     * @param link the link
     * @param path where it is written; a file there is replaced once the new one is whole
     * @return the file
     */
    public WrittenFile fetchLinkToFile(String link, Path path) {
        return transport.send(Sending.ofLink(checkAddress(link, "link")), cancel, writing(path));
    }

    private static Transport.Reader<WrittenFile> writing(Path path) {
        return answer -> WholeFile.write(answer, WholeFile.Kind.PDF, path);
    }

    /**
     * Whether a file was made for the team.
     *
     * @param sha256 SHA-256 of the file in hexadecimal
     * @return what the service knows of it
     */
    public Api.Verification verify(String sha256) {
        Sending sending = Sending.of(Operation.verifyFile).json(Map.of("sha256", sha256));
        return transport.record(Api.Verification.class, sending, cancel);
    }

    /**
     * As {@link #verify}, of a file on this machine; only its SHA-256 is sent.
     *
     * @param path the file
     * @return what the service knows of it
     */
    public Api.Verification verifyFile(Path path) {
        return verify(WholeFile.digestOf(path));
    }

    /**
     * Large jobs inside the service, one document for each row.
     *
     * @return the calls for runs
     */
    public Runs runs() {
        return new Runs(transport, cancel);
    }

    /**
     * Teams and users, for a key with the scope {@code identity-sync}.
     *
     * @return the calls for them
     */
    public IdentitySync identities() {
        return new IdentitySync(transport, cancel);
    }

    private static String checkAddress(String url, String name) {
        try {
            URI address = URI.create(url);
            boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
            if (isHttp && address.getHost() != null) return url;
        } catch (IllegalArgumentException malformed) {
            // Its message holds the address, which may be a secret.
        }
        throw new IllegalArgumentException(name + " must be an address that begins with http:// or https://");
    }

    /** Limits, proxies and certificates of a client. */
    public static final class Builder {
        private final String url;
        private final String apiKey;
        private final HttpClient.Builder http = HttpClient.newBuilder();
        /** Whether code of the caller, which may block, runs while an answer is read. */
        private boolean mayBlock;
        private int requestsMax = 16;
        private Duration silenceMax = Duration.ofSeconds(60);
        private int triesMax = 10;
        private Duration retryMax = Duration.ofSeconds(120);

        private Builder(String url, String apiKey) {
            this.url = checkAddress(url, "url").replaceAll("/+$", "");
            if (!apiKey.matches("[\\x21-\\x7e]+")) {
                throw new IllegalArgumentException("apiKey is not an API key");
            }
            this.apiKey = apiKey;
        }

        /**
         * Requests at a time, and so connections; others wait.
         *
         * @param count from 1; 16 unless it is set
         * @return this builder
         */
        public Builder requestsMax(int count) {
            if (count < 1) throw new IllegalArgumentException("requestsMax must be at least 1");
            this.requestsMax = count;
            return this;
        }

        /**
         * A try that hears nothing for this long is sent again.
         *
         * @param time 60 seconds unless it is set
         * @return this builder
         */
        public Builder silenceMax(Duration time) {
            this.silenceMax = time;
            return this;
        }

        /**
         * How often a request is sent, without refusals by the key's rate limit.
         *
         * @param count 10 unless it is set; 1: nothing is repeated
         * @return this builder
         */
        public Builder triesMax(int count) {
            if (count < 1) throw new IllegalArgumentException("triesMax must be at least 1");
            this.triesMax = count;
            return this;
        }

        /**
         * No try begins later than this after the call. Waits for windows of the key's rate limit
         * do not count, of which each must end within this.
         *
         * @param time 120 seconds unless it is set; zero: nothing is repeated
         * @return this builder
         */
        public Builder retryMax(Duration time) {
            this.retryMax = time;
            return this;
        }

        /**
         * Proxies, which are those of the system unless they are set.
         *
         * @param selector for example {@code ProxySelector.of(new InetSocketAddress("proxy.bank.example", 3128))}
         * @return this builder
         */
        public Builder proxy(ProxySelector selector) {
            http.proxy(selector);
            return this;
        }

        /**
         * Name and password for a proxy.
         *
         * @param authenticator asked when a proxy wants them
         * @return this builder
         */
        public Builder proxyAuthenticator(Authenticator authenticator) {
            http.authenticator(authenticator);
            mayBlock = true;
            return this;
        }

        /**
         * Certificates: an authority of your own, or a certificate of the client (mutual TLS).
         *
         * @param context made of your trust store and key store
         * @return this builder
         */
        public Builder sslContext(SSLContext context) {
            http.sslContext(context);
            mayBlock = true;
            return this;
        }

        /**
         * Makes the client.
         *
         * @return a client
         */
        public Intaglio build() {
            // HTTP/1.1: the JDK would ask for an upgrade with the first request. A redirect would
            // hand the key on: it is an answer, and a final one.
            // The thread of the JDK that waits for all sockets also parses what they give: Body blocks
            // nowhere, and a second thread would cost more than the parsing. Trust managers and
            // authenticators may ask another machine, so that they keep the pool of the JDK.
            if (!mayBlock) http.executor(Runnable::run);
            HttpClient made = http.version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .build();
            var limits = new Transport.Limits(requestsMax, silenceMax, triesMax, retryMax);
            return new Intaglio(new Transport(made, url, apiKey, limits), Cancel.NEVER);
        }
    }
}
