// A projector that takes features in a frame (feature_frame.hpp) and returns places in units of the data.
// It wraps another projector, which was learnt from features in that frame.
// Immutable.
#pragma once

#include <memory>

#include "problems/contract/projector.hpp"

namespace alidade {

class FramedProjector final : public Projector {
 public:
  /// Multiplies the places of `inner` by `factor`. @pre frame.shift is empty or has one number per feature
  FramedProjector(std::shared_ptr<const Projector> inner, FeatureFrame frame, double factor)
      : inner_(std::move(inner)), frame_(std::move(frame)), factor_(factor) {}

  [[nodiscard]] Index feature_count() const override { return inner_->feature_count(); }
  [[nodiscard]] bool takes_dissimilarities() const override { return inner_->takes_dissimilarities(); }
  [[nodiscard]] Index component_count() const override { return inner_->component_count(); }
  [[nodiscard]] FeatureFrame frame() const override { return frame_; }
  [[nodiscard]] ValueTable description() const override;
  /// `inner` is the projector of the description's `projector` entry. @throws DataError naming what is missing or does
  /// not fit
  [[nodiscard]] static std::shared_ptr<const Projector> from(const ValueTable& description,
                                                             std::shared_ptr<const Projector> inner);

 private:
  [[nodiscard]] Matrix places_of(const Eigen::Ref<const FeatureMatrix>& X) const override {
    return factor_ * inner_->project(X);
  }

  std::shared_ptr<const Projector> inner_;
  FeatureFrame frame_;
  double factor_;
};

}  // namespace alidade
