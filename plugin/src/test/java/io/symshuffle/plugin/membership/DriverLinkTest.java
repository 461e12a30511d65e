// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.Lookup;
import io.symshuffle.plugin.membership.Message.Update;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class DriverLinkTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Lookup QUESTION = new Lookup("7", 0);

  @Test
  void givesUpAtTheLimitWhenTheDriverDoesNotAnswer() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch givenUp = new CountDownLatch(1);
    DriverLink link =
        link(
            () -> {
              asked.countDown();
              try {
                return new CountDownLatch(1).await(2, TimeUnit.MINUTES);
              } catch (InterruptedException e) {
                givenUp.countDown();
                throw e;
              }
            });
    // On a busy machine the limit may have passed before the request begins.
    for (long millis = 20; asked.getCount() > 0; millis *= 2) {
      Duration limit = Duration.ofMillis(millis);
      assertEquals(
          "the driver did not answer within %d ms".formatted(millis),
          assertThrows(TimeoutException.class, () -> link.ask(QUESTION, limit)).getMessage());
    }
    assertTrue(givenUp.await(2, TimeUnit.MINUTES), "the request is canceled");
  }

  @Test
  void saysWhatItWaitsFor() throws Exception {
    CountDownLatch said = new CountDownLatch(1);
    List<String> log = new CopyOnWriteArrayList<>();
    Update answer = new Update(new MembershipChange(0, 0, List.of()));
    DriverLink link =
        new DriverLink(
            new FakeContext(
                message -> {
                  assertTrue(said.await(2, TimeUnit.MINUTES));
                  return MessageSerializer.write(answer);
                }),
            Duration.ofMillis(1),
            line -> {
              log.add(line);
              said.countDown();
            });
    Join join = new Join("7", new HostIdentity("host", ""), 1, 1);
    assertEquals(answer, link.join(join, Optional.empty(), LONG));
    assertEquals(
        List.of(
            "Waiting for the driver's answer before executor 7 can start"
                + ": 0 s so far, at most 600 s"),
        log);
  }

  @Test
  void refusesAnInvalidAnswer() {
    DriverLink link = link(() -> "hello");
    assertEquals(
        "invalid answer from the driver: received String instead of a message",
        assertThrows(IOException.class, () -> link.ask(QUESTION, LONG)).getMessage());
  }

  @Test
  void throwsTheCauseWhenTheTransportFails() {
    DriverLink link =
        link(
            () -> {
              throw new IllegalStateException("Driver endpoint is not known.");
            });
    assertEquals(
        "the request to the driver failed: java.lang.IllegalStateException: Driver endpoint is not"
            + " known.",
        assertThrows(IOException.class, () -> link.ask(QUESTION, LONG)).getMessage());
  }

  private static DriverLink link(Callable<Object> answer) {
    return new DriverLink(new FakeContext(message -> answer.call()));
  }
}
