// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.process.ChildProcess;
import java.io.UncheckedIOException;
import java.util.Optional;

/** The line that a child process prints for the doctor: a mark, and a record as JSON. */
final class FactLine {
  private static final String MARK = "symshuffle-fact ";
  private static final ObjectMapper JSON = new ObjectMapper();

  private FactLine() {}

  static String of(Record facts) {
    try {
      return MARK + JSON.writeValueAsString(facts);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what a child process printed among other lines; empty if it failed. */
  static <T extends Record> Optional<T> parse(ChildProcess.Result outcome, Class<T> type) {
    Optional<String> line =
        outcome.lines().stream().filter(each -> each.startsWith(MARK)).findFirst();
    try {
      return outcome.passed() && line.isPresent()
          ? Optional.of(JSON.readValue(line.get().substring(MARK.length()), type))
          : Optional.empty();
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
