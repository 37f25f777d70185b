package intaglio.client;

/**
 * A PDF in memory.
 *
 * @param bytes its bytes
 * @param sha256 its SHA-256 in hexadecimal, computed while it came in
 * @param requestId identifier of the call that gave it
 */
public record Pdf(byte[] bytes, String sha256, String requestId) {
}
