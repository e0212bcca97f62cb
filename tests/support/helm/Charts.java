import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Lints a chart, and renders a copy of it with each file of values: `Charts CHART COPY FOLDER`. For
 * `FOLDER/NAME.values.yaml` it writes `FOLDER/NAME.yaml`, or `FOLDER/NAME.error` with Helm's message; `FOLDER/lint` has what
 * `helm lint --strict` reports, with `failed` or `passed` as its first line.
 */
public final class Charts {
    private static final String SUFFIX = ".values.yaml";

    public static void main(String[] arguments) throws Exception {
        Path chart = Path.of(arguments[0]);
        Path copy = Path.of(arguments[1]);
        Path folder = Path.of(arguments[2]);
        try (var files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path values : files) {
                render(copy, values);
            }
        }
        LintResult result = new Helm(chart).lint().strict().call();
        String messages = String.join("\n", result.getMessages());
        Files.writeString(folder.resolve("lint"), (result.isFailed() ? "failed\n" : "passed\n") + messages);
    }

    private static void render(Path chart, Path values) throws Exception {
        String name = values.getFileName().toString().replace(SUFFIX, "");
        try {
            String manifests = new Helm(chart).template()
                .withName("shop").withNamespace("analytics").withKubeVersion("1.34.0").withValuesFile(values).call();
            Files.writeString(values.resolveSibling(name + ".yaml"), manifests);
        } catch (RuntimeException failure) {
            Files.writeString(values.resolveSibling(name + ".error"), failure.getMessage());
        }
    }
}
