package intaglio.client;

import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Reaches servers with certificates, and one behind a proxy: FOLDER OTHER-NAME MUTUAL PROXY. */
public final class Reach {
    private static final char[] PASSWORD = "secret".toCharArray();

    private Reach() {
    }

    /**
     * Writes what each of them gives.
     *
     * @param args a folder with ca.pem and client.p12, and the addresses
     * @throws Exception when a certificate cannot be read
     */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        Intaglio.Builder unknown = Intaglio.builder(args[1], "ik_x");
        tell("unknown", unknown);
        tell("name", Intaglio.builder(args[1], "ik_x").sslContext(context(folder, false)));
        tell("mutual", Intaglio.builder(args[2], "ik_x").sslContext(context(folder, true)));
        tell("without", Intaglio.builder(args[2], "ik_x").sslContext(context(folder, false)).triesMax(1));
        URI proxy = URI.create(args[3]);
        ProxySelector selector = ProxySelector.of(new InetSocketAddress(proxy.getHost(), proxy.getPort()));
        tell("proxy", Intaglio.builder("http://documents.bank.example", "ik_x").proxy(selector));
    }

    private static void tell(String name, Intaglio.Builder builder) {
        String documentId = name.equals("proxy") ? "d-2" : "d-1";
        try {
            System.out.println(name + ": " + builder.build().document(documentId).documentId());
        } catch (IntaglioException error) {
            System.out.println(name + ": " + error.getMessage());
        }
    }

    /** Trusts the authority of the folder, and shows its certificate of a client. */
    static SSLContext context(Path folder, boolean hasKey) throws Exception {
        KeyStore authorities = KeyStore.getInstance("PKCS12");
        authorities.load(null, null);
        try (var file = Files.newInputStream(folder.resolve("ca.pem"))) {
            var certificate = CertificateFactory.getInstance("X.509").generateCertificate(file);
            authorities.setCertificateEntry("ca", certificate);
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(authorities);
        KeyStore own = KeyStore.getInstance("PKCS12");
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        try (var file = Files.newInputStream(folder.resolve("client.p12"))) {
            own.load(hasKey ? file : null, PASSWORD);
        }
        keys.init(own, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
