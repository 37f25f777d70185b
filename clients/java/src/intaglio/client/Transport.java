package intaglio.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
    /** Longest body of a refusal; the service's own have a few KB. */
    private static final int REFUSAL_BYTES_MAX = 1 << 20;
    /** Statuses that a repetition may change. 502 and 504 are a balancer's: no answer came. */
    private static final Set<Integer> REPEATED = Set.of(429, 502, 503, 504);

    private final HttpClient http;
    private final String url;
    private final String apiKey;
    private final Limits limits;
    private final Pace pace;

    Transport(HttpClient http, String url, String apiKey, Limits limits) {
        this.http = http;
        this.url = url;
        this.apiKey = apiKey;
        this.limits = limits;
        this.pace = new Pace(limits.requestsMax);
    }

    /** Bounds of the calls, as {@link Intaglio.Builder} has them. */
    record Limits(int requestsMax, Duration silenceMax, int triesMax, Duration retryMax) {
    }

    /** What a call makes of its answer. It begins anew when the body breaks off. */
    interface Reader<T> {
        T read(Answer answer) throws IOException;
    }

    /** A try that failed and may be made again. */
    private record Failed(ServiceException refusal, Lost.Reason lost, Throwable cause, Duration asked) {
        static Failed lost(Throwable cause) {
            return new Failed(null, Lost.reasonOf(cause), cause, Duration.ZERO);
        }

        boolean isFinal() {
            return lost != null && lost.isFinal();
        }

        /** Whether the key has used up its calls of a window that ends soon enough. */
        boolean isOwnLimit(Duration waitMax) {
            return refusal != null
                    && refusal.code().equals("rate_limited")
                    && refusal.retryAfter().filter(wait -> wait.compareTo(waitMax) <= 0).isPresent();
        }
    }

    /** The body of a JSON answer. */
    Map<?, ?> json(Sending sending, Cancel cancel) {
        return send(sending, cancel, answer -> {
            String text = answer.text(JSON_BYTES_MAX);
            if (text != null) return Json.readObject(text);
            throw new BadAnswerException("the answer is no text, or longer than any of the service");
        });
    }

    /** The members of a JSON answer whose shape a template decides. */
    Map<String, Object> members(Sending sending, Cancel cancel) {
        var members = new LinkedHashMap<String, Object>();
        json(sending, cancel).forEach((name, value) -> members.put(String.valueOf(name), value));
        return members;
    }

    <T> T record(Class<T> type, Sending sending, Cancel cancel) {
        return Records.read(type, json(sending, cancel));
    }

    <T> T send(Sending sending, Cancel cancel, Reader<T> reader) {
        return repeat(sending, cancel, answer -> {
            try (answer) {
                return reader.read(answer);
            }
        });
    }

    /** The lines of a text as they come. A body that breaks off is not asked for again. */
    Lines lines(Sending sending, Cancel cancel) {
        return new Lines(repeat(sending, cancel, answer -> answer), originOf(sending));
    }

    /**
     * Calls of generateDocument wait for as many windows of the key's rate limit as they need:
     * thousands of calls at once pass one window after the other. {@code reader} closes the answer.
     */
    private <T> T repeat(Sending sending, Cancel cancel, Reader<T> reader) {
        boolean isCounted = sending.operation() == Operation.generateDocument;
        boolean isPaced = isCounted && limits.triesMax > 1 && !limits.retryMax.isZero();
        long endNanos = System.nanoTime() + limits.retryMax.toNanos();
        for (int tries = 1;;) {
            endNanos += takeTurn(isPaced, cancel);
            Failed failed;
            try {
                Answer answer = open(sending, cancel, isCounted);
                if (answer.status() < 300) return reader.read(answer);
                failed = refused(answer, isCounted);
            } catch (IOException lost) {
                failed = Failed.lost(lost.getCause() == null ? lost : lost.getCause());
            } finally {
                pace.giveSlot();
            }
            // Its own window: the loop waits for its end, and a call that waits cannot be too late
            // for it.
            if (isPaced && failed.isOwnLimit(limits.retryMax)) continue;
            Duration backOff = Pace.backOff(tries);
            long waitNanos = (failed.asked.compareTo(backOff) > 0 ? failed.asked : backOff).toNanos();
            boolean isLate = System.nanoTime() + waitNanos - endNanos > 0;
            if (failed.isFinal() || tries >= limits.triesMax || isLate) throw given(failed, sending, tries);
            cancel.sleep(waitNanos);
            tries++;
        }
    }

    /**
     * Waits for a slot, and a paced call also for the window; returns the nanoseconds for the
     * window.
     */
    private long takeTurn(boolean isPaced, Cancel cancel) {
        for (long waited = 0;;) {
            pace.takeSlot(cancel);
            if (!isPaced || pace.begin(limits.retryMax.toNanos())) return waited;
            // Other calls, which are not counted, may have the slot meanwhile.
            pace.giveSlot();
            long start = System.nanoTime();
            pace.await(cancel);
            waited += System.nanoTime() - start;
        }
    }

    private Answer open(Sending sending, Cancel cancel, boolean isCounted) throws IOException {
        HttpResponse<Body> response =
                new Opening().send(http, requestOf(sending), limits.silenceMax.toNanos(), cancel);
        if (isCounted) pace.learn(response.headers());
        return new Answer(response, limits.silenceMax, cancel);
    }

    private Failed refused(Answer answer, boolean isCounted) throws IOException {
        try (answer) {
            Duration asked = Pace.retryAfter(answer.headers());
            String text = answer.text(REFUSAL_BYTES_MAX);
            ServiceException refusal = ServiceException.of(answer.status(), text, asked);
            boolean isFinal = Api.FINAL_CODES.contains(refusal.code());
            if (isFinal || !REPEATED.contains(answer.status())) throw refusal;
            if (isCounted && answer.status() == 429 && asked != null) pace.hold(asked);
            return new Failed(refusal, null, null, asked == null ? Duration.ZERO : asked);
        }
    }

    private IntaglioException given(Failed failed, Sending sending, int tries) {
        if (failed.lost != null) {
            return new NoAnswerException(originOf(sending), failed.lost.why(), tries, failed.cause);
        }
        return new ServiceException(failed.refusal, failed.refusal.getMessage()
                + "; given up after " + tries + " tries: triesMax and retryMax allow more");
    }

    private HttpRequest requestOf(Sending sending) {
        var request = HttpRequest.newBuilder(addressOf(sending));
        if (sending.link() == null) request.header("X-Api-Key", apiKey);
        sending.headers().forEach(request::header);
        byte[] body = sending.bytes();
        if (sending.json() != null) {
            request.header("Content-Type", "application/json");
            body = Json.write(sending.json()).getBytes(StandardCharsets.UTF_8);
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

    /** Scheme, host and port: a path or a link may be a secret. */
    private String originOf(Sending sending) {
        URI address = URI.create(sending.link() == null ? url : sending.link());
        return address.getScheme() + "://" + address.getRawAuthority();
    }
}
