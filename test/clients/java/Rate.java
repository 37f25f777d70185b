package intaglio.client;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Makes documents as fast as it can, in rounds: URL KEY BODY THREADS, and seconds on standard input. */
public final class Rate {
    private Rate() {
    }

    /**
     * Writes the documents per second of each round, and the CPU of this process per document in µs.
     *
     * @param args address, key, file with the data, threads
     * @throws Exception when a document cannot be made
     */
    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[3]);
        Intaglio client = Intaglio.builder(args[0], args[1]).requestsMax(threads).build();
        var data = new LinkedHashMap<String, Object>();
        Json.readObject(Files.readString(Path.of(args[2]))).forEach((name, value) -> data.put((String) name, value));
        var rounds = new BufferedReader(new InputStreamReader(System.in));
        for (String line = rounds.readLine(); line != null; line = rounds.readLine()) {
            System.out.println(round(client, data, threads, Double.parseDouble(line)));
        }
    }

    private static String round(Intaglio client, Map<String, ?> data, int count, double seconds) throws Exception {
        var made = new AtomicLong();
        var ended = new CountDownLatch(count);
        long cpu = cpuNanos();
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        for (int index = 0; index < count; index++) {
            var worker = new Thread(() -> {
                try {
                    while (System.nanoTime() - end < 0) {
                        client.generate(DocumentRequest.of("receipt", data));
                        made.incrementAndGet();
                    }
                } finally {
                    ended.countDown();
                }
            });
            worker.setDaemon(true);
            worker.start();
        }
        ended.await();
        double rate = made.get() / ((System.nanoTime() - start) / 1e9);
        return rate + " " + (cpuNanos() - cpu) / 1e3 / made.get();
    }

    private static long cpuNanos() {
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return system.getProcessCpuTime();
    }
}
