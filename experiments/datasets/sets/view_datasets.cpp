#include <sentences/datasets.hpp>

#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "experiments/datasets/readers/array_files.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/datasets/sets/rendered_views.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/derived_signs.hpp"

namespace alidade::datasets {

std::vector<Blob> random_blobs(Index count, Rng& rng) {
  std::vector<Blob> out;
  for (Index b = 0; b < count; ++b) {
    Blob blob{};
    double squared = 2;
    while (squared > 1) {
      squared = 0;
      for (double& coordinate : blob.place) {
        coordinate = rng.uniform(-1, 1);
        squared += coordinate * coordinate;
      }
    }
    blob.radius = rng.uniform(0.08, 0.2);
    blob.brightness = rng.uniform(0.3, 1);
    out.push_back(blob);
  }
  return out;
}

Vector rendered_view(const std::vector<Blob>& blobs, double azimuth, double elevation, Index pixels) {
  constexpr double kSeen = 1.2;  // half the side of the square that the camera sees
  const double sa = std::sin(azimuth), ca = std::cos(azimuth);
  const double se = std::sin(elevation), ce = std::cos(elevation);
  Vector out = Vector::Zero(pixels * pixels);
  const double step = 2 * kSeen / static_cast<double>(pixels);
  for (const Blob& blob : blobs) {
    const double turned = ca * blob.place[0] - sa * blob.place[1];
    const double ahead = sa * blob.place[0] + ca * blob.place[1];  // towards the camera, were it on the horizon
    const double up = ce * blob.place[2] - se * ahead;
    const double near = se * blob.place[2] + ce * ahead;  // -1 .. 1
    const double light = blob.brightness * (1 + 0.8 * near);
    for (Index row = 0; row < pixels; ++row)
      for (Index column = 0; column < pixels; ++column) {
        const double x = (static_cast<double>(column) + 0.5) * step - kSeen;
        const double y = kSeen - (static_cast<double>(row) + 0.5) * step;
        const double squared = (x - turned) * (x - turned) + (y - up) * (y - up);
        out[row * pixels + column] += light * std::exp(-squared / (2 * blob.radius * blob.radius));
      }
  }
  return out;
}

namespace {

constexpr double kRadian = std::numbers::pi / 180;

/// Views by elevation, then azimuth: their names, the poses' cylinder, and neighbours on it.
void add_poses(const std::vector<double>& azimuths, const std::vector<double>& elevations, FeatureData& out) {
  const auto round = static_cast<Index>(azimuths.size()), high = static_cast<Index>(elevations.size());
  out.truth.resize(round * high, 3);
  // A step around the ring is as long as a step up.
  const double radius = static_cast<double>(round) / (2 * std::numbers::pi);
  for (Index e = 0; e < high; ++e)
    for (Index a = 0; a < round; ++a) {
      const double azimuth = azimuths[static_cast<std::size_t>(a)], elevation = elevations[static_cast<std::size_t>(e)];
      out.truth.row(e * round + a) << radius * std::cos(kRadian * azimuth), radius * std::sin(kRadian * azimuth),
          static_cast<double>(e);
      out.objects.push_back(fmt::format("azimuth {:g}, elevation {:g}", azimuth, elevation));
    }
  out.pose_signs = std::make_shared<PairSigns>(cylinder_signs(round, high));
}

/// Means over squares of `side` by `side` pixels.
FeatureMatrix shrunk(const FeatureMatrix& pictures, Index height, Index width, Index side) {
  FeatureMatrix out = FeatureMatrix::Zero(pictures.rows(), (height / side) * (width / side));
  for (Index i = 0; i < pictures.rows(); ++i)
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x) out(i, (y / side) * (width / side) + x / side) += pictures(i, y * width + x);
  return out / static_cast<float>(side * side);
}

Observations load_rendered_views(const Chosen& chosen, const DatasetContext& context) {
  const Index round = chosen.whole("azimuths"), high = chosen.whole("elevations"), pixels = chosen.whole("pixels");
  const double noise = chosen.real("noise");
  Rng shapes = data_stream(context, "rendered_views", "blobs");
  Rng grain = data_stream(context, "rendered_views", "noise");
  const std::vector<Blob> blobs = random_blobs(chosen.whole("blobs"), shapes);
  std::vector<double> azimuths, elevations;
  for (Index a = 0; a < round; ++a) azimuths.push_back(360.0 * static_cast<double>(a) / static_cast<double>(round));
  // 30 to 70 degrees, as in NORB.
  const double step = high > 9 ? 40.0 / static_cast<double>(high - 1) : 5;
  for (Index e = 0; e < high; ++e) elevations.push_back(30 + step * static_cast<double>(e));
  FeatureData out;
  out.features.resize(round * high, pixels * pixels);
  Index row = 0;
  for (const double elevation : elevations)
    for (const double azimuth : azimuths) {
      const Vector view = rendered_view(blobs, kRadian * azimuth, kRadian * elevation, pixels);
      for (Index p = 0; p < view.size(); ++p)
        out.features(row, p) = static_cast<float>(view[p] + noise * grain.normal());
      ++row;
    }
  add_poses(azimuths, elevations, out);
  return observations_of(std::move(out), feature_options(chosen), context, "rendered_views");
}

Observations load_norb(const Chosen& chosen, const DatasetContext& context) {
  const Index pixels = chosen.whole("pixels");
  const NorbViews views =
      read_norb(own_file(chosen.text("file"), "norb", context),
                {chosen.whole("category"), chosen.whole("instance"), chosen.whole("lighting"), chosen.whole("camera")});
  require<ConfigError>(views.height == views.width && views.width % pixels == 0, words::kPicturesDoNotShrink,
                       views.height, views.width, pixels);
  FeatureData out;
  out.features = shrunk(views.pictures, views.height, views.width, views.width / pixels);
  add_poses({views.azimuths.begin(), views.azimuths.end()}, {views.elevations.begin(), views.elevations.end()}, out);
  Observations made = observations_of(std::move(out), feature_options(chosen), context, "norb");
  made.name = "norb";
  return made;
}

}  // namespace

std::vector<DatasetEntry> view_datasets() {
  DatasetEntry norb = described("norb");
  norb.files_of_own = norb_files;
  return {entry_of(described("rendered_views"), load_rendered_views, OptionGroup::features),
          entry_of(std::move(norb), load_norb, OptionGroup::features)};
}

}  // namespace alidade::datasets
