// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.wait.Await;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Spark drops events for listeners in the queue of which one is slow. */
@SparkTest(conf = "spark.scheduler.listenerbus.eventqueue.shared.capacity=1")
@Tag("full")
class LostEventsIT {

  @Test
  void slowListenerOfAUserDoesNotHideALostExecutor(SparkCluster cluster) {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch slow = new CountDownLatch(1);
    cluster
        .context()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onTaskEnd(SparkListenerTaskEnd event) {
                slow.countDown();
                try {
                  end.await(2 * Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
            });
    try {
      Await.until(
          "the listener is slow",
          () -> {
            cluster.context().range(0, 2, 1, 2).count();
            return slow.getCount() == 0;
          });
      cluster.context().range(0, 20, 1, 20).count();
      String killed = cluster.executors().getFirst().executorId();
      cluster.kill(killed);
      Await.until(
          "the driver has noted the loss of executor " + killed,
          () -> cluster.driverLog().contains("(executor %s) is lost".formatted(killed)));
    } finally {
      end.countDown();
      cluster.discard();
    }
  }
}
