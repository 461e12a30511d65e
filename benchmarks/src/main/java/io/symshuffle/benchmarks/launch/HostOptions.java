// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Machine;
import io.symshuffle.cli.CliException;
import io.symshuffle.heap.host.CgroupMemory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;

/** The options of a comparison on several hosts, see {@link Hosts}. */
public final class HostOptions {
  private static final Pattern RATE = Pattern.compile("none|[1-9][0-9]*(kbit|mbit|gbit)");
  private static final long MIB = 1L << 20;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      description =
          "Run on N hosts, from 2 to 64: network namespaces of this machine, each with its own"
              + " host name, /dev/shm and /tmp, and with CPU cores or with GPUs. Needs root"
              + " and iproute2. The table then also has the bytes that the hosts send.")
  private Integer count;

  @Option(
      names = "--rate",
      split = ",",
      paramLabel = "RATE",
      description =
          "With --hosts: rate of the hosts' links, such as 300mbit or 25gbit, or none for no"
              + " limit, the default. Several rates take turns in each round; repeat the option or"
              + " separate them with commas.")
  private List<String> rates;

  @Option(
      names = "--gpus-per-host",
      paramLabel = "N",
      description =
          "With --hosts and GPUs: number of GPUs of each host, or the share of one GPU, such as 0.5"
              + " for two hosts on each GPU. Default: the GPUs divided by the hosts.")
  private Double gpusPerHost;

  @Option(
      names = "--cores-per-host",
      paramLabel = "N",
      description =
          "With --hosts and without GPUs: CPU cores of each host; default 1. Hosts share cores if"
              + " this machine has too few.")
  private Integer coresPerHost;

  @Option(
      names = "--iproute",
      paramLabel = "DIR",
      description =
          "With --hosts: folder with bin/ip, bin/tc and their shared libraries in lib, for machines"
              + " without iproute2.")
  private Path iproute;

  /** Returns whether executors run on hosts. */
  public boolean areUsed() {
    return count != null;
  }

  /** Returns the number of hosts; 0 if executors do not run on hosts. */
  public int count() {
    return count == null ? 0 : count;
  }

  /** Returns the cores of each host without GPUs. */
  int coresPerHost() {
    return coresPerHost == null ? 1 : coresPerHost;
  }

  /** Returns the rates of the links, each in turn; empty if executors do not run on hosts. */
  public List<String> rates() {
    if (!areUsed()) {
      return List.of();
    }
    return rates == null ? List.of("none") : rates.stream().distinct().toList();
  }

  /**
   * Checks the values.
   *
   * @throws CliException if one is invalid, or has no effect
   */
  void checkValues(boolean withGpus) {
    CliException.checkEffect("--rate", rates, areUsed(), "--hosts N");
    CliException.checkEffect("--iproute", iproute, areUsed(), "--hosts N");
    CliException.checkEffect(
        "--gpus-per-host", gpusPerHost, areUsed() && withGpus, "--hosts N and GPUs");
    CliException.checkEffect(
        "--cores-per-host", coresPerHost, areUsed() && !withGpus, "--hosts N, or with GPUs");
    if (!areUsed()) {
      return;
    }
    CliException.checkRange("--hosts", count, 2, Hosts.MAX_COUNT);
    CliException.checkRange(
        "--cores-per-host", coresPerHost(), 1, Runtime.getRuntime().availableProcessors());
    rates().stream()
        .filter(rate -> !RATE.matcher(rate).matches())
        .forEach(
            rate -> {
              throw CliException.wrongUsage(
                  "'" + rate + "' is not a rate: use none, or a number with kbit, mbit or gbit.");
            });
    if (gpusPerHost != null && !isWhole(gpusPerHost) && !isWhole(1 / gpusPerHost)) {
      throw CliException.wrongUsage(
          "--gpus-per-host must be a whole number, or the share of a GPU that several hosts divide"
              + " equally, such as 0.5, not "
              + gpusPerHost
              + ".");
    }
    for (String tool : List.of("bin/ip", "bin/tc", "lib")) {
      if (iproute != null && !Files.exists(iproute.resolve(tool))) {
        throw CliException.wrongUsage("--iproute: " + iproute.resolve(tool) + " does not exist.");
      }
    }
  }

  private static boolean isWhole(double number) {
    return number > 0.999 && number < 1000 && Math.abs(number - Math.rint(number)) < 1e-3;
  }

  /**
   * Checks that hosts see a folder or file.
   *
   * @param path the folder or file; not asked for if executors do not run on hosts
   * @throws CliException if they have their own
   */
  public void checkVisible(Supplier<Path> path) {
    if (areUsed() && Hosts.hide(path.get().toAbsolutePath().normalize())) {
      throw CliException.wrongUsage(
          "The hosts have their own /tmp and /dev/shm: move " + path.get() + " to another folder.");
    }
  }

  /**
   * Checks that this machine can have hosts.
   *
   * @throws CliException if it cannot
   */
  void checkMachine() {
    if (!areUsed()) {
      return;
    }
    checkObstacle(
        Hosts.obstacle(tools())
            .or(
                () ->
                    rates().equals(List.of("none"))
                        ? Optional.empty()
                        : Hosts.rateObstacle(tools())));
  }

  /**
   * Checks that nothing prevents hosts.
   *
   * @param obstacle why this machine cannot have hosts; empty if it can
   * @throws CliException if it cannot
   */
  public static void checkObstacle(Optional<String> obstacle) {
    obstacle.ifPresent(
        reason -> {
          throw new CliException("--hosts: this machine cannot have hosts: " + reason + ".");
        });
  }

  /**
   * Returns which GPUs each host has, as numbers of this machine. Hosts that share a GPU have
   * neighboring numbers.
   *
   * @throws CliException if there are too few
   */
  List<List<Integer>> gpus(int gpus) {
    double each = gpusPerHost != null ? gpusPerHost : (double) gpus / count;
    int own = (int) Math.max(1, Math.floor(each + 1e-3));
    int sharing = each > 0.999 ? 1 : (int) Math.ceil(1 / each - 1e-3);
    int needed = each > 0.999 ? own * count : (count + sharing - 1) / sharing;
    if (gpus == 0 || needed > gpus) {
      throw CliException.wrongUsage(
          "%d hosts with %s GPUs each need %d GPUs, not %d: choose another --gpus-per-host, or fewer hosts."
              .formatted(count, each > 0.999 ? own : "1/" + sharing, needed, gpus));
    }
    return IntStream.range(0, count)
        .mapToObj(
            host -> IntStream.range(0, own).map(gpu -> host / sharing * own + gpu).boxed().toList())
        .toList();
  }

  /**
   * Creates the hosts. Each of them gets its share of a half of this machine's memory as shared
   * memory.
   */
  Hosts create(Path folder) {
    return Hosts.create(folder, count, memoryBytes() / 2 / count / MIB, tools());
  }

  private static long memoryBytes() {
    long machine = Machine.here().memoryBytes();
    return CgroupMemory.ofProcess().stream()
        .map(CgroupMemory::limit)
        .filter(OptionalLong::isPresent)
        .mapToLong(OptionalLong::getAsLong)
        .reduce(machine, Math::min);
  }

  private Optional<Path> tools() {
    return Optional.ofNullable(iproute).map(path -> path.toAbsolutePath().normalize());
  }
}
