// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.ring;

import io.symshuffle.cli.CliCommand;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.TextTable;
import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cli.pe.PeJob;
import io.symshuffle.cli.pe.PeLine;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle ring}: each PE sends integers to the next one. */
@Command(
    name = "ring",
    description = {
      "Checks that PEs reach each other's heaps.",
      "Starts one process per PE. Each PE sends 8 random integers to its neighbor through a heap"
          + " and checks those that it receives.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all PEs passed, 1 a PE failed, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle ring --pes 2",
      "  symshuffle ring --pes 4 --backend nvshmem"
    })
public final class RingCommand implements CliCommand {
  private static final int MAX_PES = 64;

  @Spec private CommandSpec spec;

  @Option(
      names = "--pes",
      paramLabel = "N",
      required = true,
      description = "Number of PEs, 1 to 64; on GPUs at most their number.")
  private int pes;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "shm, nvshmem or cuda; default: nvshmem if it is usable, else shm.")
  private Backend backend;

  @Option(names = "--seed", paramLabel = "N", description = "Random seed, for reproducible runs.")
  private Long seed;

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = "Timeout of the whole run; default ${DEFAULT-VALUE}.")
  private int limit;

  /** For the doctor, which tries the folder that executors use. */
  @Option(
      names = "--folder",
      hidden = true,
      paramLabel = "DIR",
      description = "Folder for the files that the PEs share.")
  private Path folder;

  @Override
  public Integer call() {
    CliException.checkRange("--pes", pes, 1, MAX_PES);
    CliException.checkAtLeast1("--limit", limit);
    PrintWriter out = spec.commandLine().getOut();
    Backend.Choice choice = Backend.choose(backend, pes);
    choice.reason().ifPresent(out::println);
    long used = seed == null ? System.nanoTime() : seed;
    List<PeLine> lines = new ArrayList<>();
    Path base = folder == null ? PeJob.sharedMemory() : folder;
    new PeJob(RingPe.class, choice.backend(), pes, base, List.of(Long.toString(used)))
        .run(Duration.ofSeconds(limit), lines::add);
    lines.sort(Comparator.comparingInt(PeLine::pe));
    table(lines).forEach(out::println);
    boolean passed =
        lines.size() == pes
            && lines.stream().allMatch(line -> Boolean.parseBoolean(line.values().get(5)));
    out.println(
        passed
            ? "All %d PEs passed.".formatted(pes)
            : "Not all %d PEs passed. The seed was %d.".formatted(pes, used));
    return passed ? 0 : 1;
  }

  private static List<String> table(List<PeLine> lines) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("PE", "device", "sent to", "", "received from", "", "result"));
    for (PeLine line : lines) {
      List<String> v = line.values();
      String result = Boolean.parseBoolean(v.get(5)) ? "PASS" : "FAIL";
      rows.add(
          List.of(
              line.pe() + "",
              v.get(0),
              "PE " + v.get(1),
              v.get(2),
              "PE " + v.get(3),
              v.get(4),
              result));
    }
    return TextTable.lines(rows, rows.getFirst().size());
  }
}
