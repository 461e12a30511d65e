// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.lab.pe.LabPe;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cli.pe.PeJob;
import io.symshuffle.cli.pe.PeLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench alltoall}. */
@Command(
    name = "alltoall",
    description = {
      "Times all-to-alls with one process per PE and checks the received data. On GPUs:"
          + " SymShuffle's kernel, copy engines and NVSHMEM; on shm: copies through shared"
          + " memory.",
      ""
    },
    footer = {
      "",
      "The bus bandwidth counts the bytes that leave each PE, without its own block; 'of link' is"
          + " its share of NVLink's bandwidth in one direction according to NVML. Times are device"
          + " times of the slowest PE.",
      "",
      "Exit status: 0 all data is correct, 1 it is not or a PE failed, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle bench alltoall --pes 2 --backend shm --sizes 4KiB:16MiB",
      "  symshuffle bench alltoall --pes 4 --json alltoall.json"
    })
public final class AllToAllCommand implements Benchmark {
  @Spec private CommandSpec spec;

  @Option(
      names = "--pes",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of PEs, 1 to 64; default ${DEFAULT-VALUE}.")
  private int pes;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "shm, nvshmem or cuda; default nvshmem if it can be used, otherwise shm.")
  private Backend backend;

  @Option(
      names = "--sizes",
      paramLabel = "RANGE",
      description =
          "Bytes of each PE's data, for example 64KiB, or 4KiB:1GiB for all doublings"
              + " in between; default 4KiB:1GiB on GPUs, 4KiB:64MiB on shm.")
  private String sizes;

  @Option(names = "--json", paramLabel = "FILE", description = "Write all numbers as JSON.")
  private Path json;

  @Option(names = "--seed", paramLabel = "N", description = "Random seed, for reproducible runs.")
  private Long seed;

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description = "Timeout of the whole run; default ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public Integer call() {
    if (pes < 1 || pes > 64) {
      throw CliException.wrongUsage("--pes is %d; it must be from 1 to 64.".formatted(pes));
    }
    CliException.checkAtLeast1("--limit", limit);
    ReportFile.check(json);
    PrintWriter out = spec.commandLine().getOut();
    Backend.Choice choice = Backend.choose(backend, pes);
    choice.reason().ifPresent(out::println);
    String usual = choice.backend() == Backend.SHM ? "4KiB:64MiB" : "4KiB:1GiB";
    List<Long> bytes = SizeRange.parse(sizes == null ? usual : sizes, pes);
    long used = seed == null ? System.nanoTime() : seed;
    List<PeLine> lines = new ArrayList<>();
    List<String> arguments = LabPe.arguments(used, bytes);
    Optional<CliException> failure = Optional.empty();
    Console console = Console.of(spec.commandLine());
    console.status("starting " + pes + " PEs");
    try {
      new PeJob(LabPe.class, choice.backend(), pes, arguments)
          .run(
              Duration.ofSeconds(limit),
              line -> {
                lines.add(line);
                show(line, console);
              });
    } catch (CliException e) {
      // Report the measurements before the failure.
      failure = Optional.of(e);
    } finally {
      console.status("");
    }
    Report report = report(choice.backend(), lines, used, failure);
    for (int pe = 0; pe < report.devices().size(); pe++) {
      String links = report.links().get(pe);
      out.println(
          "PE " + pe + ": " + report.devices().get(pe) + (links.isEmpty() ? "" : ", " + links));
    }
    report.skipped().forEach(reason -> out.println("Skipped " + reason));
    if (!report.measurements().isEmpty()) {
      out.print(report.table());
      out.flush();
      write(report);
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
    out.println(report.isRight() ? "All data is correct." : "DATA IS WRONG.");
    return report.isRight() ? 0 : 1;
  }

  /** Shows what the first PE has done. */
  static void show(PeLine line, Console console) {
    if (line.pe() != 0) {
      return;
    }
    if (line.kind().equals("device")) {
      console.status("preparing the PEs' memory");
    } else if (line.kind().equals("result")) {
      String size = SizeRange.format(Long.parseLong(line.values().get(1)));
      console.status("measuring, done with %s of %s".formatted(line.values().get(0), size));
    }
  }

  private Report report(
      Backend used, List<PeLine> lines, long seedUsed, Optional<CliException> failure) {
    List<PeLine> devices =
        lines.stream()
            .filter(line -> line.kind().equals("device"))
            .sorted(Comparator.comparingInt(PeLine::pe))
            .toList();
    Map<List<String>, List<PeLine>> results =
        lines.stream()
            .filter(line -> line.kind().equals("result"))
            .sorted(Comparator.comparingInt(PeLine::pe))
            .collect(
                Collectors.groupingBy(
                    line -> line.values().subList(0, 2), LinkedHashMap::new, Collectors.toList()));
    return new Report(
        used.name().toLowerCase(Locale.ROOT),
        devices.stream().map(line -> line.values().get(0)).toList(),
        devices.stream().map(line -> line.values().get(2)).toList(),
        devices.stream().mapToLong(line -> Long.parseLong(line.values().get(3))).min().orElse(0),
        seedUsed,
        Stream.concat(
                lines.stream()
                    .filter(line -> line.kind().equals("skipped") && line.pe() == 0)
                    .map(line -> String.join(": ", line.values())),
                failure.stream()
                    .map(
                        e ->
                            "everything after the last line: "
                                + e.getMessage().lines().findFirst().orElse("")))
            .toList(),
        results.values().stream()
            // Methods in which a PE failed have no result.
            .filter(each -> each.size() == pes)
            .map(AllToAllCommand::measurement)
            .toList());
  }

  private static Measurement measurement(List<PeLine> results) {
    List<String> first = results.getFirst().values();
    return Measurement.of(
        first.get(0),
        Long.parseLong(first.get(1)),
        results.stream().map(line -> Double.valueOf(line.values().get(2))).toList(),
        Integer.parseInt(first.get(3)),
        results.stream().allMatch(line -> Boolean.parseBoolean(line.values().get(4))));
  }

  private void write(Report report) {
    try {
      if (json != null) {
        JsonFile.write(report, json);
      }
    } catch (IOException e) {
      throw new CliException("Cannot write a report: " + Failures.reason(e) + ".", e);
    }
  }
}
