// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;

class SparkFetcherTest {
  /** Spark would read blocks of this host's name from files. */
  @ParameterizedTest
  @ValueSource(strings = {"localhost", "127.0.0.1", "10.20.30.240", "[::1]", "[2001:db8::7]"})
  void fetchesFromThisHostThroughTheNetwork(String host) throws UnknownHostException {
    BlockManagerId tracked = BlockManagerId.apply("3", host, 7001, Option.apply("rack"));
    BlockManagerId fetched = SparkFetcher.byNetwork(tracked, host);
    assertNotEquals(host, fetched.host());
    assertEquals(InetAddress.getAllByName(host)[0], InetAddress.getAllByName(fetched.host())[0]);
    assertEquals(BlockManagerId.apply("3", fetched.host(), 7001, Option.apply("rack")), fetched);
  }

  @Test
  void keepsAddressesOfOtherHosts() {
    BlockManagerId other = BlockManagerId.apply("3", "b", 7001, Option.empty());
    assertSame(other, SparkFetcher.byNetwork(other, "a"));
  }
}
