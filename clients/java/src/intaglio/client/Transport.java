package intaglio.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Sends requests and repeats them where that is safe, which it is for every operation: what is not
 * idempotent by itself carries an Idempotency-Key. For any number of threads, which hold no lock
 * while they wait for the service.
 */
final class Transport {
    /** Longest JSON body: no answer of the service is as long. */
    private static final int JSON_BYTES_MAX = 64 << 20;
    /** Longest body of a refusal: the service names up to 1,000 defects, which have some 100 KB. */
    private static final int REFUSAL_BYTES_MAX = 512 << 10;
    /** Statuses that a repetition may change. 502 and 504 are a balancer's: no answer came. */
    private static final Set<Integer> REPEATED = Set.of(429, 502, 503, 504);
    /** Statuses of records. */
    private static final Set<Integer> RECORDED = Set.of(200, 201, 202);
    /** Operations that count against the rate limit of the key. */
    private static final Set<Operation> COUNTED =
            EnumSet.of(Operation.generateDocument, Operation.createRun, Operation.startRun);

    private final HttpClient http;
    private final String url;
    private final String apiKey;
    private final Secrets secrets;
    private final Limits limits;
    private final Pace pace;
    private final Gathered.Memory memory = Gathered.Memory.ofThisMachine();

    /** {@code secrets}: the API key, and what is told to proxies. */
    Transport(HttpClient http, String url, String apiKey, Secrets secrets, Limits limits) {
        this.http = http;
        this.url = url;
        this.apiKey = apiKey;
        this.secrets = secrets;
        this.limits = limits;
        this.pace = new Pace(limits.requestsMax);
    }

    /** Bounds of the calls, as {@link Intaglio.Builder} has them. */
    record Limits(
            int requestsMax, Duration silenceMax, int triesMax, Duration retryMax, int bodyBytesMax) {
    }

    /** What a call makes of its answer. It begins anew when the body breaks off. */
    interface Reader<T> {
        T read(Answer answer) throws IOException;
    }

    /** A place for the bytes of a body, at most this share of what a client may keep of one. */
    Gathered gathering(int bytesMax, int share) {
        int allowed = limits.bodyBytesMax / share;
        return allowed < bytesMax
                ? new Gathered(memory, allowed, ": a higher bodyBytesMax allows more")
                : new Gathered(memory, bytesMax, "");
    }

    /** The body of a JSON answer. */
    Map<?, ?> json(Sending sending, Cancel cancel) {
        return send(sending, cancel, answer -> {
            if (!RECORDED.contains(answer.status())) {
                throw new BadAnswerException("the answer is no record: status " + answer.status());
            }
            // A text and its values take more than the bytes.
            try (Gathered gathered = gathering(JSON_BYTES_MAX, 2)) {
                String why = answer.gather(gathered);
                if (why != null) throw new BadAnswerException("the answer is not taken: " + why);
                String text = gathered.text();
                if (text != null) return Json.readObject(text);
                throw new BadAnswerException("the answer is no text in UTF-8; does a proxy answer?");
            }
        });
    }

    /** The members of a JSON answer whose shape a template decides. */
    Map<String, Object> members(Sending sending, Cancel cancel) {
        var members = new LinkedHashMap<String, Object>();
        json(sending, cancel).forEach((name, value) -> members.put(String.valueOf(name), value));
        return members;
    }

    <T> T record(Class<T> type, Sending sending, Cancel cancel) {
        return Records.readWhole(type, json(sending, cancel));
    }

    <T> T send(Sending sending, Cancel cancel, Reader<T> reader) {
        return repeat(sending, cancel, answer -> {
            try (answer) {
                return reader.read(answer);
            }
        });
    }

    Pdf pdf(Sending sending, Cancel cancel, Digest wanted) {
        return send(sending, cancel,
                answer -> WholeFile.readPdf(answer, wanted, gathering(Integer.MAX_VALUE, 1)));
    }

    WrittenFile file(Sending sending, Cancel cancel, WholeFile.Kind kind, Digest wanted, Path path) {
        Arguments.target(path);
        return send(sending, cancel, answer -> {
            try (var lines = new LineCutter(() -> gathering(LineCutter.LINE_BYTES_MAX, 2))) {
                return WholeFile.write(answer, kind, wanted, path, lines);
            }
        });
    }

    /** The lines of events as they come. A body that breaks off is not asked for again. */
    Lines events(Sending sending, Cancel cancel) {
        return new Lines(repeat(sending, cancel, answer -> answer), this, originOf(sending), false);
    }

    /** As {@link #events}, of a list. */
    Lines list(Sending sending, Cancel cancel) {
        Answer answer = repeat(sending, cancel, opened -> opened);
        boolean isList = answer.status() == 200 && Heads.isOfType(answer.headers(), WholeFile.Kind.MANIFEST.type);
        if (isList) return new Lines(answer, this, originOf(sending), true);
        answer.close();
        throw new BadAnswerException("the answer is no list: status " + answer.status() + "; does a proxy answer?");
    }

    /**
     * Counted calls wait for as many windows of the key's rate limit as they need: thousands of calls
     * at once pass one window after the other. {@code reader} closes the answer.
     */
    private <T> T repeat(Sending sending, Cancel cancel, Reader<T> reader) {
        // What cannot be sent ends here.
        HttpRequest request = requestOf(sending);
        Secrets secrets = secretsOf(sending);
        boolean isCounted = COUNTED.contains(sending.operation());
        boolean isPaced = isCounted && limits.triesMax > 1 && !limits.retryMax.isZero();
        var patience = new Patience(limits, isPaced);
        for (;;) {
            patience.putOff(takeTurn(isPaced, cancel));
            Failed failed;
            try {
                Answer answer = open(request, cancel, isCounted, secrets);
                if (answer.status() < 300) return reader.read(answer);
                failed = refused(answer, isCounted, secrets);
            } catch (IOException lost) {
                failed = failedBy(lost, secrets);
            } finally {
                pace.giveSlot();
            }
            cancel.sleep(patience.next(failed, originOf(sending)));
        }
    }

    /**
     * Waits for a slot, and a paced call also for the window; returns the nanoseconds for the
     * window.
     */
    private long takeTurn(boolean isPaced, Cancel cancel) {
        for (long waited = 0;;) {
            pace.takeSlot(cancel);
            if (!isPaced || pace.begin(Arguments.nanosOf(limits.retryMax))) return waited;
            // Other calls, which are not counted, may have the slot meanwhile.
            pace.giveSlot();
            long start = System.nanoTime();
            pace.await(cancel);
            waited += System.nanoTime() - start;
        }
    }

    private Answer open(HttpRequest request, Cancel cancel, boolean isCounted, Secrets secrets)
            throws IOException {
        long silenceNanos = Arguments.nanosOf(limits.silenceMax);
        HttpResponse<Body> response = new Opening().send(http, request, silenceNanos, cancel);
        // A proxy that opens no tunnel: HttpClient gives the status alone.
        if (response.body() == null) throw ServiceException.of(response.statusCode(), null, null, secrets);
        try {
            Heads.check(response);
        } catch (Heads.NoHttp fault) {
            response.body().close();
            throw fault;
        }
        if (isCounted) pace.learn(response.headers());
        return new Answer(response, limits.silenceMax, cancel);
    }

    private Failed refused(Answer answer, boolean isCounted, Secrets secrets) throws IOException {
        try (answer; Gathered gathered = gathering(REFUSAL_BYTES_MAX, 1)) {
            Duration asked = Pace.retryAfter(answer.headers());
            String text = answer.gatherInTime(gathered, limits.silenceMax) ? gathered.text() : null;
            ServiceException refusal = ServiceException.of(answer.status(), text, asked, secrets);
            boolean isFinal = Api.FINAL_CODES.contains(refusal.code());
            if (isFinal || !REPEATED.contains(answer.status())) throw refusal;
            if (isCounted && answer.status() == 429 && asked != null) pace.hold(asked);
            return Failed.refused(refusal);
        }
    }

    private static Failed failedBy(IOException lost, Secrets secrets) {
        Throwable cause = lost.getCause() == null ? lost : lost.getCause();
        int status = Lost.statusOf(cause);
        if (status != 0) throw ServiceException.of(status, null, null, secrets);
        // A server may write the secret into what HttpClient cannot read, and tells.
        return Failed.lost(Words.tells(cause, secrets) ? new IOException("its message is left out") : cause);
    }

    /** The error of a body that broke off and is not asked for again. */
    IntaglioException lost(IOException lost, String origin, int tries) {
        return failedBy(lost, secrets).end(tries, origin, "");
    }

    private HttpRequest requestOf(Sending sending) {
        var request = HttpRequest.newBuilder(addressOf(sending));
        if (sending.link() == null) request.header("X-Api-Key", apiKey);
        sending.headers().forEach(request::header);
        byte[] body = sending.bytes();
        if (sending.json() != null) {
            request.header("Content-Type", "application/json");
            body = JsonText.of(sending.json()).getBytes(StandardCharsets.UTF_8);
        }
        var publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
        return request.method(sending.operation().method, publisher).build();
    }

    private URI addressOf(Sending sending) {
        if (sending.link() != null) return URI.create(sending.link());
        String query = sending.query().entrySet().stream()
                .filter(one -> one.getValue() != null)
                .map(one -> one.getKey() + "=" + Operation.escape(one.getValue()))
                .collect(Collectors.joining("&"));
        String path = sending.operation().fill(sending.places());
        return URI.create(url + path + (query.isEmpty() ? "" : "?" + query));
    }

    private Secrets secretsOf(Sending sending) {
        if (sending.link() == null) return secrets;
        String path = URI.create(sending.link()).getRawPath();
        String token = path.substring(path.lastIndexOf('/') + 1);
        return secrets.with(token.isEmpty() ? sending.link() : token);
    }

    /** Scheme, host and port: a path, a link or a name before the host may be a secret. */
    private String originOf(Sending sending) {
        URI address = URI.create(sending.link() == null ? url : sending.link());
        String port = address.getPort() < 0 ? "" : ":" + address.getPort();
        return address.getScheme() + "://" + address.getHost() + port;
    }
}
