// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "pack.cu"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "emulation.h"
#include "unpack.cu"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

/// Memory of exactly its length, so that the address sanitizer sees every access beyond it.
struct Exact {
  std::unique_ptr<uint8_t[]> storage;
  uint64_t offset;
  uint64_t bytes;

  explicit Exact(uint64_t length, uint64_t misaligned = 0)
      : storage(new uint8_t[misaligned + length]), offset(misaligned), bytes(length) {}

  uint8_t* data() const { return storage.get() + offset; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data()); }
};

uint64_t max_packed(uint64_t bytes) {
  const uint64_t longest =
      kPackedHeaderBytes + packed::blocks_of(bytes) * kPackedEntryBytes + divide_up<uint64_t>(bytes, 4) * 4;
  return divide_up<uint64_t>(longest, 16) * 16;
}

/// Packs tables; returns the packed form of each in memory of its own.
template <uint32_t kLanes>
std::vector<Exact> pack(Random& random, const std::vector<Exact>& tables, uint32_t ctas, uint32_t warps) {
  std::vector<PackDescriptor> list;
  uint32_t units = 0;
  uint64_t room = 0;
  for (const Exact& table : tables) {
    list.push_back({table.address(), table.bytes, units, 0});
    units += packed::units_of(table.bytes);
    room += max_packed(table.bytes);
  }
  const Exact to(room);
  std::vector<uint64_t> entries(units);
  std::vector<PackResult> results(tables.size() + 1);
  KernelStatus status{};
  PackArguments a{};
  a.tables = reinterpret_cast<uint64_t>(list.data());
  a.results = reinterpret_cast<uint64_t>(results.data());
  a.to = to.address();
  a.to_bytes = room;
  a.entries = reinterpret_cast<uint64_t>(entries.data());
  a.status = reinterpret_cast<uint64_t>(&status);
  a.table_count = static_cast<uint32_t>(tables.size());
  a.block_count = units;
  const auto step = [&](uint32_t step_ctas, auto kernel) {
    launch<kLanes>(random(), step_ctas, warps * kLanes, sizeof(packed::Memory), kernel);
  };
  using Thread = EmulatedThread<kLanes>;
  step(ctas, [&](const Thread& t, unsigned char* shared) {
    packed::pack_measure(t, a, reinterpret_cast<packed::Memory*>(shared));
  });
  step(ctas, [&](const Thread& t, unsigned char* shared) {
    packed::pack_place(t, a, reinterpret_cast<ScanMemory*>(shared));
  });
  step(1, [&](const Thread& t, unsigned char* shared) {
    packed::pack_starts(t, a, reinterpret_cast<ScanMemory*>(shared));
  });
  step(ctas, [&](const Thread& t, unsigned char* shared) {
    packed::pack_write(t, a, reinterpret_cast<packed::Memory*>(shared));
  });
  CHECK(status.code == 0, status.code, status.seen, status.expected);
  std::vector<Exact> forms;
  uint64_t start = 0;
  for (size_t i = 0; i < tables.size(); ++i) {
    CHECK(results[i].offset == start, i, results[i].offset, start);
    CHECK(results[i].bytes <= max_packed(tables[i].bytes), i, results[i].bytes, tables[i].bytes);
    CHECK(results[i].bytes % 16 == 0);
    forms.emplace_back(results[i].bytes);
    std::copy_n(to.data() + start, results[i].bytes, forms.back().data());
    start += results[i].bytes;
  }
  return forms;
}

/// Unpacks tables; returns whether each is valid.
template <uint32_t kLanes>
std::vector<bool> unpack(Random& random, const std::vector<Exact>& forms, const std::vector<Exact>& plain,
                         uint32_t ctas, uint32_t warps) {
  std::vector<UnpackDescriptor> list;
  uint32_t units = 0;
  for (size_t i = 0; i < forms.size(); ++i) {
    list.push_back({forms[i].address(), forms[i].bytes, plain[i].address(), plain[i].bytes, units, 0});
    units += packed::units_of(plain[i].bytes);
  }
  std::vector<uint32_t> results(forms.size() + 1);
  KernelStatus status{};
  UnpackArguments a{};
  a.tables = reinterpret_cast<uint64_t>(list.data());
  a.results = reinterpret_cast<uint64_t>(results.data());
  a.status = reinterpret_cast<uint64_t>(&status);
  a.table_count = static_cast<uint32_t>(forms.size());
  a.block_count = units;
  launch<kLanes>(random(), ctas, warps * kLanes, sizeof(packed::Memory),
                 [&](const EmulatedThread<kLanes>& t, unsigned char* shared) {
                   packed::unpack(t, a, reinterpret_cast<packed::Memory*>(shared));
                 });
  std::vector<bool> valid;
  for (size_t i = 0; i < forms.size(); ++i) {
    valid.push_back(results[i] == 0);
  }
  return valid;
}

template <class T>
void put(const Exact& table, uint64_t at, T value) {
  if (at + sizeof(T) <= table.bytes) {
    std::memcpy(table.data() + at, &value, sizeof(T));
  }
}

/// Fills a part of a table with values of one of many kinds.
void fill(Random& random, const Exact& table, uint64_t from, uint64_t to) {
  const uint64_t kind = below(random, 14);
  const auto base = static_cast<int64_t>(random() >> below(random, 64)) * (random() % 2 == 0 ? 1 : -1);
  const uint64_t range = 1 + (random() >> (1 + below(random, 63)));
  auto running = static_cast<uint64_t>(base);
  const uint64_t places = 1 + below(random, 6);
  const uint64_t factors[] = {1, 5, 10, 100, 1000, 1000000, 1 << 20, 86400000000};
  const uint64_t factor = factors[below(random, 8)];
  for (uint64_t at = from; at < to; at += kind == 8 || kind == 9 ? 16 : kind < 2 ? 1 : kind < 5 || kind == 12 ? 4 : 8) {
    const uint64_t some = below(random, range);
    running += some;
    switch (kind) {
      case 0:
        put(table, at, static_cast<uint8_t>(random()));
        break;
      case 1:
        put(table, at, static_cast<uint8_t>("ab cdefghij"[below(random, 11)]));
        break;
      case 2:
        put(table, at, static_cast<uint32_t>(base + static_cast<int64_t>(some)));
        break;
      case 3:
        put(table, at, static_cast<uint32_t>(running));
        break;
      case 4:
        put(table, at, static_cast<uint32_t>(some % 10 * 100));
        break;
      case 5:
        put(table, at, static_cast<uint64_t>(base) + some);
        break;
      case 6:
        put(table, at, running);
        break;
      case 7:
        put(table, at, static_cast<uint64_t>(base) + some % 1000 * factor);
        break;
      case 8:
        put(table, at, static_cast<uint64_t>(base) + some);
        put(table, at + 8, base < 0 ? ~0ULL : 0ULL);
        break;
      case 9:
        put(table, at, some);
        put(table, at + 8, running);
        break;
      case 10:
        put(table, at, static_cast<uint64_t>(base));
        break;
      case 11:
        put(table, at, static_cast<uint64_t>(base) + below(random, places) * range * 300 + some);
        break;
      case 12:
        put(table, at, static_cast<uint32_t>(base + below(random, places) * 0x10001000 + some % 4096));
        break;
      default:
        put(table, at, some % 2 == 0 ? 0x8000000000000000ULL : 0x7fffffffffffffffULL);
        break;
    }
  }
}

/// A table with several columns, each at a multiple of 4 bytes.
Exact table_of(Random& random, uint64_t bytes, uint64_t misaligned) {
  Exact table(bytes, misaligned);
  for (uint64_t i = 0; i < bytes; ++i) {
    table.data()[i] = 0;
  }
  for (uint64_t at = 0; at < bytes;) {
    const uint64_t end = std::min(bytes, at + 64 * (1 + below(random, 200)) + 4 * below(random, 2));
    fill(random, table, at, end);
    at = end;
  }
  return table;
}

/// Words of a small vocabulary.
Exact text_of_words(Random& random, uint64_t bytes) {
  std::vector<std::string> words;
  for (int i = 0; i < 40; ++i) {
    std::string word;
    for (uint64_t left = 3 + below(random, 10); left > 0; --left) {
      word += static_cast<char>('a' + below(random, 26));
    }
    words.push_back(word + " ");
  }
  std::string text;
  while (text.size() < bytes) {
    text += words[below(random, words.size())];
  }
  Exact table(bytes);
  std::copy_n(text.begin(), bytes, table.data());
  return table;
}

template <uint32_t kLanes>
void check_round_trip(Random& random, const std::vector<Exact>& tables, uint32_t ctas, uint32_t warps) {
  const std::vector<Exact> forms = pack<kLanes>(random, tables, ctas, warps);
  std::vector<Exact> plain;
  for (const Exact& table : tables) {
    plain.emplace_back(table.bytes, below(random, 3) == 0 ? below(random, 16) : 0);
  }
  const std::vector<bool> valid = unpack<kLanes>(random, forms, plain, ctas, warps);
  for (size_t i = 0; i < tables.size(); ++i) {
    CHECK(valid[i], i, tables[i].bytes);
    for (uint64_t b = 0; b < tables[i].bytes; ++b) {
      CHECK(plain[i].data()[b] == tables[i].data()[b], i, b, tables[i].bytes);
    }
  }
}

uint64_t packed_bytes(Random& random, const Exact& table) {
  std::vector<Exact> tables;
  tables.emplace_back(table.bytes);
  std::copy_n(table.data(), table.bytes, tables.back().data());
  return pack<4>(random, tables, 1, 1)[0].bytes;
}

TEST("tables of all short lengths are unpacked to what was packed", random) {
  for (uint64_t bytes = 0; bytes < 700; bytes += bytes < 200 ? 1 : 7) {
    std::vector<Exact> tables;
    tables.push_back(table_of(random, bytes, below(random, 2) * below(random, 16)));
    check_round_trip<4>(random, tables, 1, 1);
  }
}

TEST("tables of random content are unpacked to what was packed", random) {
  for (int round = 0; round < 25; ++round) {
    std::vector<Exact> tables;
    const uint64_t count = 1 + below(random, 6);
    for (uint64_t i = 0; i < count; ++i) {
      tables.push_back(table_of(random, below(random, 4) == 0 ? below(random, 50) : below(random, 20000),
                                below(random, 4) == 0 ? below(random, 16) : 0));
    }
    check_round_trip<4>(random, tables, 1 + static_cast<uint32_t>(below(random, 3)), 2);
  }
}

TEST("what warps of 4 and of 32 lanes pack, the others unpack", random) {
  for (int round = 0; round < 4; ++round) {
    std::vector<Exact> tables;
    tables.push_back(table_of(random, 10000, 0));
    tables.push_back(table_of(random, 0, 0));
    tables.push_back(text_of_words(random, 4096 + below(random, 5000)));
    check_round_trip<32>(random, tables, 2, 2);
    const std::vector<Exact> narrow = pack<4>(random, tables, 2, 1);
    const std::vector<Exact> wide = pack<32>(random, tables, 2, 2);
    std::vector<Exact> plain;
    std::vector<Exact> other;
    for (const Exact& table : tables) {
      plain.emplace_back(table.bytes);
      other.emplace_back(table.bytes);
    }
    unpack<32>(random, narrow, plain, 1, 2);
    unpack<4>(random, wide, other, 1, 2);
    for (size_t i = 0; i < tables.size(); ++i) {
      CHECK(std::memcmp(plain[i].data(), tables[i].data(), tables[i].bytes) == 0, i);
      CHECK(std::memcmp(other[i].data(), tables[i].data(), tables[i].bytes) == 0, i);
    }
  }
}

TEST("text is unpacked to what was packed, and takes less than its symbols", random) {
  for (int round = 0; round < 6; ++round) {
    std::vector<Exact> tables;
    for (uint64_t left = 1 + below(random, 4); left > 0; --left) {
      tables.push_back(text_of_words(random, below(random, 9000)));
    }
    check_round_trip<8>(random, tables, 2, 2);
  }
  // 40 words of 3 to 12 letters, which take 5 bits each as symbols.
  CHECK(packed_bytes(random, text_of_words(random, 4 * kPackBlockBytes)) < 4 * kPackBlockBytes * 45 / 80);
  // One repetition after another.
  Exact same(4 * kPackBlockBytes);
  for (uint64_t i = 0; i < same.bytes; ++i) {
    same.data()[i] = static_cast<uint8_t>("DELIVER IN PERSON"[i % 17]);
  }
  CHECK(packed_bytes(random, same) < same.bytes / 5);
}

TEST("typical columns take the bits that their values need", random) {
  constexpr uint64_t kBytes = 4 * kPackBlockBytes;
  // Per block: 512 codes, 16 bytes of parameters or less, 8 bytes of the directory.
  const auto limit = [](uint64_t values, uint64_t bits) {
    return 48 + 4 * (values * bits / 8 + 16 + 8);
  };
  Exact column(kBytes);
  for (uint64_t i = 0; i < kBytes / 8; ++i) {
    put(column, 8 * i, 600'000'000'000ULL + below(random, 1 << 20));
  }
  CHECK(packed_bytes(random, column) <= limit(512, 20));
  for (uint64_t i = 0; i < kBytes / 8; ++i) {
    put(column, 8 * i, 100 * (1 + below(random, 50)));
  }
  CHECK(packed_bytes(random, column) <= limit(512, 6));
  for (uint64_t i = 0, key = 1'000'000; i < kBytes / 8; ++i) {
    key += below(random, 200);
    put(column, 8 * i, key);
  }
  CHECK(packed_bytes(random, column) <= limit(512, 8));
  for (uint64_t i = 0; i < kBytes / 4; ++i) {
    put(column, 4 * i, static_cast<uint32_t>(i * 18));
  }
  CHECK(packed_bytes(random, column) <= limit(1024, 0));
  // Keys of four files in any order.
  for (uint64_t i = 0; i < kBytes / 8; ++i) {
    put(column, 8 * i, 1'000'000 + (below(random, 4) * 73 << 20) + below(random, 1 << 20));
  }
  CHECK(packed_bytes(random, column) <= limit(512, 3 + 20) + 4 * 32);
  for (uint64_t i = 0; i < kBytes / 16; ++i) {
    const auto value = static_cast<int64_t>(below(random, 1 << 20)) - (1 << 19);
    put(column, 16 * i, value);
    put(column, 16 * i + 8, value >> 63);
  }
  CHECK(packed_bytes(random, column) <= limit(256, 21) + 4 * 16);
  for (uint64_t i = 0; i < kBytes; ++i) {
    column.data()[i] = static_cast<uint8_t>("AFNORZ"[below(random, 6)]);
  }
  CHECK(packed_bytes(random, column) <= limit(4096, 3) + 4 * 32);
}

TEST("8-byte integers that start 4 bytes later take as few bits", random) {
  constexpr uint64_t kBytes = 4 * kPackBlockBytes;
  uint64_t key = 600'000'000'000ULL;
  for (int kind = 0; kind < 4; ++kind) {
    Exact column(kBytes);
    Exact later(kBytes);
    for (uint64_t i = 0; i < kBytes / 8; ++i) {
      key += below(random, 200);
      const auto amount = static_cast<int64_t>(below(random, 1 << 20)) - (1 << 19);
      const uint64_t values[] = {key, 100 * (1 + below(random, 50)),
                                 5'000'000'000 + (below(random, 4) * 73 << 20) + below(random, 1 << 20),
                                 static_cast<uint64_t>(i % 2 == 0 ? amount : static_cast<int64_t>(key) >> 63)};
      put(column, 8 * i, values[kind]);
      put(later, 8 * i + 4, values[kind]);
    }
    put(later, 0, static_cast<uint32_t>(random()));
    put(later, kBytes - 4, static_cast<uint32_t>(random()));
    // Both words of each block that are beside its streams, and differences of rounding. The kernel does
    // not look for later integers in a block that takes a quarter of its bytes already, as some multiples do.
    CHECK(packed_bytes(random, later) <= packed_bytes(random, column) * (kind == 1 ? 2 : 1) + 4 * 16, kind);
    std::vector<Exact> tables;
    tables.push_back(std::move(later));
    check_round_trip<32>(random, tables, 1, 2);
    check_round_trip<4>(random, tables, 1, 1);
  }
}

/// Damages packed bytes in a way that is likely to reach the checks.
void damage(Random& random, const Exact& form) {
  const uint64_t words = form.bytes / 4;
  const uint64_t directory = std::min<uint64_t>(words, 8 + 2 * (1 + below(random, 4)));
  for (uint64_t i = 1 + below(random, 3); i > 0; --i) {
    const uint64_t word = below(random, 3) == 0 ? below(random, words) : below(random, directory);
    uint32_t value;
    std::memcpy(&value, form.data() + 4 * word, 4);
    switch (below(random, 4)) {
      case 0:
        value ^= 1U << below(random, 32);
        break;
      case 1:
        value = static_cast<uint32_t>(random());
        break;
      case 2:
        value += static_cast<uint32_t>(below(random, 9)) - 4;
        break;
      default:
        value = below(random, 2) == 0 ? 0 : 0xffffffffU;
        break;
    }
    std::memcpy(form.data() + 4 * word, &value, 4);
  }
}

TEST("damaged tables are refused or decoded, without an access outside of them", random) {
  int refused = 0;
  int decoded = 0;
  for (int round = 0; round < 250; ++round) {
    std::vector<Exact> tables;
    tables.push_back(below(random, 3) == 0 ? text_of_words(random, below(random, 2 * kPackBlockBytes))
                                           : table_of(random, below(random, 3 * kPackBlockBytes), 0));
    std::vector<Exact> forms = pack<4>(random, tables, 1, 1);
    if (below(random, 4) == 0) {
      Exact cut(below(random, forms[0].bytes + 1));
      std::copy_n(forms[0].data(), cut.bytes, cut.data());
      forms[0] = std::move(cut);
    } else {
      damage(random, forms[0]);
    }
    std::vector<Exact> plain;
    plain.emplace_back(below(random, 8) == 0 ? below(random, 2 * tables[0].bytes + 1) : tables[0].bytes);
    (unpack<4>(random, forms, plain, 1, 1)[0] ? decoded : refused) += 1;
  }
  CHECK(refused > 60, refused);
  CHECK(decoded > 12, decoded);
}

TEST("only the damaged table of a list is reported", random) {
  std::vector<Exact> tables;
  for (int i = 0; i < 5; ++i) {
    tables.push_back(table_of(random, 5000 + below(random, 5000), 0));
  }
  std::vector<Exact> forms = pack<8>(random, tables, 2, 2);
  // The length of the second payload.
  forms[3].data()[kPackedHeaderBytes + kPackedEntryBytes + 7] ^= 0x80;
  std::vector<Exact> plain;
  for (const Exact& table : tables) {
    plain.emplace_back(table.bytes);
  }
  const std::vector<bool> valid = unpack<8>(random, forms, plain, 2, 2);
  for (size_t i = 0; i < tables.size(); ++i) {
    CHECK(valid[i] == (i != 3), i);
    CHECK(i == 3 || std::memcmp(plain[i].data(), tables[i].data(), tables[i].bytes) == 0, i);
  }
}

}  // namespace
}  // namespace symshuffle::test
