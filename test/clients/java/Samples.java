package intaglio.client;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles and runs the file `Call.java` in each of the folders: FOLDER… */
public final class Samples {
    private Samples() {
    }

    /**
     * Ends with the status of the first sample that fails.
     *
     * @param args folders
     * @throws Exception when a sample does not compile or throws
     */
    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        for (String folder : args) {
            String path = System.getProperty("java.class.path");
            String file = Path.of(folder, "Call.java").toString();
            int status = compiler.run(
                    null, System.out, System.err,
                    "-encoding", "UTF-8", "-Xlint:all,-path", "-Werror", "-cp", path, "-d", folder, file);
            if (status != 0) throw new IllegalStateException(file + " does not compile");
            URL[] classes = {Path.of(folder).toUri().toURL()};
            try (var loader = new URLClassLoader(classes, Samples.class.getClassLoader())) {
                loader.loadClass("Call")
                        .getMethod("main", String[].class)
                        .invoke(null, (Object) new String[0]);
            }
        }
    }
}
