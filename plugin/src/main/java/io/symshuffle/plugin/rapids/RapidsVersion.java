// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.rapids;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The version of the RAPIDS Accelerator on the class path. */
public final class RapidsVersion {
  /** The release that we support. */
  public static final String KNOWN = "26.08";

  private static final Logger LOG = LoggerFactory.getLogger(RapidsVersion.class);
  private static final String RESOURCE = "rapids4spark-version-info.properties";

  private RapidsVersion() {}

  /** Returns the version, for example {@code 26.08.1}; empty if there is none. */
  public static Optional<String> find(ClassLoader loader) {
    try (InputStream in = loader.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        return Optional.empty();
      }
      Properties properties = new Properties();
      properties.load(in);
      return Optional.ofNullable(properties.getProperty("version"));
    } catch (IOException e) {
      LOG.debug("{} cannot be read", RESOURCE, e);
      return Optional.empty();
    }
  }

  /**
   * Returns whether we support a version.
   *
   * @param version as {@link #find} returns it
   * @return true if its release is {@link #KNOWN}
   */
  public static boolean isKnown(String version) {
    return version.equals(KNOWN) || version.startsWith(KNOWN + ".");
  }
}
