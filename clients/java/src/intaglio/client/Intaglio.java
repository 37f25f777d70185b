package intaglio.client;

import java.net.Authenticator;
import java.net.InetAddress;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URL;
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
        return new Intaglio(transport, Arguments.notNull(other, "other"));
    }

    /**
     * Makes a PDF that the service does not store (mode sync).
     *
     * @param request what to make
     * @return the PDF
     */
    public Pdf generate(DocumentRequest request) {
        return transport.pdf(generation(request, "sync"), cancel, Digest.OF_ANSWER);
    }

    /**
     * As {@link #generate}, written to a file while it comes.
     *
     * @param request what to make
     * @param path where it is written; a file there is replaced once the new one is whole
     * @return the file
     */
    public WrittenFile generateToFile(DocumentRequest request, Path path) {
        return written(generation(request, "sync"), Digest.OF_ANSWER, path);
    }

    /**
     * Makes a PDF that the service stores (mode async), once however often the call is repeated.
     *
     * @param request what to make
     * @return its identifier, digest and a link
     */
    public Api.Acknowledgement store(DocumentRequest request) {
        Sending sending = generation(request, "async").header("Idempotency-Key", request.idempotencyKey());
        Api.Acknowledgement made = transport.record(Api.Acknowledgement.class, sending, cancel);
        return Records.withFile(Records.stored(made, made.documentId()), made.sha256(), made.url());
    }

    private static Sending generation(DocumentRequest request, String mode) {
        return Sending.of(Operation.generateDocument).json(Arguments.notNull(request, "request").body(mode));
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
        Api.DocumentRecord record = transport.record(Api.DocumentRecord.class, sending, cancel);
        // A cache may give that of another document.
        if (documentId.equalsIgnoreCase(record.documentId())) {
            return Records.withFile(record, record.sha256(), record.url());
        }
        throw new BadAnswerException("the answer is the record of another document; does a proxy answer?");
    }

    /**
     * The file of a stored document, compared with the {@code ETag} of the answer where it has one:
     * {@link Pdf#verified} tells.
     *
     * @param documentId identifier of the document
     * @return the PDF
     */
    public Pdf download(String documentId) {
        return download(documentId, Digest.OF_ANSWER);
    }

    /**
     * The file of a stored document, compared with a digest. Throws DigestException when another file
     * arrives.
     *
     * @param documentId identifier of the document
     * @param digest such as {@code Digest.sha256(stored.sha256())}
     * @return the PDF
     */
    public Pdf download(String documentId, Digest digest) {
        return transport.pdf(file(documentId), cancel, Arguments.notNull(digest, "digest"));
    }

    /**
     * As {@link #download(String)}, written to a file while it comes.
     *
     * @param documentId identifier of the document
     * @param path where it is written; a file there is replaced once the new one is whole
     * @return the file
     */
    public WrittenFile downloadToFile(String documentId, Path path) {
        return downloadToFile(documentId, path, Digest.OF_ANSWER);
    }

    /**
     * As {@link #download(String, Digest)}, written to a file while it comes.
     *
     * @param documentId identifier of the document
     * @param path where it is written; a file there is replaced once the new one is whole
     * @param digest such as {@code Digest.sha256(stored.sha256())}
     * @return the file
     */
    public WrittenFile downloadToFile(String documentId, Path path, Digest digest) {
        return written(file(documentId), digest, path);
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
        return fetchLink(link, Digest.OF_ANSWER);
    }

    /**
     * The file behind the {@code url} of a document, compared with a digest. The API key is not sent.
     *
     * @param link the link
     * @param digest such as {@code Digest.sha256(stored.sha256())}
     * @return the PDF
     */
    public Pdf fetchLink(String link, Digest digest) {
        return transport.pdf(Sending.ofLink(link), cancel, Arguments.notNull(digest, "digest"));
    }

    /**
     * As {@link #fetchLink(String)}, written to a file while it comes.
     *
     * @param link the link
     * @param path where it is written; a file there is replaced once the new one is whole
     * @return the file
     */
    public WrittenFile fetchLinkToFile(String link, Path path) {
        return fetchLinkToFile(link, path, Digest.OF_ANSWER);
    }

    /**
     * As {@link #fetchLink(String, Digest)}, written to a file while it comes.
     *
     * @param link the link
     * @param path where it is written; a file there is replaced once the new one is whole
     * @param digest such as {@code Digest.sha256(stored.sha256())}
     * @return the file
     */
    public WrittenFile fetchLinkToFile(String link, Path path, Digest digest) {
        return written(Sending.ofLink(link), digest, path);
    }

    private WrittenFile written(Sending sending, Digest digest, Path path) {
        return transport.file(sending, cancel, WholeFile.Kind.PDF, Arguments.notNull(digest, "digest"), path);
    }

    /**
     * Whether a file was made for the team.
     *
     * @param sha256 SHA-256 of the file in hexadecimal
     * @return what the service knows of it
     */
    public Api.Verification verify(String sha256) {
        Sending sending = Sending.of(Operation.verifyFile).json(Map.of("sha256", Arguments.sha256(sha256)));
        return transport.record(Api.Verification.class, sending, cancel);
    }

    /**
     * As {@link #verify}, of a file on this machine; only its SHA-256 is sent.
     *
     * @param path the file
     * @return what the service knows of it
     */
    public Api.Verification verifyFile(Path path) {
        return verify(WholeFile.digestOf(Arguments.file(path)));
    }

    /**
     * Finds the stored documents with a reference, newest first, when only a printed document is at
     * hand. To check a file, use {@link #verifyFile}. References of expired documents are forgotten:
     * that none is found does not prove that none was issued.
     *
     * @param reference the reference that is printed on the document
     * @return what the service knows of it
     */
    public Api.Verification verifyReference(String reference) {
        Sending sending = Sending.of(Operation.verifyFile)
                .json(Map.of("reference", Arguments.reference(reference)));
        return transport.record(Api.Verification.class, sending, cancel);
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

    /** Limits, proxies and certificates of a client. */
    public static final class Builder {
        private final String url;
        private final String apiKey;
        private final Secrets secrets;
        private final HttpClient.Builder http = HttpClient.newBuilder();
        /** Whether code of the caller, which may block, runs while an answer is read. */
        private boolean mayBlock;
        private int requestsMax = 16;
        private Duration silenceMax = Duration.ofSeconds(60);
        private int triesMax = 10;
        private Duration retryMax = Duration.ofSeconds(120);
        private int bodyBytesMax = (int) Math.min(128 << 20, Runtime.getRuntime().maxMemory() / 8);

        private Builder(String url, String apiKey) {
            this.url = Arguments.serviceAddress(url);
            this.apiKey = Arguments.apiKey(apiKey);
            this.secrets = Secrets.of(apiKey);
        }

        /**
         * Requests at a time, and so connections; others wait.
         *
         * @param count from 1; 16 unless it is set
         * @return this builder
         */
        public Builder requestsMax(int count) {
            this.requestsMax = Arguments.atLeastOne(count, "requestsMax");
            return this;
        }

        /**
         * A try that hears nothing for this long is sent again.
         *
         * @param time longer than zero; 60 seconds unless it is set
         * @return this builder
         */
        public Builder silenceMax(Duration time) {
            if (Arguments.time(time, "silenceMax").isZero()) {
                throw new InvalidArgumentException("silenceMax", "must be longer than zero");
            }
            this.silenceMax = time;
            return this;
        }

        /**
         * How often a request is sent; Java itself may send a GET again whose connection is cut.
         * Refusals by the key's rate limit (status 429) are counted on their
         * own, up to the same number.
         *
         * @param count 10 unless it is set; 1: nothing is repeated
         * @return this builder
         */
        public Builder triesMax(int count) {
            this.triesMax = Arguments.atLeastOne(count, "triesMax");
            return this;
        }

        /**
         * No try begins later than this after the call. Waits for windows of the key's rate limit
         * do not count, of which each must end within this. A call ends at once when the service asks
         * to wait longer.
         *
         * @param time 120 seconds unless it is set; zero: nothing is repeated
         * @return this builder
         */
        public Builder retryMax(Duration time) {
            this.retryMax = Arguments.time(time, "retryMax");
            return this;
        }

        /**
         * Longest answer that is kept in memory: a PDF of {@link Intaglio#generate}, {@link
         * Intaglio#download} or {@link Intaglio#fetchLink}; half of it for JSON. Files that are written
         * to a path have no bound.
         *
         * @param bytes at most a quarter of the heap (-Xmx); unless it is set an eighth of the heap, or 128
         *     MB where that is less
         * @return this builder
         */
        public Builder bodyBytesMax(int bytes) {
            long most = Runtime.getRuntime().maxMemory() / 4;
            if (Arguments.atLeastOne(bytes, "bodyBytesMax") > most) {
                throw new InvalidArgumentException(
                        "bodyBytesMax", "must be at most a quarter of the heap (-Xmx), here " + most + " bytes");
            }
            this.bodyBytesMax = bytes;
            return this;
        }

        /**
         * Proxies, which are those of the system unless they are set.
         *
         * @param selector for example {@code ProxySelector.of(new InetSocketAddress("proxy.bank.example", 3128))}
         * @return this builder
         */
        public Builder proxy(ProxySelector selector) {
            http.proxy(Arguments.notNull(selector, "selector"));
            return this;
        }

        /**
         * Name and password for a proxy. A service that asks for them does not get them. For a service
         * with {@code https://} and a proxy with the scheme Basic, set the property {@code
         * jdk.http.auth.tunneling.disabledSchemes} of the JVM to an empty text, too.
         *
         * @param authenticator asked when a proxy wants them
         * @return this builder
         */
        public Builder proxyAuthenticator(Authenticator authenticator) {
            http.authenticator(new ForProxies(Arguments.notNull(authenticator, "authenticator"), secrets));
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
            http.sslContext(Arguments.notNull(context, "context"));
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
            var limits = new Transport.Limits(requestsMax, silenceMax, triesMax, retryMax, bodyBytesMax);
            return new Intaglio(new Transport(made, url, apiKey, secrets, limits), Cancel.NEVER);
        }
    }

    /** Hands name and password to proxies alone: HttpClient asks it for a service that answers 401, too. */
    private static final class ForProxies extends Authenticator {
        private final Authenticator own;
        private final Secrets secrets;

        ForProxies(Authenticator own, Secrets secrets) {
            this.own = own;
            this.secrets = secrets;
        }

        @Override
        public PasswordAuthentication requestPasswordAuthenticationInstance(
                String host, InetAddress address, int port, String protocol, String prompt, String scheme,
                URL place, RequestorType type) {
            if (type != RequestorType.PROXY) return null;
            PasswordAuthentication given = own.requestPasswordAuthenticationInstance(
                    host, address, port, protocol, prompt, scheme, place, type);
            // HttpClient makes the same error of null as for a service: without a name, the proxy refuses.
            if (given == null) return new PasswordAuthentication("", new char[0]);
            secrets.learn(given);
            return given;
        }
    }
}
