/** A client of Intaglio, the PDF generation service. It needs nothing but the JDK, from 17 on. */
module intaglio.client {
    requires transitive java.net.http;

    exports intaglio.client;
}
