package intaglio.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What ends a call leaves its thread as it was, as only an interruption of it stays: URL of a server
 * that answers all documents but "never".
 */
public final class Interrupts {
    private static final int RACES = 400;
    private static final int CANCELLATIONS = 200;

    private Interrupts() {
    }

    /**
     * Writes how calls end, and whether their thread is interrupted then.
     *
     * @param args the address
     * @throws Exception when a thread cannot be joined
     */
    public static void main(String[] args) throws Exception {
        Intaglio client = Intaglio.of(args[0], "ik_x");
        Thread caller = Thread.currentThread();
        later(300, caller::interrupt);
        tell("interruption", client, "never");
        var cancel = new Cancel();
        later(300, cancel::cancel);
        tell("cancellation", client.with(cancel), "never");
        tell("time limit", client.with(Cancel.after(Duration.ofMillis(300))), "never");
        tell("silence", Intaglio.builder(args[0], "ik_x").silenceMax(Duration.ofMillis(300)).triesMax(2).build(),
                "never");
        int cancelled = 0;
        int interrupted = 0;
        for (int race = 0; race < RACES; race++) {
            var racing = new Cancel();
            long micros = race * 20L;
            var other = new Thread(() -> {
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros));
                // Each could interrupt the call.
                for (int time = 0; time < CANCELLATIONS; time++) racing.cancel();
            });
            other.start();
            try {
                client.with(racing).document("d-1");
            } catch (CancelledException ended) {
                cancelled++;
            }
            if (Thread.interrupted()) interrupted++;
            other.join();
        }
        System.out.println("races: interrupted " + interrupted);
        System.err.println(cancelled + " of " + RACES + " cancelled");
        System.out.println("then: " + client.document("d-1").documentId());
        System.exit(0);
    }

    private static void later(long millis, Runnable action) {
        var thread = new Thread(() -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            action.run();
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void tell(String what, Intaglio client, String documentId) {
        String end = "an answer";
        try {
            client.document(documentId);
        } catch (IntaglioException error) {
            end = error.getClass().getSimpleName();
        }
        System.out.println(what + ": " + end + ", interrupted " + Thread.interrupted());
    }
}
