// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.CliCommand;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.JsonOutput;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.cli.Terminal;
import io.symshuffle.plugin.config.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle doctor}: checks this machine and says what works and what to fix. */
@Command(
    name = "doctor",
    description = {
      "Checks this machine and the settings for SymShuffle.",
      "For each problem it prints symptom, cause and remedy. It changes nothing. Checks that may"
          + " crash run in child processes.",
      ""
    },
    footer = {
      "",
      "Settings are read from --properties-file, or else from spark-defaults.conf in SPARK_CONF_DIR"
          + " or SPARK_HOME/conf; --conf overrides them.",
      "",
      "Exit status: 0 no failure, 1 at least one FAIL, 2 could not run (a wrong option, a missing"
          + " file).",
      "",
      "Examples:",
      "  symshuffle doctor",
      "  symshuffle doctor --properties-file conf/spark-defaults.conf",
      "  symshuffle doctor --conf spark.symshuffle.heap.dir=/mnt/ram --json"
    })
public final class DoctorCommand implements CliCommand {
  private static final int MAX_SECONDS = 600;

  @Spec private CommandSpec spec;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      arity = "0..1",
      fallbackValue = JsonOutput.STANDARD_OUTPUT,
      description = "Print JSON, or write it to this file.")
  private Path json;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "A setting of the application; may be repeated.")
  private Map<String, String> conf = new LinkedHashMap<>();

  @Option(
      names = "--properties-file",
      paramLabel = "FILE",
      description = "Settings of the application, in the format of spark-defaults.conf.")
  private Path properties;

  @Option(
      names = "--nvshmem",
      paramLabel = "DIR",
      description = "Folder of NVSHMEM's libraries, if not in a usual place.")
  private Path nvshmem;

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Maximum run time of a child process, 1 to 600; default ${DEFAULT-VALUE}.")
  private int limit;

  /** The folder from the option or the setting; empty to search the usual places. */
  private Optional<Path> nvshmemFolder(Map<String, String> settings) {
    String set = settings.getOrDefault(Settings.DEVICE_NVSHMEM_HOME.key(), "").trim();
    Path home = nvshmem == null && set.startsWith("/") ? Path.of(set) : nvshmem;
    if (home == null) {
      return Optional.empty();
    }
    Path lib = home.resolve("lib");
    return Optional.of(Files.isDirectory(lib) ? lib : home);
  }

  @Override
  public Integer call() {
    CliException.checkRange("--limit", limit, 1, MAX_SECONDS);
    if (nvshmem != null && !Files.isDirectory(nvshmem)) {
      throw CliException.wrongUsage("--nvshmem is %s, which is not a folder.".formatted(nvshmem));
    }
    JsonOutput.check(json);
    Map<String, String> settings =
        SparkDefaults.load(Optional.ofNullable(properties), System.getenv());
    settings.putAll(conf);
    Host host =
        new Host(
            Path.of("/"),
            System.getenv(),
            settings,
            SparkJars.classPath(System.getProperty("java.class.path", "")),
            new LocalHostProbe(Duration.ofSeconds(limit), nvshmemFolder(settings)));
    Report report = Report.of(host);
    JsonOutput.write(
        spec.commandLine().getOut(), json, () -> report.text(Terminal.here()), report::json);
    return report.count(Finding.State.FAIL) == 0 ? 0 : 1;
  }
}
