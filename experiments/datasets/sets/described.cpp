#include <utility>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/files/json.hpp"

namespace alidade::datasets {
namespace {

const ValueTable& descriptions() {
  static const Value all = parse_json(public_datasets_json(), "public_datasets.json");
  return *all.get_if<ValueTable>();
}

std::string text_of(const ValueTable& table, std::string_view key) {
  const Value* value = table.find(key);
  return value ? *value->get_if<std::string>() : std::string();
}

std::uint64_t number_in(const ValueTable& table, std::string_view key) {
  const Value* value = table.find(key);
  return value ? static_cast<std::uint64_t>(*value->get_if<std::int64_t>()) : 0;
}

template <class Take>
void for_each_table(const ValueTable& table, std::string_view key, const Take& take) {
  for (const Value& one : *table.find(key)->get_if<ValueArray>()) take(*one.get_if<ValueTable>());
}

}  // namespace

DatasetEntry described(const std::string& name) {
  const ValueTable& about = *descriptions().find(name)->get_if<ValueTable>();
  DatasetEntry out{.name = name,
                   .summary = text_of(about, "summary"),
                   .citation = text_of(about, "citation"),
                   .licence = text_of(about, "licence"),
                   .format = text_of(about, "format")};
  for_each_table(about, "files", [&](const ValueTable& file) {
    DataFile& one = out.files.emplace_back(DataFile{.path = text_of(file, "path"),
                                                    .sha256 = text_of(file, "sha256"),
                                                    .url = text_of(file, "url"),
                                                    .unpacked_sha256 = text_of(file, "unpacked_sha256"),
                                                    .bytes = number_in(file, "bytes"),
                                                    .about = text_of(file, "about"),
                                                    .by_hand = text_of(file, "by_hand")});
    for_each_table(file, "downloads", [&](const ValueTable& from) {
      one.downloads.push_back({text_of(from, "url"), text_of(from, "member")});
    });
  });
  const ValueTable& counts = *about.find("counts")->get_if<ValueTable>();
  out.counts = {.objects = number_in(counts, "objects"),
                .features = number_in(counts, "features"),
                .classes = number_in(counts, "classes"),
                .aspects = number_in(counts, "aspects"),
                .annotators = number_in(counts, "annotators"),
                .triplets = number_in(counts, "triplets")};
  return out;
}

}  // namespace alidade::datasets
