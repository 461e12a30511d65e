// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.symshuffle.plugin.config.ConfigReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/** Each command of the page about Kubernetes fits the files that it names. */
class KubernetesPageTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path FOLDER = HOME.resolve("conf/kubernetes");
  private static final Path COMMANDS =
      HOME.resolve("plugin/src/main/resources/META-INF/services/io.symshuffle.cli.CliCommand");
  private static final String IMAGE = "registry.example.com/spark-symshuffle:4.2.0";
  private static final String JAR = "symshuffle-spark-4.2_2.13-<version>.jar";
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```bash\n(.*?)^```$");
  private static final Pattern WORD = Pattern.compile("'[^']*'|\"[^\"]*\"|<[^>]*>|\\S+");

  static List<String> commands() throws IOException {
    String page = Files.readString(HOME.resolve("docs/kubernetes.md"));
    List<String> blocks = BLOCK.matcher(page).results().map(block -> block.group(1)).toList();
    assertEquals(page.split("```", -1).length / 2, blocks.size(), "blocks of another language");
    return blocks.stream().flatMap(block -> block.replaceAll("\\\\\n *", "").lines()).toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void commandFitsTheFiles(String command) throws IOException {
    List<String> words = WORD.matcher(command).results().map(MatchResult::group).toList();
    switch (String.join(" ", words.subList(0, 2))) {
      case "mvn -B" -> checkBuild(words);
      case "docker build" -> checkImage(words);
      case "docker run" -> checkInImage(words.subList(words.indexOf(IMAGE) + 1, words.size()));
      case "helm repo" -> assertEquals("spark-operator", words.get(3));
      case "helm install" -> checkChart(words);
      case "kubectl create" -> assertEquals(values("jobNamespaces"), List.of(words.get(3)));
      case "kubectl apply" -> checkResources(HOME.resolve(after(words, "-f")));
      case "kubectl exec" -> checkInImage(words.subList(words.indexOf("--") + 1, words.size()));
      default -> fail("no check for: " + command);
    }
  }

  private static void checkBuild(List<String> words) throws IOException {
    String module = after(words, "-pl");
    assertTrue(Files.readString(HOME.resolve("pom.xml")).contains("<module>" + module + "<"));
    assertTrue(words.containsAll(List.of("package", "-DskipTests", "-am")), words::toString);
  }

  private static void checkImage(List<String> words) throws IOException {
    String dockerfile = Files.readString(HOME.resolve(after(words, "-f")));
    String[] argument = after(words, "--build-arg").split("=", 2);
    assertEquals(IMAGE, after(words, "-t"));
    assertTrue(dockerfile.contains("ARG " + argument[0] + "\n"), dockerfile);
    assertEquals("plugin/target/" + JAR, argument[1]);
    String pom = Files.readString(HOME.resolve("plugin/pom.xml"));
    assertTrue(pom.contains("<artifactId>symshuffle-spark-${spark.binary.version}_2.13<"));
    // What the text below the command adds.
    assertTrue(dockerfile.contains(" AS gpu\n"), dockerfile);
    assertTrue(dockerfile.contains("ARG SPARK_IMAGE="), dockerfile);
  }

  /** What runs in a container: our commands, an example, or a program of every image. */
  private static void checkInImage(List<String> words) throws IOException {
    String dockerfile = Files.readString(FOLDER.resolve("Dockerfile"));
    switch (words.getFirst()) {
      case "df" -> assertEquals("/dev/shm", words.getLast());
      case "java" -> {
        assertEquals("/opt/spark/jars/" + JAR, after(words, "-jar"));
        assertTrue(dockerfile.contains("${JAR} /opt/spark/jars/\n"), dockerfile);
        String command =
            words.getLast().substring(0, 1).toUpperCase(Locale.ROOT) + words.getLast().substring(1);
        assertTrue(Files.readString(COMMANDS).contains("." + command + "Command\n"), command);
      }
      case "/opt/spark/bin/spark-submit" -> {
        String[] setting = after(words, "--conf").split("=", 2);
        ConfigReader.read(Map.of(setting[0], setting[1]));
        String example = Files.readString(HOME.resolve("docs/getting-started.md"));
        assertTrue(example.contains("--class " + after(words, "--class") + " --master 'local[2]'"));
        assertTrue(example.contains("--file " + words.getLast()), words.getLast());
      }
      default -> fail(words.toString());
    }
  }

  private static void checkChart(List<String> words) throws IOException {
    assertTrue(words.contains("spark-operator/spark-operator"), words::toString);
    assertEquals(FOLDER.resolve("spark-operator-values.yaml"), HOME.resolve(after(words, "-f")));
    assertTrue(words.contains("--create-namespace"), words::toString);
  }

  /** Creates them and reads them back. */
  private static void checkResources(Path file) throws IOException {
    try (ApiServer server = ApiServer.start();
        InputStream stream = Files.newInputStream(file)) {
      List<HasMetadata> created = server.client().load(stream).create();
      assertFalse(created.isEmpty());
      for (HasMetadata each : created) {
        HasMetadata stored = server.client().resource(each).get();
        assertEquals(each.getMetadata().getName(), stored.getMetadata().getName());
        if (each instanceof GenericKubernetesResource) {
          assertEquals(values("jobNamespaces"), List.of(stored.getMetadata().getNamespace()));
        }
      }
    }
  }

  /** A value of the operator's chart, below spark. */
  private static Object values(String key) throws IOException {
    Map<String, Map<String, Object>> values =
        new Yaml().load(Files.readString(FOLDER.resolve("spark-operator-values.yaml")));
    return values.get("spark").get(key);
  }

  private static String after(List<String> words, String option) {
    assertTrue(words.contains(option), words::toString);
    return words.get(words.indexOf(option) + 1);
  }
}
