#include "experiments/run/split.hpp"

#include <utility>

#include "problems/evidence/aspects.hpp"
#include "problems/evidence/derived_signs.hpp"

namespace alidade {
namespace {

/// The parts, and the metrics' view of them; its spans point into the parts.
struct ObjectParts {
  explicit ObjectParts(const Observations& all, ObjectSplit made)
      : parts(std::move(made)), seen{all, parts.known, parts.heldout} {}
  ObjectSplit parts;
  metrics::HeldOutObjects seen;
};

}  // namespace

Split make_split(const Observations& all, const HoldOut& rule, std::uint64_t key) {
  Split out;
  if (rule.what == HoldOut::What::objects) {
    auto made = std::make_shared<ObjectParts>(all, hold_out_objects(all, rule.amount, key));
    out.training = made->parts.training;
    out.heldout_objects = {made, &made->seen};
    return out;
  }
  if (rule.what == HoldOut::What::objects_of_aspects) {
    out.training = with_hidden_objects(all, rule.amount, rule.hide_unit, key);
    out.hidden_from = &all;
  } else {
    out.training = all;
    if (!all.triplets) return out;
    TripletSplit made = rule.what == HoldOut::What::fold_of_triplets
                            ? hold_out_fold(all.triplets, rule.fold, rule.folds, key, all.answer)
                            : hold_out(all.triplets, rule.amount, key, all.answer);
    out.training.triplets = std::move(made.train);
    out.heldout = std::move(made.heldout);
  }
  renew_signs_of_triplets(out.training);
  return out;
}

JudgeCount judge_count(const Split& split, const Observations& all) {
  if (split.heldout_objects) return {split.heldout_objects->heldout.size(), split.heldout_objects->heldout.size()};
  if (split.hidden_from)
    return {all.triplets->size() - split.training.triplets->size(),
            observed_pairs(all) - observed_pairs(split.training)};
  if (split.heldout) return {split.heldout->size(), tag_count(*split.heldout, all.answer)};
  return {};
}

}  // namespace alidade
