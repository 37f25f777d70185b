package intaglio.client;

import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/** Heads of answers that HttpClient takes although they are no HTTP. */
final class Heads {
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    private Heads() {
    }

    /** An answer that is no HTTP; its message holds nothing of the answer. */
    static final class NoHttp extends IOException {
        private static final long serialVersionUID = 1L;

        NoHttp(String what) {
            super("the answer is no HTTP: " + what);
        }
    }

    /** Throws NoHttp for a status that HTTP does not have, and where the head does not tell one length. */
    static void check(HttpResponse<?> response) throws NoHttp {
        int status = response.statusCode();
        if (status < 200 || status > 599) throw new NoHttp("its status is none");
        HttpHeaders headers = response.headers();
        List<String> codings = headers.allValues("transfer-encoding");
        if (codings.size() > 1 || !codings.stream().allMatch(one -> one.strip().equalsIgnoreCase("chunked"))) {
            throw new NoHttp("its Transfer-Encoding is unknown");
        }
        var lengths = new HashSet<>(headers.allValues("content-length"));
        boolean areLengths = lengths.stream().allMatch(one -> LENGTH.matcher(one.strip()).matches());
        // RFC 9112 §6.3: of a length and chunks, one is wrong.
        boolean isOne = lengths.size() + codings.size() <= 1;
        if (!areLengths || !isOne) throw new NoHttp("it does not tell one length");
    }

    /** Whether the answer has this media type. */
    static boolean isOfType(HttpHeaders headers, String type) {
        String given = headers.firstValue("content-type").orElse("");
        return given.split(";", 2)[0].strip().equalsIgnoreCase(type);
    }
}
