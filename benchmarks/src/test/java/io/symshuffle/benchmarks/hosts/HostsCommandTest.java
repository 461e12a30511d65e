// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.TestCommandLine;
import io.symshuffle.cli.CliException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class HostsCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--hosts=1; --hosts must be from 2 to 64, not 1.",
        "--rates=1gbit,fast; 'fast' is not a rate: use none, or a number with kbit, mbit or gbit.",
        "--delay=1; --delay must be a number with us, ms or s, such as 0.2ms, not '1'.",
        "--rows=0; --rows must be at least 1.",
        "--cases=tpcds; There is no case 'tpcds'",
        "--queries=q23; Unknown query 'q23'",
        "--master=local; bench hosts starts its own cluster: omit --master.",
        "--managers=sort-shm; sort-shm works with executors of a local master only",
        "--managers=rapids; rapids needs GPUs, which the executors of bench hosts do not have.",
        "--out=/tmp/out; The hosts have their own /tmp and /dev/shm: choose another folder",
        "--json=no/such/folder/hosts.json; does not exist",
      })
  void refusesWrongOptionsBeforeAnythingStarts(String option, String expected) {
    HostsCommand command = new HostsCommand();
    CommandLine line = TestCommandLine.of(command);
    line.parseArgs(option);
    CliException mistake = assertThrows(CliException.class, command::call);
    assertEquals(2, mistake.exitStatus());
    assertTrue(mistake.getMessage().contains(expected), mistake::getMessage);
  }
}
