package intaglio.client;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Large jobs inside the service, one document for each row. Streams of rows read them as they come:
 * close those that you do not read to their end, best with {@code try}.
 */
public final class Runs {
    /** Entries fetched by one request. */
    private static final int PAGE = 100;
    /** States in which the service still works at a run. */
    private static final Set<String> UNDER_WAY = Set.of("checking", "running", "paused");
    /** Streams of events that may break off one after the other without an event. */
    private static final int BREAKS_MAX = 10;

    private final Transport transport;
    private final Cancel cancel;

    Runs(Transport transport, Cancel cancel) {
        this.transport = transport;
        this.cancel = cancel;
    }

    /**
     * Makes a run that accepts rows, once however often the call is repeated.
     *
     * @param request what to make
     * @return the run
     */
    public Api.Run create(RunRequest request) {
        Arguments.notNull(request, "request");
        return run(Sending.of(Operation.createRun)
                .header("Idempotency-Key", request.idempotencyKey())
                .json(request.body()));
    }

    /**
     * All runs of the team, newest first.
     *
     * @return the runs, fetched page by page
     */
    public Stream<Api.Run> list() {
        return pages(Sending.of(Operation.listRuns), "runs", Api.Run.class);
    }

    /**
     * A run with its parts, of which there are at most 500.
     *
     * @param runId identifier of the run
     * @return the run
     */
    public Api.RunWithParts get(String runId) {
        return transport.record(Api.RunWithParts.class, Sending.of(Operation.getRun, runId), cancel);
    }

    /**
     * Uploads one part. The same part again changes nothing.
     *
     * @param runId identifier of the run
     * @param part number of the part, from 1
     * @param format how the rows are written
     * @param rows whole rows in UTF-8, at most 16 MB
     * @return the part
     */
    public Api.RunPart putPart(String runId, int part, RowFormat format, byte[] rows) {
        return sent(part(runId, part, format, rows));
    }

    private static Sending part(String runId, int part, RowFormat format, byte[] rows) {
        Arguments.atLeastOne(part, "part");
        Arguments.notNull(format, "format");
        Arguments.notNull(rows, "rows");
        String digest = Base64.getEncoder().encodeToString(WholeFile.sha256().digest(rows));
        return Sending.of(Operation.putRunPart, runId, part)
                .header("Content-Type", format.type)
                .header("Content-Digest", "sha-256=:" + digest + ":")
                .bytes(rows);
    }

    /**
     * Uploads a file in UTF-8 in parts. After an interruption, call it again: parts that the run
     * has are skipped. A file that was changed meanwhile ends in {@link FileException}. A file of
     * corrections is uploaded in the same way.
     *
     * @param runId identifier of the run
     * @param file rows of any number
     * @param format how they are written
     * @return what was sent
     */
    public Uploaded upload(String runId, Path file, RowFormat format) {
        return upload(runId, file, format, StandardCharsets.UTF_8);
    }

    /**
     * As the other {@code upload}, of a file in another encoding.
     *
     * @param runId identifier of the run
     * @param file rows of any number
     * @param format how they are written
     * @param charset an encoding in which ASCII characters are single bytes, such as
     *     {@code Charset.forName("x-windows-874")}
     * @return what was sent
     */
    public Uploaded upload(String runId, Path file, RowFormat format, Charset charset) {
        Arguments.file(file);
        Arguments.notNull(format, "format");
        Arguments.notNull(charset, "charset");
        List<Api.RunPart> before = parts(runId).sorted(Comparator.comparing(Api.RunPart::part)).toList();
        var places = new HashMap<String, Integer>();
        for (int place = 0; place < before.size(); place++) places.put(before.get(place).sha256(), place);
        var found = new HashSet<String>();
        int number = before.isEmpty() ? 0 : (int) before.get(before.size() - 1).part();
        int sent = 0;
        int skipped = 0;
        int next = 0;
        try (var rows = new RowFile(file, format, charset)) {
            for (RowFile.Part part = rows.next(); part != null; part = rows.next()) {
                String sha256 = HexFormat.of().formatHex(WholeFile.sha256().digest(part.rows()));
                if (places.containsKey(sha256)) {
                    found.add(sha256);
                    next = places.get(sha256) + 1;
                    skipped++;
                    continue;
                }
                // An upload ended in the middle of this file, and the part that it sent next is not in it.
                boolean isFollowed = sent == 0 && skipped > 0 && next < before.size();
                if (isFollowed && !found.contains(before.get(next).sha256())) {
                    throw changed(file, before.get(next));
                }
                number++;
                Sending sending = part(runId, number, format, part.rows());
                sent(sending.query("firstLine", part.firstLine()));
                sent++;
            }
        }
        int others = (int) before.stream().filter(one -> !found.contains(one.sha256())).count();
        return new Uploaded(sent, skipped, others);
    }

    private Api.RunPart sent(Sending sending) {
        Api.RunPart made = transport.record(Api.RunPart.class, sending, cancel);
        return Records.withDigest(made, made.sha256());
    }

    private static FileException changed(Path file, Api.RunPart other) {
        return new FileException(file, "the file was changed after its upload began, or another file was uploaded"
                + " meanwhile: part " + other.part() + " of the run is none of it. Upload the file as it was, or"
                + " all of it into a new run", null);
    }

    /**
     * All parts of a run, in the order of their numbers.
     *
     * @param runId identifier of the run
     * @return the parts, fetched page by page
     */
    public Stream<Api.RunPart> parts(String runId) {
        return pages(Sending.of(Operation.getRun, runId), "parts", "nextPart", Api.RunPart.class);
    }

    /**
     * Checks all rows, then makes the documents.
     *
     * @param runId identifier of the run
     * @return the run
     */
    public Api.Run start(String runId) {
        return run(Sending.of(Operation.startRun, runId).json(Map.of()));
    }

    /**
     * Checks all rows and makes no document.
     *
     * @param runId identifier of the run
     * @return the run
     */
    public Api.Run check(String runId) {
        return run(Sending.of(Operation.startRun, runId).json(Map.of("dryRun", true)));
    }

    /**
     * As {@link #start}, and leaves out invalid rows.
     *
     * @param runId identifier of the run
     * @return the run
     */
    public Api.Run startWithoutInvalid(String runId) {
        return run(Sending.of(Operation.startRun, runId).json(Map.of("onInvalid", "skip")));
    }

    /**
     * Stops making documents until {@link #resume}.
     *
     * @param runId identifier of the run
     * @return the run
     */
    public Api.Run pause(String runId) {
        return run(Sending.of(Operation.pauseRun, runId).json(Map.of()));
    }

    /**
     * Goes on after {@link #pause}.
     *
     * @param runId identifier of the run
     * @return the run
     */
    public Api.Run resume(String runId) {
        return run(Sending.of(Operation.resumeRun, runId).json(Map.of()));
    }

    /**
     * Nothing more is stored; stored documents stay.
     *
     * @param runId identifier of the run
     * @return the run
     */
    public Api.Run cancel(String runId) {
        return run(Sending.of(Operation.cancelRun, runId).json(Map.of()));
    }

    /**
     * The run whenever it changes, and last when it is neither checked nor run nor paused. The
     * service ends this after an hour; {@link #watch} goes on.
     *
     * @param runId identifier of the run
     * @return the run, again and again
     */
    public Stream<Api.Run> follow(String runId) {
        Lines lines = transport.events(Sending.of(Operation.followRun, runId), cancel);
        return stream(() -> {
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (line.startsWith("data: ")) {
                    return Records.read(Api.Run.class, Json.readObject(line.substring("data: ".length())));
                }
            }
            return null;
        }).onClose(lines::close);
    }

    /**
     * Waits until the service does not work at the run any more, through restarts of the service.
     *
     * @param runId identifier of a run that was started
     * @param changed gets the run whenever it changes
     * @return the run at its end: done, stopped or cancelled
     */
    public Api.Run watch(String runId, Consumer<Api.Run> changed) {
        Arguments.notNull(changed, "changed");
        for (int breaks = 0;;) {
            Api.Run last = null;
            try (Stream<Api.Run> events = follow(runId)) {
                for (Iterator<Api.Run> each = events.iterator(); each.hasNext();) {
                    last = each.next();
                    changed.accept(last);
                    breaks = 0;
                }
            } catch (NoAnswerException broken) {
                // Opening a stream has its own repetitions; what broke here is one that was open.
                if (broken.tries() > 1 || breaks == BREAKS_MAX) throw broken;
            }
            if (last != null && !UNDER_WAY.contains(last.state())) return last;
            breaks++;
            cancel.sleep(TimeUnit.SECONDS.toNanos(1));
        }
    }

    /**
     * What became of each row, in the order of the file; a million rows need no more memory.
     *
     * @param runId identifier of the run
     * @return the rows
     */
    public Stream<ManifestRow> manifest(String runId) {
        return rows(Sending.of(Operation.getRunManifest, runId), RowKind.MANIFEST, ManifestRow.class);
    }

    /**
     * The rows that have one outcome.
     *
     * @param runId identifier of the run
     * @param outcome such as {@code invalid} or {@code failed}
     * @return the rows
     */
    public Stream<ManifestRow> manifest(String runId, String outcome) {
        Sending sending = Sending.of(Operation.getRunManifest, runId).query("outcome", Arguments.text(outcome, "outcome"));
        return rows(sending, RowKind.MANIFEST, ManifestRow.class);
    }

    /**
     * Writes what became of each row, as lines of JSON.
     *
     * @param runId identifier of the run
     * @param path where it is written
     * @return the file
     */
    public WrittenFile manifestToFile(String runId, Path path) {
        return write(Sending.of(Operation.getRunManifest, runId), WholeFile.Kind.MANIFEST, path);
    }

    /**
     * Rows that are invalid or failed, with their data.
     *
     * @param runId identifier of the run
     * @return the rows, fetched page by page
     */
    public Stream<ExceptionRow> exceptions(String runId) {
        return pages(Sending.of(Operation.listRunExceptions, runId), "rows", ExceptionRow.class);
    }

    /**
     * Rows that need an eye and have one outcome, with their data.
     *
     * @param runId identifier of the run
     * @param outcome invalid, failed, identical, refused or withdrawn
     * @return the rows, fetched page by page
     */
    public Stream<ExceptionRow> exceptions(String runId, String outcome) {
        Sending sending = Sending.of(Operation.listRunExceptions, runId).query("outcome", Arguments.text(outcome, "outcome"));
        return pages(sending, "rows", ExceptionRow.class);
    }

    /**
     * Takes invalid and failed rows out of the run, all of them or none.
     *
     * @param runId identifier of the run
     * @param rows their places
     * @return the run
     */
    public Api.Run withdraw(String runId, List<RowAddress> rows) {
        for (RowAddress one : Arguments.notNull(rows, "rows")) Arguments.notNull(one, "rows");
        var places = rows.stream().map(one -> Map.of("part", one.part(), "line", one.line())).toList();
        return run(Sending.of(Operation.withdrawRunRows, runId).json(Map.of("rows", places)));
    }

    /**
     * Writes all stored documents as one ZIP archive.
     *
     * @param runId identifier of the run
     * @param path where it is written
     * @return the file
     */
    public WrittenFile zipToFile(String runId, Path path) {
        return write(Sending.of(Operation.getRunZip, runId), WholeFile.Kind.ZIP, path);
    }

    /**
     * The merged print files that are finished.
     *
     * @param runId identifier of the run
     * @return the print files, fetched page by page
     */
    public Stream<Api.RunPrint> prints(String runId) {
        return pages(Sending.of(Operation.listRunPrints, runId), "prints", Api.RunPrint.class);
    }

    /**
     * Writes a merged print file.
     *
     * @param runId identifier of the run
     * @param number number of the print file, from 1
     * @param path where it is written
     * @return the file
     */
    public WrittenFile printToFile(String runId, long number, Path path) {
        return write(Sending.of(Operation.getRunPrint, runId, number), WholeFile.Kind.PDF, path);
    }

    /**
     * Which pages of a print file belong to which document, in the order of the pages.
     *
     * @param runId identifier of the run
     * @param number number of the print file, from 1
     * @return the documents
     */
    public Stream<PrintIndexRow> printIndex(String runId, long number) {
        return rows(Sending.of(Operation.getRunPrintIndex, runId, number), RowKind.PRINT_INDEX, PrintIndexRow.class);
    }

    private Api.Run run(Sending sending) {
        Api.Run made = transport.record(Api.Run.class, sending, cancel);
        return Records.checked(made, made.runId());
    }

    private WrittenFile write(Sending sending, WholeFile.Kind kind, Path path) {
        return transport.file(sending, cancel, kind, Digest.OF_ANSWER, path);
    }

    private <T> Stream<T> rows(Sending sending, RowKind kind, Class<T> type) {
        Lines lines = transport.list(sending, cancel);
        return stream(() -> {
            String line = lines.next();
            return line == null ? null : Records.read(type, kind.read(line));
        }).onClose(lines::close);
    }

    private <T> Stream<T> pages(Sending sending, String member, Class<T> type) {
        return pages(sending.query("limit", PAGE), member, "next", type);
    }

    /**
     * The entries of a list, whose member {@code next} is the value of {@code after} for its next
     * page.
     */
    private <T> Stream<T> pages(Sending sending, String member, String next, Class<T> type) {
        return stream(new Supplier<T>() {
            private Iterator<?> page = List.of().iterator();
            private Object after = "";

            @Override
            public T get() {
                while (!page.hasNext()) {
                    if (after == null) return null;
                    Object from = after.equals("") ? null : after;
                    Map<?, ?> body = transport.json(sending.query("after", from), cancel);
                    if (!(body.get(member) instanceof List<?> list)) {
                        throw new BadAnswerException("the answer is no list of the service; does a proxy answer?");
                    }
                    page = list.iterator();
                    after = body.get(next);
                }
                if (page.next() instanceof Map<?, ?> map) return Records.read(type, map);
                throw new BadAnswerException("an entry of the answer is no object");
            }
        });
    }

    /** A stream of what the supplier gives, up to its first null. */
    private static <T> Stream<T> stream(Supplier<T> supplier) {
        var iterator = new Iterator<T>() {
            private T next;

            @Override
            public boolean hasNext() {
                if (next == null) next = supplier.get();
                return next != null;
            }

            @Override
            public T next() {
                if (!hasNext()) throw new NoSuchElementException();
                T given = next;
                next = null;
                return given;
            }
        };
        int kind = Spliterator.ORDERED | Spliterator.NONNULL;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator, kind), false);
    }
}
