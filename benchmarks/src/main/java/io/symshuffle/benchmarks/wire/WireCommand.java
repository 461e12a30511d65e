// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.wire;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.report.Machine;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.report.Table;
import io.symshuffle.cli.CliException;
import io.symshuffle.shuffle.compress.Codec;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench wire}. */
@Command(
    name = "wire",
    description = {
      "Encodes rows that TPC-H queries shuffle as sort shuffle, SymShuffle and alternatives would"
          + " send them to other hosts. Prints megabytes, and the speed of SymShuffle's encoding on"
          + " one core.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 success, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle bench wire",
      "  symshuffle bench wire --json wire.json"
    })
public final class WireCommand implements Benchmark {
  private static final double MEGA = 1e6;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @Spec private CommandSpec spec;

  @Option(names = "--json", paramLabel = "FILE", description = "Write all numbers as JSON.")
  private Path json;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "20",
      description = "Timed repetitions; the least CPU time counts; default ${DEFAULT-VALUE}.")
  private int repetitions;

  /**
   * The rows of one query.
   *
   * @param rows name of the rows
   * @param description their table and columns
   * @param rawBytes bytes without compression
   * @param bytes bytes by encoding
   * @param compressGbPerSecond speed of compression to LZ4, in 10^9 uncompressed bytes per second
   *     of CPU time
   * @param decompressGbPerSecond the same for decompression
   */
  private record Result(
      String rows,
      String description,
      long rawBytes,
      Map<Encoding, Long> bytes,
      double compressGbPerSecond,
      double decompressGbPerSecond) {}

  private record Report(
      String commandLine,
      String symshuffleVersion,
      String javaVersion,
      Machine machine,
      List<Result> results) {}

  /** For {@link java.util.ServiceLoader}. */
  public WireCommand() {}

  @Override
  public Integer call() throws IOException {
    CliException.checkAtLeast1("--runs", repetitions);
    ReportFile.check(json);
    PrintWriter out = spec.commandLine().getOut();
    List<Table.Column> columns = new ArrayList<>();
    columns.add(Table.Column.name("rows", 10));
    columns.add(Table.Column.number("", "raw", 5));
    for (Encoding encoding : Encoding.values()) {
      columns.add(Table.Column.number("", encoding.name().toLowerCase(Locale.ROOT), 5));
    }
    columns.add(Table.Column.number("", "planes/sort", 5));
    columns.add(Table.Column.number("", "GB/s in", 5));
    columns.add(Table.Column.number("", "GB/s out", 5));
    Table table = new Table(columns);
    out.println(table.header());
    List<Result> results = new ArrayList<>();
    for (WireRows rows : WireRows.values()) {
      Result result = measure(rows);
      results.add(result);
      out.println(table.add(values(result)));
      out.flush();
    }
    if (json != null) {
      JsonFile.write(
          new Report(
              Optional.ofNullable(System.getProperty("symshuffle.command")).orElse(""),
              Optional.ofNullable(System.getProperty("symshuffle.version")).orElse("unknown"),
              Runtime.version().toString(),
              Machine.here(),
              results),
          json);
    }
    return 0;
  }

  private Result measure(WireRows rows) {
    List<List<byte[]>> partitions = rows.byPartition();
    List<byte[]> blocks = WireRows.blocks(partitions);
    Map<Encoding, Long> bytes = new TreeMap<>();
    for (Encoding encoding : Encoding.values()) {
      long sum = 0;
      for (int p = 0; p < partitions.size(); p++) {
        sum += encoding.bytes(partitions.get(p), blocks.get(p), rows.columns());
      }
      bytes.put(encoding, sum);
    }
    List<WireBlock> timed =
        blocks.stream()
            .filter(block -> block.length > 0)
            .map(block -> new WireBlock(block, Codec.LZ4, 1, 128 << 10))
            .toList();
    long raw = timed.stream().mapToLong(WireBlock::bytes).sum();
    double in = raw / (double) fastestCpuNanos(() -> timed.forEach(WireBlock::compress));
    double back = raw / (double) fastestCpuNanos(() -> timed.forEach(WireBlock::decompress));
    timed.forEach(WireBlock::close);
    return new Result(rows.name(), rows.description(), raw, bytes, in, back);
  }

  private long fastestCpuNanos(Runnable work) {
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < repetitions; i++) {
      long start = THREADS.getCurrentThreadCpuTime();
      work.run();
      fastest = Math.min(fastest, THREADS.getCurrentThreadCpuTime() - start);
    }
    return fastest;
  }

  private static List<String> values(Result result) {
    double ours = result.bytes().get(Encoding.PLANES_LZ4);
    return Stream.of(
            Stream.of(result.rows(), number("%.1f", result.rawBytes() / MEGA)),
            Arrays.stream(Encoding.values())
                .map(encoding -> number("%.2f", result.bytes().get(encoding) / MEGA)),
            Stream.of(
                number("%.2f", ours / result.bytes().get(Encoding.SORT_LZ4)),
                number("%.2f", result.compressGbPerSecond()),
                number("%.2f", result.decompressGbPerSecond())))
        .flatMap(values -> values)
        .toList();
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
