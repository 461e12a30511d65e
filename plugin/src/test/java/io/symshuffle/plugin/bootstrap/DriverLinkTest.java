// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.plugin.bootstrap.Message.End;
import io.symshuffle.plugin.bootstrap.Message.Lookup;
import io.symshuffle.plugin.bootstrap.Message.Refusal;
import io.symshuffle.plugin.bootstrap.Message.Table;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class DriverLinkTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Lookup QUESTION = new Lookup("7", 0);

  @Test
  void bringsTheDriversAnswer() throws Exception {
    Table answer = new Table(new TableChange(0, 0, List.of()));
    assertEquals(answer, link(() -> Messages.encode(answer)).ask(QUESTION, LONG));
  }

  @Test
  void aDriverThatDoesNotAnswerIsWaitedForUpToTheLimitOnly() throws Exception {
    CountDownLatch givenUp = new CountDownLatch(1);
    DriverLink link =
        link(
            () -> {
              try {
                return new CountDownLatch(1).await(30, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                givenUp.countDown();
                throw e;
              }
            });
    assertEquals(
        "The driver did not answer within 20 ms",
        assertThrows(TimeoutException.class, () -> link.ask(QUESTION, Duration.ofMillis(20)))
            .getMessage());
    assertTrue(givenUp.await(30, TimeUnit.SECONDS), "the question is not left pending");
  }

  @Test
  void aRefusalIsAnErrorWithTheDriversReason() {
    DriverLink link = link(() -> Messages.encode(new Refusal("No room.")));
    assertEquals(
        "The driver refuses: No room.",
        assertThrows(IOException.class, () -> link.ask(QUESTION, LONG)).getMessage());
  }

  @Test
  void anAnswerThatIsNoneOfOursIsAnError() {
    DriverLink link = link(() -> "hello");
    assertEquals(
        "The driver's answer is of no use: String came instead of a message",
        assertThrows(IOException.class, () -> link.ask(QUESTION, LONG)).getMessage());
  }

  @Test
  void aFailureOfTheTransportIsAnErrorThatNamesIt() {
    DriverLink link =
        link(
            () -> {
              throw new IllegalStateException("Driver endpoint is not known.");
            });
    assertEquals(
        "The driver could not be asked: java.lang.IllegalStateException: Driver endpoint is not"
            + " known.",
        assertThrows(IOException.class, () -> link.ask(QUESTION, LONG)).getMessage());
  }

  @Test
  void whatItTellsIsEncoded() throws Exception {
    FakeContext fake = new FakeContext(message -> null);
    new DriverLink(fake).tell(new End());
    assertEquals(List.of(new End()), fake.told());
  }

  private static DriverLink link(Callable<Object> answer) {
    return new DriverLink(new FakeContext(message -> answer.call()));
  }
}
