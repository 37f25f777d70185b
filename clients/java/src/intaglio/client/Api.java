// Made from the schemas of the service by `npm run generate`.
package intaglio.client;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Responses of the service. A member that the service left out is null, a list or map is empty. A
 * later release may add words to a text that is one of a fixed list of words.
 */
public final class Api {
    /** Codes with a status that asks for a repetition, which would change nothing. */
    static final Set<String> FINAL_CODES = Set.of("protection_unavailable");

    private Api() {
    }

    /**
     * Field error.
     *
     * @param field field
     * @param reason reason
     */
    public record FieldError(
            String field,
            String reason) {
    }

    /**
     * A document that was stored.
     *
     * @param documentId document id
     * @param url Fresh, time-limited link. Keep the documentId, not the link.
     * @param sha256 sha256
     * @param expiresAt expires at
     */
    public record Acknowledgement(
            String documentId,
            String url,
            String sha256,
            Instant expiresAt) {
    }

    /**
     * The maker of the document, where the audit has it. Only users of the Studio receive it.
     *
     * @param principal user:&lt;userId&gt; or key:&lt;keyId&gt;; of a run, its creator.
     * @param name Displayed name of the user, or name of the key.
     * @param runId The run that made the document.
     */
    public record DocumentMaker(
            String principal,
            String name,
            String runId) {
    }

    /**
     * A stored document.
     *
     * @param documentId document id
     * @param templateId template id
     * @param version version
     * @param sha256 sha256
     * @param createdAt created at
     * @param expiresAt expires at
     * @param url Fresh, time-limited link. Keep the documentId, not the link.
     * @param reference Its reference, if the template keeps it as a text.
     * @param fileName The name of its file, if the template declares one.
     * @param madeBy The maker of the document, where the audit has it. Only users of the Studio
     * receive it.
     */
    public record DocumentRecord(
            String documentId,
            String templateId,
            long version,
            String sha256,
            Instant createdAt,
            Instant expiresAt,
            String url,
            String reference,
            String fileName,
            DocumentMaker madeBy) {
    }

    /**
     * How people are asked for the value, in the languages of the template.
     *
     * @param label A text by language tag, such as { "th": "…", "en": "…" }.
     * @param help A text by language tag, such as { "th": "…", "en": "…" }.
     * @param group A text by language tag, such as { "th": "…", "en": "…" }.
     * @param example A text by language tag, such as { "th": "…", "en": "…" }.
     * @param choices Labels of validation.choices, by value.
     * @param columns table: headings of the columns
     * @param secret text, date: the service shows the value to nobody again
     */
    public record FieldPresentation(
            Map<String, String> label,
            Map<String, String> help,
            Map<String, String> group,
            Map<String, String> example,
            Map<String, Map<String, String>> choices,
            List<Map<String, String>> columns,
            Boolean secret) {
    }

    /**
     * How the template prints the value; for callers to show the same.
     *
     * @param decimals number
     * @param thousandsSeparator number
     * @param prefix number
     * @param suffix number
     * @param style number: bahttext
     * @param words number: spelled out
     * @param currency number: ISO 4217 code of the money in words
     * @param case_ text, number, date: upper, lower, title
     * @param language text, number, date: BCP 47 tag
     * @param digits number, date: latin, thai
     * @param mask text: signs shown and hidden, such as XXX-X-Xxxxx-x
     * @param calendar date: gregory, buddhist
     * @param pattern date: such as d MMMM yyyy
     * @param presentation How people are asked for the value, in the languages of the template.
     */
    public record FieldFormat(
            Long decimals,
            Boolean thousandsSeparator,
            String prefix,
            String suffix,
            String style,
            Boolean words,
            String currency,
            String case_,
            String language,
            String digits,
            String mask,
            String calendar,
            String pattern,
            FieldPresentation presentation) {
    }

    /**
     * Conditions on the value beyond its type.
     *
     * @param min number: inclusive; date: YYYY-MM-DD
     * @param max number: inclusive; date: YYYY-MM-DD
     * @param minLength text: Unicode code points
     * @param maxLength text: Unicode code points
     * @param pattern text: regular expression
     * @param choices text, number, date: the only values that are taken
     * @param computed text, number, date, qrcode: the template computes it; callers cannot send it
     * @param minItems list: entries of each array
     * @param maxItems list: entries of each array
     * @param maxItemsTotal list: entries of all its arrays, with those of lists inside it
     */
    public record FieldValidation(
            Object min,
            Object max,
            Long minLength,
            Long maxLength,
            String pattern,
            List<String> choices,
            Boolean computed,
            Long minItems,
            Long maxItems,
            Long maxItemsTotal) {
    }

    /**
     * A field of a template.
     *
     * @param name Key to use inside data.
     * @param type type: text, number, date, image, qrcode, table, svg, record, list
     * @param required required
     * @param format How the template prints the value; for callers to show the same.
     * @param validation Conditions on the value beyond its type.
     * @param fields record, list: the fields of the object, or of each entry; they have the same keys.
     */
    public record Field(
            String name,
            String type,
            boolean required,
            FieldFormat format,
            FieldValidation validation,
            List<Map<String, Object>> fields) {
    }

    /**
     * The fields of a template version.
     *
     * @param templateId template id
     * @param version version
     * @param status status: published, draft
     * @param fields fields
     */
    public record FieldContract(
            String templateId,
            long version,
            String status,
            List<Field> fields) {
    }

    /**
     * Verified document.
     *
     * @param documentId document id
     * @param templateId template id
     * @param version version
     * @param createdAt created at
     * @param expiresAt expires at
     * @param available false: it has expired and its file is gone, or its file is damaged or lost.
     * @param reference Its reference, if the template keeps it as a text.
     * @param fileName The name of its file, if the template declares one.
     */
    public record VerifiedDocument(
            String documentId,
            String templateId,
            long version,
            Instant createdAt,
            Instant expiresAt,
            boolean available,
            String reference,
            String fileName) {
    }

    /**
     * Unstored answer.
     *
     * @param at at
     * @param requestId request id
     * @param templateId template id
     * @param version version
     */
    public record UnstoredAnswer(
            Instant at,
            String requestId,
            String templateId,
            long version) {
    }

    /**
     * Draft answer.
     *
     * @param at at
     * @param requestId request id
     * @param templateId template id
     */
    public record DraftAnswer(
            Instant at,
            String requestId,
            String templateId) {
    }

    /**
     * Whether a file was made for the team.
     *
     * @param issued A stored document of the caller's team has these bytes, or this reference. false
     * for a reference does not prove that none was issued: the reference of a document is forgotten
     * when the document expires. Its file can still be verified.
     * @param sha256 sha256
     * @param reference The reference that was asked for; in capitals if only these were found.
     * @param documentId document id
     * @param templateId template id
     * @param version version
     * @param createdAt created at
     * @param expiresAt expires at
     * @param available false: it has expired and its file is gone, or its file is damaged or lost.
     * @param documents Every such document, at most 20: the oldest first, by reference the newest. The
     * members above are those of the first, without its reference and file name.
     * @param madeHere Responses in mode sync with these bytes, which were not stored, at most 20.
     * @param drafts Previews of drafts with these bytes. They were made from no published version.
     */
    public record Verification(
            boolean issued,
            String sha256,
            String reference,
            String documentId,
            String templateId,
            Long version,
            Instant createdAt,
            Instant expiresAt,
            Boolean available,
            List<VerifiedDocument> documents,
            List<UnstoredAnswer> madeHere,
            List<DraftAnswer> drafts) {
    }

    /**
     * How CSV rows write what the field contract has as 1250.50 and 2026-12-31; a cell that is not
     * in this format is invalid. Without it, cells are as the contract has them.
     *
     * @param delimiter Between cells. Comma, semicolon and tab are recognised when omitted: ",", ";",
     * "|", tab
     * @param decimal Before the decimals of numbers, whose digits may be in groups of three: ".", ","
     * @param date Order in dates, with /, . or - between; the year has four digits: d/m/y, m/d/y,
     * y/m/d
     * @param calendar Calendar of the years; gregory when omitted. It needs date: gregory, buddhist
     */
    public record CsvFormat(
            String delimiter,
            String decimal,
            String date,
            String calendar) {
    }

    /**
     * A part of the rows of a run.
     *
     * @param part part
     * @param sha256 Digest of the rows, unpacked and in UTF-8.
     * @param format format: ndjson, csv
     * @param bytes bytes
     * @param checked checked
     */
    public record RunPart(
            long part,
            String sha256,
            String format,
            long bytes,
            boolean checked) {
    }

    /**
     * Run counts.
     *
     * @param received Rows checked so far: the sum of the next six, each row once.
     * @param stored stored
     * @param pending Valid rows that are not stored yet.
     * @param invalid invalid
     * @param failed failed
     * @param withdrawn withdrawn
     * @param identical Rows that are identical to an earlier one.
     * @param refused Corrections that the last check refused: no rows.
     * @param pages pages
     * @param bytes Size of the stored documents.
     * @param bytesReceived bytes received
     * @param bytesChecked bytes checked
     */
    public record RunCounts(
            long received,
            long stored,
            long pending,
            long invalid,
            long failed,
            long withdrawn,
            long identical,
            long refused,
            long pages,
            long bytes,
            long bytesReceived,
            long bytesChecked) {
    }

    /**
     * Run expected.
     *
     * @param rows rows
     * @param sums sums
     */
    public record RunExpected(
            Long rows,
            Map<String, String> sums) {
    }

    /**
     * Run source.
     *
     * @param path path
     * @param format format: ndjson, csv
     * @param encoding The encoding that was named; null: it is recognised: utf-8, windows-874
     */
    public record RunSource(
            String path,
            String format,
            String encoding) {
    }

    /**
     * Run reason.
     *
     * @param name name
     * @param expected expected
     * @param actual actual
     * @param advice Advice for a run that has all its expected documents and has got further rows
     * since.
     * @param unread Faulty rows whose amount cannot be read: it counts as 0 in actual.
     * @param unreadWithdrawn The same of withdrawn rows, which cannot be corrected: the total must be
     * lower by their amounts.
     */
    public record RunReason(
            String name,
            String expected,
            String actual,
            String advice,
            Long unread,
            Long unreadWithdrawn) {
    }

    /**
     * A run.
     *
     * @param runId run id
     * @param name name
     * @param templateId template id
     * @param version version
     * @param idField id field
     * @param state state
     * @param dryRun dry run
     * @param counts counts
     * @param expected expected
     * @param onInvalid on invalid: stop, skip
     * @param invalidShareMax invalid share max
     * @param retentionSeconds retention seconds
     * @param documentsPerPrint documents per print
     * @param passwordsByRow Each document opens with a password of its row.
     * @param signed The documents are signed.
     * @param source The file that its rows are read from.
     * @param csv How its CSV rows are written; null: as the contract has them.
     * @param reasons Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a
     * field whose sum does not match. While it is under way, what it waits for: signer, key (of its
     * rows) or protection (qpdf). Empty in the state stopped: what stopped it holds no more since rows
     * were withdrawn, and a start goes on.
     * @param createdBy Who created it: user:&lt;userId&gt; or key:&lt;keyId&gt;.
     * @param createdAt created at
     * @param startedAt started at
     * @param endedAt ended at
     */
    public record Run(
            String runId,
            String name,
            String templateId,
            long version,
            String idField,
            String state,
            boolean dryRun,
            RunCounts counts,
            RunExpected expected,
            String onInvalid,
            BigDecimal invalidShareMax,
            long retentionSeconds,
            Long documentsPerPrint,
            boolean passwordsByRow,
            boolean signed,
            RunSource source,
            CsvFormat csv,
            List<RunReason> reasons,
            String createdBy,
            Instant createdAt,
            Instant startedAt,
            Instant endedAt) {
    }

    /**
     * Run source progress.
     *
     * @param path path
     * @param format format: ndjson, csv
     * @param encoding How its text was read, once read; before, the encoding that was named: utf-8,
     * windows-874, utf-16le, utf-16be
     * @param read Whether it was read to its end.
     * @param parts Parts made of it so far.
     * @param bytes Size of the stored file, once read.
     * @param sha256 SHA-256 of the stored file, once read.
     */
    public record RunSourceProgress(
            String path,
            String format,
            String encoding,
            boolean read,
            long parts,
            Long bytes,
            String sha256) {
    }

    /**
     * A run with its parts.
     *
     * @param runId run id
     * @param name name
     * @param templateId template id
     * @param version version
     * @param idField id field
     * @param state state
     * @param dryRun dry run
     * @param counts counts
     * @param expected expected
     * @param onInvalid on invalid: stop, skip
     * @param invalidShareMax invalid share max
     * @param retentionSeconds retention seconds
     * @param documentsPerPrint documents per print
     * @param passwordsByRow Each document opens with a password of its row.
     * @param signed The documents are signed.
     * @param source The file that its rows are read from.
     * @param csv How its CSV rows are written; null: as the contract has them.
     * @param reasons Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a
     * field whose sum does not match. While it is under way, what it waits for: signer, key (of its
     * rows) or protection (qpdf). Empty in the state stopped: what stopped it holds no more since rows
     * were withdrawn, and a start goes on.
     * @param createdBy Who created it: user:&lt;userId&gt; or key:&lt;keyId&gt;.
     * @param createdAt created at
     * @param startedAt started at
     * @param endedAt ended at
     * @param createdByName Displayed name of the user, or name of the key, that created it. Only users
     * of the Studio get it.
     * @param sums Sums of the valid rows, then of the stored documents.
     * @param fileSums Sums of all rows of the file, identical ones once.
     * @param damagedDocuments Stored documents that were found damaged or missing: the ZIP is without
     * them.
     * @param documentsExpired It has stored documents, and all of them have expired.
     * @param partCount How many parts the run has.
     * @param lastPart The highest number of a part; 0: there is none.
     * @param parts In the order of their numbers, at most 500.
     * @param nextPart The value of `after` that gives the next parts.
     */
    public record RunWithParts(
            String runId,
            String name,
            String templateId,
            long version,
            String idField,
            String state,
            boolean dryRun,
            RunCounts counts,
            RunExpected expected,
            String onInvalid,
            BigDecimal invalidShareMax,
            long retentionSeconds,
            Long documentsPerPrint,
            boolean passwordsByRow,
            boolean signed,
            RunSourceProgress source,
            CsvFormat csv,
            List<RunReason> reasons,
            String createdBy,
            Instant createdAt,
            Instant startedAt,
            Instant endedAt,
            String createdByName,
            Map<String, String> sums,
            Map<String, String> fileSums,
            long damagedDocuments,
            boolean documentsExpired,
            long partCount,
            long lastPart,
            List<RunPart> parts,
            Long nextPart) {
    }

    /**
     * Run print.
     *
     * @param number number
     * @param documents documents
     * @param pages pages
     * @param bytes bytes
     * @param sha256 SHA-256 of the file; null: an earlier version made it.
     */
    public record RunPrint(
            long number,
            long documents,
            long pages,
            long bytes,
            String sha256) {
    }

    /**
     * Identities team.
     *
     * @param teamId team id
     * @param name name
     * @param active active
     */
    public record IdentitiesTeam(
            String teamId,
            String name,
            boolean active) {
    }

    /**
     * Identities user.
     *
     * @param userId user id
     * @param teamId team id
     * @param role role: Editor, Admin, Viewer
     * @param displayName display name
     * @param email email
     * @param active active
     */
    public record IdentitiesUser(
            String userId,
            String teamId,
            String role,
            String displayName,
            String email,
            boolean active) {
    }

    /**
     * Teams and users as they are.
     *
     * @param teams teams
     * @param users users
     */
    public record Identities(
            List<IdentitiesTeam> teams,
            List<IdentitiesUser> users) {
    }

    /**
     * Change counts.
     *
     * @param created created
     * @param updated updated
     * @param deactivated deactivated
     * @param unchanged unchanged
     */
    public record ChangeCounts(
            long created,
            long updated,
            long deactivated,
            long unchanged) {
    }

    /**
     * Numbers of changes.
     *
     * @param teams teams
     * @param users users
     */
    public record IdentityCounts(
            ChangeCounts teams,
            ChangeCounts users) {
    }
}
