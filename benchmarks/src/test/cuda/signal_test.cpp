// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <vector>

#include "check.h"
#include "emulation.h"
#include "signal.cu"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::Launch;
using emulation::Machine;
using Thread = EmulatedThread<4>;

constexpr uint64_t kSecond = 1'000'000'000;

uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// The arrival arrays of several PEs, which run one barrier after the other.
struct Team {
  explicit Team(uint32_t pes) : arrays(pes, std::vector<uint64_t>(pes)), statuses(pes) {
    for (auto& array : arrays) {
      addresses.push_back(address_of(array.data()));
    }
  }

  BarrierArguments arguments(uint32_t pe, uint64_t round, uint64_t timeout) {
    BarrierArguments a{};
    a.arrivals = address_of(addresses.data());
    a.status = address_of(&statuses[pe]);
    a.timeout_nanoseconds = timeout;
    a.round = round;
    a.pe_count = static_cast<uint32_t>(arrays.size());
    a.pe = pe;
    return a;
  }

  std::vector<std::vector<uint64_t>> arrays;
  std::vector<uint64_t> addresses;
  std::vector<KernelStatus> statuses;
};

TEST("no PE leaves a barrier before all have arrived", random) {
  for (const uint32_t pes : {1U, 2U, 3U, 5U, 8U, 70U}) {
    Team team(pes);
    const uint32_t threads = 4 * static_cast<uint32_t>(1 + below(random, 3));
    constexpr uint64_t kRounds = 6;
    std::vector<uint64_t> entered(pes);
    Machine machine(random());
    std::vector<std::unique_ptr<Launch<4>>> launches;
    for (uint32_t pe = 0; pe < pes; ++pe) {
      launches.push_back(
          std::make_unique<Launch<4>>(machine, 1, threads, 0, [&, pe](const Thread& t, unsigned char*) {
            for (uint64_t round = 1; round <= kRounds; ++round) {
              t.pause((pe * 37 + 11) % 13 * 100);
              entered[pe] = round;
              barrier(t, team.arguments(pe, round, kSecond / 10));
              t.sync_cta();  // the end of the kernel
              for (uint32_t other = 0; other < pes; ++other) {
                CHECK(entered[other] >= round, pe, other, round, entered[other]);
              }
            }
          }));
    }
    machine.run();
    for (const KernelStatus& s : team.statuses) {
      CHECK(s.code == 0, s.code, s.pe, s.peer);
    }
  }
}

TEST("a barrier names the missing PEs at the deadline", random) {
  for (int i = 0; i < 20; ++i) {
    const auto pes = static_cast<uint32_t>(2 + below(random, 7));
    const auto absent = static_cast<uint32_t>(below(random, pes));
    Team team(pes);
    Machine machine(random());
    std::vector<std::unique_ptr<Launch<4>>> launches;
    for (uint32_t pe = 0; pe < pes; ++pe) {
      if (pe != absent) {
        launches.push_back(std::make_unique<Launch<4>>(
            machine, 1, 4, 0,
            [&, pe](const Thread& t, unsigned char*) { barrier(t, team.arguments(pe, 1, 50'000)); }));
      }
    }
    const uint64_t start = machine.now_nanoseconds();
    machine.run();
    CHECK(machine.now_nanoseconds() - start >= 50'000);
    for (uint32_t pe = 0; pe < pes; ++pe) {
      const KernelStatus& s = team.statuses[pe];
      if (pe == absent) {
        continue;
      }
      CHECK(s.code == static_cast<uint32_t>(Code::kTimeout), s.code);
      CHECK(s.pe == pe && s.peer == absent, s.pe, s.peer, absent);
      CHECK(s.missing == 1ULL << absent, s.missing);
      CHECK(s.expected == 1 && s.seen == 0, s.expected, s.seen);
      // Every pause of any thread advances the emulation's clock.
      CHECK(s.waited_nanoseconds >= 50'000 && s.waited_nanoseconds < 100'000, s.waited_nanoseconds);
      CHECK(s.address == team.addresses[pe] + 8 * absent, s.address);
    }
  }
}

TEST("a barrier of a PE outside the team is rejected", random) {
  Team team(3);
  team.statuses.resize(4);
  emulation::launch<4>(random(), 1, 4, 0,
                       [&](const Thread& t, unsigned char*) { barrier(t, team.arguments(3, 1, kSecond)); });
  CHECK(team.statuses[3].code == static_cast<uint32_t>(Code::kInvalidArgument));
}

struct Words {
  explicit Words(size_t count) : values(count) {
    for (size_t i = 0; i < count; ++i) {
      descriptors.push_back({address_of(&values[i]), 10 + i, static_cast<uint32_t>(i), 0});
    }
  }

  SignalArguments to_signal() {
    return {address_of(descriptors.data()), address_of(&status), static_cast<uint32_t>(descriptors.size()),
            1};
  }

  WaitArguments to_wait(uint64_t timeout, const uint32_t* abort) {
    return {address_of(descriptors.data()),
            address_of(&status),
            address_of(abort),
            timeout,
            static_cast<uint32_t>(descriptors.size()),
            2};
  }

  std::vector<uint64_t> values;
  std::vector<SignalDescriptor> descriptors;
  KernelStatus status{};
};

TEST("a wait ends when every word is signaled, and data sent before is visible", random) {
  for (const size_t count : {1, 3, 17, 40}) {
    Words words(count);
    int written = 0;
    Machine machine(random());
    Launch<4> waiter(machine, 2, 8, 0, [&](const Thread& t, unsigned char*) {
      wait(t, words.to_wait(kSecond, nullptr));
      const bool waited = t.cta() * t.threads() + t.thread() < count;
      CHECK(written == 1 || !waited);
    });
    Launch<4> signaller(machine, 1, 8, 0, [&](const Thread& t, unsigned char*) {
      t.pause(5000);
      if (t.thread() == 0) {
        written = 1;
      }
      t.sync_cta();
      signal(t, words.to_signal());
    });
    machine.run();
    CHECK(words.status.code == 0, words.status.code);
  }
}

TEST("a wait with no time left still sees earlier signals", random) {
  Words words(5);
  emulation::launch<4>(random(), 1, 4, 0, [&](const Thread& t, unsigned char*) {
    signal(t, words.to_signal());
    t.sync_cta();
    wait(t, words.to_wait(0, nullptr));
  });
  CHECK(words.status.code == 0, words.status.code);
  words.values[3] = 2;
  emulation::launch<4>(random(), 1, 4, 0,
                       [&](const Thread& t, unsigned char*) { wait(t, words.to_wait(0, nullptr)); });
  CHECK(words.status.code == static_cast<uint32_t>(Code::kTimeout), words.status.code);
  CHECK(words.status.peer == 3 && words.status.seen == 2 && words.status.expected == 13);
}

TEST("a wait ends soon after the abort word is set", random) {
  Words words(3);
  uint32_t abort = 0;
  Machine machine(random());
  Launch<4> waiter(machine, 1, 4, 0,
                   [&](const Thread& t, unsigned char*) { wait(t, words.to_wait(1000 * kSecond, &abort)); });
  Launch<4> aborter(machine, 1, 1, 0, [&](const Thread& t, unsigned char*) {
    t.pause(10'000);
    abort = 1;
  });
  const uint64_t start = machine.now_nanoseconds();
  machine.run();
  CHECK(words.status.code == static_cast<uint32_t>(Code::kAborted), words.status.code);
  CHECK(words.status.missing == 7, words.status.missing);
  CHECK(machine.now_nanoseconds() - start < kSecond / 1000);
}

}  // namespace
}  // namespace symshuffle::test
