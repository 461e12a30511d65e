// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.it.process.HostsApplication;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips the tests of a class where there can be no hosts. */
final class TestHosts implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    Optional<String> obstacle = HostsApplication.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
  }
}
