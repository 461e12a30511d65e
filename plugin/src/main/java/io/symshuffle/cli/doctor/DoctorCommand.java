// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.CliCommand;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.plugin.config.Settings;
import java.io.PrintWriter;
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

/** {@code symshuffle doctor}: looks at this machine and says what will work and what to mend. */
@Command(
    name = "doctor",
    description = {
      "Looks at this machine, its Spark and its settings, and says what will work with SymShuffle,"
          + " what will not, and what to do about it. It changes nothing. What may end its process"
          + " is tried in a process of its own.",
      ""
    },
    footer = {
      "",
      "Settings are read from the file named, else from spark-defaults.conf in SPARK_CONF_DIR or"
          + " SPARK_HOME/conf; --conf comes on top.",
      "",
      "Exit status: 0 nothing failed, 1 something is marked FAIL, 2 wrong usage.",
      "",
      "Examples:",
      "  symshuffle doctor",
      "  symshuffle doctor --properties-file conf/spark-defaults.conf",
      "  symshuffle doctor --conf spark.symshuffle.heap.dir=/mnt/ram --json"
    })
public final class DoctorCommand implements CliCommand {
  private static final int MOST_SECONDS = 600;

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "A setting of the application; may be repeated.")
  private Map<String, String> conf = new LinkedHashMap<>();

  @Option(
      names = "--properties-file",
      paramLabel = "FILE",
      description = "Settings of the application, in the form of spark-defaults.conf.")
  private Path properties;

  @Option(
      names = "--nvshmem",
      paramLabel = "FOLDER",
      description = "Where NVSHMEM's libraries lie, if not in a usual place.")
  private Path nvshmem;

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long a child process may take, 1 to 600; default ${DEFAULT-VALUE}.")
  private int limit;

  /** For {@link java.util.ServiceLoader}. */
  public DoctorCommand() {}

  /** The option, else the setting; {@code auto} and nonsense are for the usual places. */
  private Optional<Path> nvshmemPlace(Map<String, String> settings) {
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
    if (limit < 1 || limit > MOST_SECONDS) {
      throw CliException.wrongUsage("--limit is %d; allowed are 1 to 600.".formatted(limit));
    }
    Map<String, String> settings =
        SparkDefaults.load(Optional.ofNullable(properties), System.getenv());
    settings.putAll(conf);
    Host host =
        new Host(
            Path.of("/"),
            System.getenv(),
            settings,
            SparkJars.classPath(System.getProperty("java.class.path", "")),
            new LocalInstruments(Duration.ofSeconds(limit), nvshmemPlace(settings)));
    Report report = Report.of(Checks.all(), host);
    PrintWriter out = spec.commandLine().getOut();
    out.print(json ? report.json() : report.text());
    out.flush();
    return report.count(State.FAIL) == 0 ? 0 : 1;
  }
}
