package intaglio.client;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes documents as fast as it can, in rounds: URL KEY TEMPLATE DATA THREADS. Standard input has the
 * seconds of each round.
 */
public final class Rate {
    private Rate() {
    }

    /**
     * Writes for each round: documents, milliseconds, and milliseconds of this process's CPU.
     *
     * @param args address, key, template, file with the data, threads
     * @throws Exception when a document cannot be made
     */
    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[4]);
        Intaglio client = Intaglio.builder(args[0], args[1]).requestsMax(threads).build();
        var data = new LinkedHashMap<String, Object>();
        Json.readObject(Files.readString(Path.of(args[3]))).forEach((name, value) -> data.put((String) name, value));
        var rounds = new BufferedReader(new InputStreamReader(System.in));
        for (String line = rounds.readLine(); line != null; line = rounds.readLine()) {
            System.out.println(round(client, DocumentRequest.of(args[2], data), threads, Double.parseDouble(line)));
        }
    }

    private static String round(Intaglio client, DocumentRequest request, int count, double seconds)
            throws Exception {
        var made = new AtomicLong();
        var ended = new CountDownLatch(count);
        long cpu = cpuNanos();
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        for (int index = 0; index < count; index++) {
            var worker = new Thread(() -> {
                try {
                    while (System.nanoTime() - end < 0) {
                        client.generate(request);
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
        return made.get() + " " + (System.nanoTime() - start) / 1e6 + " " + (cpuNanos() - cpu) / 1e6;
    }

    private static long cpuNanos() {
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return system.getProcessCpuTime();
    }
}
