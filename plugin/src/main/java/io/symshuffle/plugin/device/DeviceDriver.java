// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.plugin.config.DeviceConfig;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The application's driver, to which an executor reports how its device heap starts. */
@FunctionalInterface
public interface DeviceDriver {
  /**
   * Reports a step and waits for the answer, with a limit.
   *
   * @throws IOException if the driver cannot be reached or refuses
   * @throws TimeoutException if it does not answer in time
   * @throws InterruptedException if the thread is interrupted
   */
  DeviceInstruction report(DeviceStep step)
      throws IOException, TimeoutException, InterruptedException;

  /**
   * Tells the driver that this executor has no device heap.
   *
   * @param reason why, a sentence without its full stop
   * @param expected whether this is normal, because there is no GPU and no setting asks for one
   * @return what follows: the host heap, or a refusal if the application requires a device heap
   * @throws InterruptedException if the thread is interrupted
   */
  default DeviceResult decline(DeviceConfig config, String reason, boolean expected)
      throws InterruptedException {
    try {
      if (report(new DeviceStep.Decline(reason))
              instanceof DeviceInstruction.HostHeap(String why, boolean refused)
          && refused) {
        return new DeviceResult.Refused(why);
      }
    } catch (IOException | TimeoutException e) {
      Logger log = LoggerFactory.getLogger(DeviceDriver.class);
      log.debug("Cannot tell the driver that there is no device heap here", e);
      if (config.required()) {
        return new DeviceResult.Refused(reason);
      }
    }
    return new DeviceResult.HostHeap(reason, expected);
  }
}
