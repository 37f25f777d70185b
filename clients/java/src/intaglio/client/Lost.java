package intaglio.client;

import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;

/** Why no whole answer came, in words that hold nothing of the answer. */
final class Lost {
    private static final String STORE =
            "no authority that Java knows signed the certificate of the service: name a trust store with the"
                    + " authority's certificate in -Djavax.net.ssl.trustStore, or give an sslContext";

    private Lost() {
    }

    /**
     * The status of an answer that HttpClient makes an error of, once it has an authenticator; 0: it is
     * none. Those of HttpClient have no type of their own (jdk.internal.net.http.AuthenticationFilter).
     */
    static int statusOf(Throwable error) {
        String text = String.valueOf(error.getMessage());
        if (text.startsWith("WWW-Authenticate header missing") || text.equals("No credentials provided")) {
            return 401;
        }
        return text.startsWith("Proxy-Authenticate header missing") ? 407 : 0;
    }

    /**
     * A reason.
     *
     * @param why for people
     * @param isFinal whether a repetition would end in the same way
     */
    record Reason(String why, boolean isFinal) {
    }

    static Reason reasonOf(Throwable error) {
        if (error instanceof Body.Silent || error instanceof HttpTimeoutException) {
            return new Reason("the service was silent for too long", false);
        }
        if (error instanceof Gathered.Full) {
            return new Reason("the answers that are read at the same time would fill the memory: set a lower"
                    + " requestsMax, give the JVM more (-Xmx), or write to files", false);
        }
        if (error instanceof Heads.NoHttp) return new Reason(error.getMessage(), false);
        String text = String.valueOf(error.getMessage());
        if (text.startsWith("too many authentication attempts")) {
            return new Reason("the proxy refuses the name and the password of proxyAuthenticator", true);
        }
        // Its end is the status.
        if (text.matches("Tunnel failed, got: \\d{3}")) {
            return new Reason("the proxy answered with status " + text.substring(text.length() - 3), false);
        }
        String certificate = null;
        boolean isUnresolved = false;
        boolean isRefused = false;
        for (Throwable one = error; one != null; one = one.getCause()) {
            String fault = certificateFault(one);
            if (fault != null) certificate = fault;
            isUnresolved |= one instanceof UnresolvedAddressException;
            isRefused |= one instanceof ConnectException;
        }
        if (certificate != null) return new Reason(certificate, true);
        if (isUnresolved) return new Reason("the name of the host is not known", false);
        if (isRefused) return new Reason("the connection was refused", false);
        // HttpClient reads a head that is none so.
        if (error instanceof RuntimeException || error instanceof ProtocolException) {
            return new Reason("the answer is no HTTP (" + error.getClass().getSimpleName() + ")", false);
        }
        return new Reason("the connection was cut (" + error.getClass().getSimpleName() + ")", false);
    }

    /**
     * The fault of a certificate, from the innermost cause; null: the error concerns no certificate.
     */
    private static String certificateFault(Throwable error) {
        if (error instanceof CertificateExpiredException) {
            return "the certificate of the service has expired: renew it, or set the clock of this machine";
        }
        if (error instanceof CertificateNotYetValidException) {
            return "the certificate of the service is not valid yet: set the clock of this machine";
        }
        if (error instanceof CertPathBuilderException || error instanceof CertPathValidatorException) {
            return STORE;
        }
        if (!(error instanceof CertificateException)) return null;
        String text = String.valueOf(error.getMessage());
        // The two texts of sun.security.util.HostnameChecker for a name or address that it does not
        // have.
        boolean isName = text.startsWith("No subject alternative") || text.startsWith("No name matching");
        return isName
                ? "the certificate of the service is for another name: url needs one that stands in it"
                : "the certificate of the service was refused";
    }
}
