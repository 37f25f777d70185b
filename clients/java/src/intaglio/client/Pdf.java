package intaglio.client;

/**
 * A PDF in memory.
 *
 * @param bytes its bytes
 * @param sha256 its SHA-256 in hexadecimal, computed while it came in
 * @param requestId identifier of the call that gave it
 * @param verified whether it was compared with a digest: one that was given, or the {@code ETag} of a
 *     stored document; otherwise only its beginning and its end were checked
 */
public record Pdf(byte[] bytes, String sha256, String requestId, boolean verified) {
}
