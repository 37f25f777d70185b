package intaglio.client;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Stores documents and fetches their files: URL KEY FOLDER COUNT. */
public final class Flood {
    private Flood() {
    }

    /**
     * Writes the identifier and the digest of each document.
     *
     * @param args address, key, folder and number of documents
     * @throws Exception when one cannot be made
     */
    public static void main(String[] args) throws Exception {
        Intaglio client = Intaglio.builder(args[0], args[1]).triesMax(30).build();
        Path folder = Path.of(args[2]);
        var threads = Executors.newFixedThreadPool(32);
        var coming = new ArrayList<Future<String>>();
        for (int index = 0; index < Integer.parseInt(args[3]); index++) {
            int number = index;
            coming.add(threads.submit(() -> make(client, folder, number)));
        }
        for (Future<String> one : coming) System.out.println(one.get());
        threads.shutdown();
    }

    private static String make(Intaglio client, Path folder, int number) {
        var request = DocumentRequest.of("note", Map.of("text", "Letter " + number));
        Api.Acknowledgement made = client.store(request);
        WrittenFile file = client.downloadToFile(made.documentId(), folder.resolve(number + ".pdf"));
        return made.documentId() + " " + file.sha256() + " " + made.sha256();
    }
}
