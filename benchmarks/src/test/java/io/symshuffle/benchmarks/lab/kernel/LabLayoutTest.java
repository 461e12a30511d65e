// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.kernel.LayoutText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares Java's layouts with those of the C++ compiler, which takes a while for all kernels. In
 * every build {@link FakeLabIT} passes the structs to the kernels.
 */
@Tag("long")
class LabLayoutTest {
  @Test
  void structsHaveTheLayoutOfC() throws IOException, InterruptedException {
    List<String> expected = new ArrayList<>();
    for (Class<? extends Record> type : LabStruct.all()) {
      expected.addAll(LayoutText.struct(type.getSimpleName(), type));
    }
    assertEquals(
        String.join("\n", expected),
        String.join("\n", printed().filter(line -> line.matches("(struct|field) .*")).toList()));
  }

  private static Stream<String> printed() throws IOException, InterruptedException {
    return LabHostTests.PROGRAM.run("", "layout").output().lines();
  }
}
