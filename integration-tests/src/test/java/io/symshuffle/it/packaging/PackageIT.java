// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;

/** The packaged jar under {@code java -jar}, outside the source tree. */
@Execution(ExecutionMode.CONCURRENT)
class PackageIT {

  /** The version of class files for Java 21. */
  private static final int JAVA_21_CLASSES = 65;

  @TempDir private Path folder;

  /** An installation of Spark, as far as the commands need it. */
  private Path sparkHome;

  @BeforeEach
  void makeSparkHome() throws IOException {
    sparkHome = folder.resolve("spark");
    Path jars = Files.createDirectories(sparkHome.resolve("jars"));
    for (Class<?> type :
        List.of(Logger.class, JsonNode.class, JsonFactory.class, JsonProperty.class)) {
      Path jar = Jars.holding(type, folder);
      Files.copy(jar, jars.resolve(jar.getFileName()));
    }
  }

  private ChildProcess.Result run(String... arguments) {
    // The JVM reports options from the environment, which would be part of the output.
    List<String> command = new ArrayList<>(List.of("env", "-u", "JAVA_TOOL_OPTIONS"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", Jars.plugin().toString()));
    command.addAll(List.of(arguments));
    return ChildProcess.of(command)
        .name("symshuffle")
        .withoutEnvironment("SPARK_")
        .environment(Map.of("SPARK_HOME", sparkHome.toString()))
        .run(Await.LIMIT);
  }

  @Test
  void saysWhatItNeedsWithoutSpark() {
    sparkHome = folder.resolve("missing");
    ChildProcess.Result ended = run("doctor");
    assertEquals(2, ended.status(), ended.output());
    assertTrue(ended.output().startsWith("symshuffle: This command needs Spark's jars."));
    assertEquals(0, run("--help").status());
    ChildProcess.Result nothing = run();
    assertEquals(2, nothing.status(), nothing.output());
    assertTrue(nothing.output().contains("Usage: symshuffle"), nothing.output());
  }

  @Test
  void runsDoctorFromJar() throws IOException {
    ChildProcess.Result ended = run("doctor", "--json");
    JsonNode json = new ObjectMapper().readTree(ended.output());
    assertEquals(json.get("ok").asBoolean() ? 0 : 1, ended.status(), ended.output());
    List<String> states = new ArrayList<>();
    for (JsonNode finding : json.get("findings")) {
      if (finding.get("check").asText().equals("host heap")) {
        states.add(finding.get("state").asText());
      }
    }
    assertEquals(List.of("ok"), states, ended.output());
  }

  @Test
  @Tag("full")
  void runsTuneFromJar() {
    ChildProcess.Result ended = run("tune");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.output().contains("spark.plugins  io.symshuffle.SymShufflePlugin"));
  }

  @Test
  @Tag("full")
  void bashAcceptsTheCompletionScript() throws IOException {
    Path script = folder.resolve("completion.bash");
    ChildProcess.Result ended = run("completion");
    Files.writeString(script, ended.output());
    ChildProcess.Result bash =
        ChildProcess.of("bash", "-c", "source " + script + " && complete -p symshuffle")
            .run(Await.LIMIT);
    assertEquals(0, bash.status(), bash.output());
    assertTrue(ended.output().contains("doctor"), "no doctor in the script");
  }

  @Test
  void classesLoadOnJava21WithoutPreviewFeatures() throws IOException {
    try (JarFile jar = new JarFile(Jars.plugin().toFile())) {
      List<String> refused = new ArrayList<>();
      for (JarEntry entry : Collections.list(jar.entries())) {
        if (entry.getName().endsWith(".class")) {
          try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
            in.readInt(); // the magic number
            int minor = in.readUnsignedShort();
            int major = in.readUnsignedShort();
            if (minor != 0 || major > JAVA_21_CLASSES) {
              refused.add("%s has version %d.%d".formatted(entry.getName(), major, minor));
            }
          }
        }
      }
      assertEquals(List.of(), refused);
    }
  }

  /** A second build gives the same bytes only if nothing in the jar depends on the first one. */
  @Test
  @Tag("full")
  void jarDependsNeitherOnTheTimeNorOnTheFolderOfTheBuild() throws IOException {
    LocalDateTime time = LocalDateTime.of(2026, 1, 1, 0, 0);
    byte[] tree = Path.of("..").toRealPath().toString().getBytes(UTF_8);
    try (JarFile jar = new JarFile(Jars.plugin().toFile())) {
      List<String> dependent = new ArrayList<>();
      for (JarEntry entry : Collections.list(jar.entries())) {
        // The library in the jar keeps the times of its own jar.
        boolean ours = !entry.getName().startsWith("io/symshuffle/shaded/");
        if (ours && !entry.getTimeLocal().equals(time)) {
          dependent.add("%s is of %s".formatted(entry.getName(), entry.getTimeLocal()));
        }
        // Latin 1 keeps each byte.
        String content = new String(jar.getInputStream(entry).readAllBytes(), ISO_8859_1);
        if (content.contains(new String(tree, ISO_8859_1))) {
          dependent.add(entry.getName() + " contains the folder of the build");
        }
      }
      Set<String> manifest =
          jar.getManifest().getMainAttributes().keySet().stream()
              .map(Object::toString)
              .collect(Collectors.toSet());
      assertAll(
          () -> assertEquals(List.of(), dependent),
          () ->
              assertTrue(
                  manifest.stream().noneMatch(name -> name.matches("Build-.*|Created-By|Built-By")),
                  manifest::toString));
    }
  }

  @Test
  void jarHasNoForeignFiles() throws IOException {
    try (JarFile jar = new JarFile(Jars.plugin().toFile())) {
      List<String> strangers =
          jar.stream()
              .filter(entry -> !entry.isDirectory())
              .map(ZipEntry::getName)
              .filter(name -> !name.startsWith("io/symshuffle/") && !name.startsWith("META-INF/"))
              .toList();
      assertAll(
          () -> assertEquals(List.of(), strangers),
          () -> assertTrue(jar.getEntry("META-INF/LICENSE") != null, "no license"),
          () -> assertTrue(jar.getEntry("META-INF/NOTICE") != null, "no notice"),
          () ->
              assertTrue(
                  jar.getEntry("META-INF/services/org.apache.spark.status.AppHistoryServerPlugin")
                      != null,
                  "no plugin of the History Server"));
    }
  }
}
