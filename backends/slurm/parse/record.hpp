// Splits the one-line records of `scontrol -o show …` into the fields that a parser wants.
//
// Most of a record is written by Slurm itself, word by word: `Key=value Key=value`. A few fields hold what
// people wrote (job names, comments, reasons) and may hold anything, blanks and look-alikes of other fields
// included; such a text ends only before a key that the schema allows after it.
// Threads: pure functions; the views given out point into the text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::slurm {

enum class Ends : std::uint8_t {
  at_blank,         // written by Slurm: one word
  before_next_key,  // free text; ends before a key that has `follows_text`
  before_partner,   // free text; ends only before the one key named as `partner`
};

struct Key {
  std::string_view name;  // with its "="
  int id = 0;             // what the parser calls it
  Ends ends = Ends::at_blank;
  bool follows_text = false;      // may stand after a free text; after the first one no other key counts
  std::string_view partner = {};  // with its "="
};

// Look-up of keys by name: a small hash table, built once for a record kind.
class Schema {
 public:
  explicit Schema(std::span<const Key> keys);
  // The key that `text` begins with ("JobId=12 …"); nullptr: none that is wanted. `length`: up to and with
  // the "=" of the first word.
  const Key* find(std::string_view text, std::size_t length) const {
    for (std::uint8_t slot = hash(text, length); table_[slot] != 0; ++slot) {
      const Key& key = keys_[table_[slot] - 1u];
      if (key.name.size() == length && text.substr(0, length) == key.name) return &key;
    }
    return nullptr;
  }

 private:
  static std::uint8_t hash(std::string_view text, std::size_t length) {
    auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    return static_cast<std::uint8_t>(length * 7u + at(0) * 31u + at(length - 2) * 13u + at(length / 2) * 3u);
  }
  std::span<const Key> keys_;
  std::array<std::uint8_t, 256> table_{};
};

// Gives out the fields of one record, first to last.
class Fields {
 public:
  Fields(std::string_view record, const Schema& schema) : rest_(record), schema_(schema) {}
  // False at the end.
  bool next();
  int id() const { return key_->id; }
  std::string_view value() const { return value_; }
  // Where the current field starts in the record.
  const char* start() const { return start_; }

 private:
  std::size_t end_of_text(std::string_view text) const;
  std::string_view rest_;
  const Schema& schema_;
  const Key* key_ = nullptr;
  bool late_ = false;  // a text has been met: from now on only what may follow one
  std::string_view value_;
  const char* start_ = nullptr;
};

// Gives out records, one a line. A line break inside a job's name or comment does not end its record: a
// record ends where the next line begins as a record does, or the text ends.
class Records {
 public:
  using Begins = bool (*)(std::string_view line);
  Records(std::string_view text, Begins begins) : rest_(text), begins_(begins) {}
  bool next();
  std::string_view record() const { return record_; }
  int line() const { return line_; }
  bool led() const { return led_; }  // starts as a record should

 private:
  std::string_view rest_;
  Begins begins_;
  std::string_view record_;
  bool led_ = false;
  int line_ = 0;
  int next_line_ = 1;
};

// "" for "(null)", "N/A", "None", "NONE" and "n/a": Slurm's many words for nothing.
std::string_view told(std::string_view value);

}  // namespace tessera::slurm
