// Published collections of pictures: one row per picture, its pixels or features of them.
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <utility>

#include "experiments/datasets/readers/idx_file.hpp"
#include "experiments/datasets/readers/matlab_file.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/datasets/sets/feature_entry.hpp"
#include "experiments/datasets/sets/published_tables.hpp"
#include "experiments/files/gzip_file.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {

DatasetEntry usps_dataset() {
  const std::string by_hand =
      "the file at that address has the same numbers, written with other decimals. Put it there: "
      "it is read as well, and `alidade data verify` reports that it differs";
  return feature_dataset(
      {.name = "usps",
       .summary = "9,298 digits from envelopes, 16 x 16 pixels: 7,291 to train and 2,007 to test",
       .citation = "Y. LeCun and others, Handwritten digit recognition with a back-propagation network, "
                   "NIPS 1989; J. Hull, A database for handwritten text recognition research, IEEE PAMI 16(5), 1994",
       .licence = "GPL 2 or later for the R package ElemStatLearn; none stated for the data",
       .format = "gzipped text, separated by blanks: digit, then 256 pixels from -1 to 1 by rows",
       .files = {{.path = "usps/zip.train.gz",
                  .sha256 = "07761427723f92ad50668def9880af295183cc0c042dd5990762288a161bfe99",
                  .url = "https://hastie.su.domains/ElemStatLearn/datasets/zip.train.gz",
                  .unpacked_sha256 = "650c830d14b68410477727891affb110537c54e14640249e926bc12183f20983",
                  .bytes = 1480070,
                  .by_hand = by_hand},
                 {.path = "usps/zip.test.gz",
                  .sha256 = "f57032d870930f2a695934d25d6566531c306c29c85f56118afcb3341cb93da0",
                  .url = "https://hastie.su.domains/ElemStatLearn/datasets/zip.test.gz",
                  .unpacked_sha256 = "70b81e50cecc01354ac87f1dfb003e47ec378706f5ba244f8f68e0e4c7636b70",
                  .bytes = 410063,
                  .by_hand = by_hand}},
       .counts = {.objects = 9298, .features = 256, .classes = 10}},
      PartOptions::list(), [](const PartOptions& options, const auto& paths) {
        FeatureData data = read_parts(options, paths,
                                      {.separator = NumericTableSpec::Separator::blanks,
                                       .header = NumericTableSpec::Header::absent,
                                       .label = "1",
                                       .columns = 257});
        // The authors' files write the digits as 6.0000.
        for (std::string& label : data.labels) label = label.substr(0, label.find('.'));
        return data;
      });
}

DatasetEntry mnist_dataset() {
  const std::string url = "http://yann.lecun.com/exdb/mnist/";
  // Same content; the authors' server rarely answers. The second address has the bytes with the known hash.
  const std::string cloud = "https://ossci-datasets.s3.amazonaws.com/mnist/";
  const std::string raw = "https://raw.githubusercontent.com/kelas/mnist/283b387221ab46655e600cfcc25d843bb14292b9/";
  return feature_dataset(
      {.name = "mnist",
       .summary = "the 10,000 handwritten digits of MNIST's test set, 28 x 28 pixels",
       .citation = "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, Gradient-based learning applied to "
                   "document recognition, Proceedings of the IEEE 86, 1998",
       .licence = "none stated by the authors; often distributed as CC BY-SA 3.0",
       .format = "gzipped IDX: the pixels by rows, one byte each, and the digits",
       .files = {{.path = "mnist/t10k-images-idx3-ubyte.gz",
                  .sha256 = "167310007f03058885c7e95e6c0b19c20de5c7fd3031f4cbdadc9014a523d80b",
                  .url = url,
                  .unpacked_sha256 = "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                  .bytes = 1648877,
                  .downloads = {{cloud + "t10k-images-idx3-ubyte.gz", ""}, {raw + "t10k-images-idx3-ubyte.gz", ""}}},
                 {.path = "mnist/t10k-labels-idx1-ubyte.gz",
                  .sha256 = "fc607395669ec21321ea83e4b82c0544b7e8e63ff5b34337c06bc0a17cc0da3c",
                  .url = url,
                  .unpacked_sha256 = "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
                  .bytes = 4542,
                  .downloads = {{cloud + "t10k-labels-idx1-ubyte.gz", ""}, {raw + "t10k-labels-idx1-ubyte.gz", ""}}}},
       .counts = {.objects = 10'000, .features = 784, .classes = 10}},
      SubsetOptions::list(), [](const SubsetOptions&, const auto& paths) {
        FeatureData out{.features = read_idx(paths[0]), .objects = {}, .labels = {}, .truth = {}};
        const FeatureMatrix digits = read_idx(paths[1]);
        require_shape(paths[1], "labels", digits.rows(), digits.cols(), out.features.rows(), 1);
        for (Index i = 0; i < digits.rows(); ++i) out.labels.push_back(std::to_string(static_cast<int>(digits(i, 0))));
        return out;
      });
}

namespace {

struct CoilOptions : SubsetOptions {
  Index object = 0;
  static OptionList<CoilOptions> list() {
    return OptionList<CoilOptions>()
        .integer("object", &CoilOptions::object, between(0, 20),
                 "use only the views of this object; the true map is then the ring of angles. 0: views "
                 "of all objects")
        .include(SubsetOptions::list());
  }
};

}  // namespace

DatasetEntry coil20_dataset() {
  constexpr Index kViews = 72;
  return feature_dataset(
      {.name = "coil20",
       .summary = "1,440 pictures of 20 objects on a turntable, 72 views each, 32 x 32 pixels",
       .citation = "S. Nene, S. Nayar, H. Murase, Columbia Object Image Library (COIL-20), "
                   "CUCS-005-96, 1996",
       .licence = "for research, by Columbia University",
       .format = "MATLAB 5: X, one picture per row with its pixels by columns, and Y, the objects",
       .files = {{.path = "coil20/COIL20.mat",
                  .sha256 = "4595ebdda07f47b0eb014fcfaddc22b452f9aed9c1d9261a0d5bc336c1ee1344",
                  .url = "https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php",
                  .bytes = 3024549,
                  .downloads = {{"https://raw.githubusercontent.com/farhadabedinzadeh/AutoUFSTool/"
                                 "70ee7d29e66d69e5ed94b36b62cf940b7e7a75e3/COIL20.mat",
                                 ""}}}},
       .counts = {.objects = 1440, .features = 1024, .classes = 20}},
      CoilOptions::list(), [](const CoilOptions& chosen, const auto& paths) {
        const std::filesystem::path& path = paths[0];
        const Matrix pictures = read_matlab(path, "X"), objects = read_matlab(path, "Y");
        require_shape(path, "X", pictures.rows(), pictures.cols(), 1440, 1024);
        require_shape(path, "Y", objects.rows(), objects.cols(), 1440, 1);
        // Rows are grouped by object, its views 5 degrees apart.
        const Index first = chosen.object > 0 ? kViews * (chosen.object - 1) : 0;
        const Index count = chosen.object > 0 ? kViews : pictures.rows();
        FeatureData out;
        out.features = pictures.middleRows(first, count).cast<float>();
        // Objects far apart: while k < 72, the nearest by pose are views of the same object.
        constexpr double kApart = 10;
        out.pose.resize(count, 3);
        for (Index i = 0; i < count; ++i) {
          const double object = objects(first + i, 0);
          const double angle = 2 * std::numbers::pi * static_cast<double>(i % kViews) / kViews;
          out.pose.row(i) << std::cos(angle), std::sin(angle), kApart * object;
          out.labels.push_back(std::to_string(static_cast<int>(object)));
          out.objects.push_back(fmt::format("object {} at {} degrees", out.labels.back(), 5 * (i % kViews)));
        }
        if (chosen.object > 0) out.truth = out.pose.leftCols(2);
        return out;
      });
}

DatasetEntry olivetti_dataset() {
  return feature_dataset({.name = "olivetti",
                          .summary = "400 photographs of 40 faces, ten of each, 64 x 64 pixels",
                          .citation = "F. Samaria, A. Harter, Parameterisation of a stochastic model for human face "
                                      "identification, IEEE WACV 1994 (AT&T Laboratories Cambridge)",
                          .licence = "none stated; AT&T Laboratories ask for a citation",
                          .format = "MATLAB 5: faces, one picture per column with its pixels by columns",
                          .files = {{.path = "olivetti/olivettifaces.mat",
                                     .sha256 = "b1988d02c72fe5b8ee82b5ef3bb7982eafc74f1e1ff0ae0ade35061ad0af534d",
                                     .url = "https://cs.nyu.edu/~roweis/data/olivettifaces.mat",
                                     .bytes = 1432511,
                                     .downloads = {{"https://raw.githubusercontent.com/sjgershm/DBM/"
                                                    "f2c3daacb880342847ed24283fb5a753c006b5d6/olivettifaces.mat",
                                                    ""}}}},
                          .counts = {.objects = 400, .features = 4096, .classes = 40}},
                         [](const std::filesystem::path& path) {
                           const Matrix faces = read_matlab(path, "faces");
                           require_shape(path, "faces", faces.rows(), faces.cols(), 4096, 400);
                           FeatureData out{
                               .features = columns_as_rows(faces), .objects = {}, .labels = {}, .truth = {}};
                           for (Index i = 0; i < faces.cols(); ++i) {
                             out.labels.push_back(std::to_string(i / 10 + 1));
                             out.objects.push_back(fmt::format("person {}, photo {}", i / 10 + 1, i % 10 + 1));
                           }
                           return out;
                         });
}

DatasetEntry isomap_faces_dataset() {
  return feature_dataset(
      {.name = "isomap_faces",
       .summary = "698 rendered pictures of one head, 32 x 32 pixels; the true coordinates are "
                  "light, pan and tilt, standardised",
       .citation = "J. Tenenbaum, V. de Silva, J. Langford, A global geometric framework for nonlinear "
                   "dimensionality reduction, Science 290, 2000",
       .licence = "none stated",
       .format = "MATLAB 5: dataY, one picture per column with its pixels by columns, and dataT",
       .files = {{.path = "isomap-faces/face_1024.mat",
                  .sha256 = "f375b7b3a46afea330157bee5811298efb58a24eece870de9a9b154367a9e96f",
                  .url = "http://isomap.stanford.edu/datasets.html",
                  .bytes = 2123336,
                  .downloads = {{"https://raw.githubusercontent.com/chunchentu/smogllim/"
                                 "17435779cc3bca64fa08bcd307e4cbaf6bb0e0b8/gen_sim_data/face_1024.mat",
                                 ""}}}},
       .counts = {.objects = 698, .features = 1024}},
      [](const std::filesystem::path& path) {
        const Matrix faces = read_matlab(path, "dataY"), parameters = read_matlab(path, "dataT");
        require_shape(path, "dataY", faces.rows(), faces.cols(), 1024, 698);
        require_shape(path, "dataT", parameters.rows(), parameters.cols(), 3, 698);
        return FeatureData{
            .features = columns_as_rows(faces), .objects = {}, .labels = {}, .truth = parameters.transpose()};
      });
}

namespace {

struct SceneOptions : SubsetOptions {
  std::string tables = "all", scenes = "all";
  static OptionList<SceneOptions> list() {
    return OptionList<SceneOptions>()
        .text("tables", &SceneOptions::tables, {"all", "1", "2", "3"},
              "which table: that of 20, 59 or 40 features; all: the three side by side")
        .text("scenes", &SceneOptions::scenes, {"all", "outdoor"},
              "all 15 kinds, or the 8 outdoor kinds (2,688 photographs), the MIT scenes")
        .include(SubsetOptions::list());
  }
};

/// The file numbers the kinds of scene. Their sizes, all different, match the published list.
struct SceneKind {
  std::string_view name;
  Index photographs;
};
constexpr std::array<SceneKind, 15> kSceneKinds = {{{"suburb", 241},
                                                    {"coast", 360},
                                                    {"forest", 328},
                                                    {"highway", 260},
                                                    {"inside city", 308},
                                                    {"mountain", 374},
                                                    {"open country", 410},
                                                    {"street", 292},
                                                    {"tall building", 356},
                                                    {"office", 215},
                                                    {"bedroom", 216},
                                                    {"industrial", 311},
                                                    {"kitchen", 210},
                                                    {"living room", 289},
                                                    {"store", 315}}};
constexpr Index kFirstOutdoor = 1, kOutdoorKinds = 8;

FeatureData read_scenes(const SceneOptions& chosen, const std::filesystem::path& path) {
  constexpr std::array<Index, 3> kWidths = {20, 59, 40};
  const std::vector<Matrix> tables = read_matlab_cells(path, "X");
  const Matrix kinds = read_matlab(path, "Y");
  Index rows = 0, width = 0;
  for (const SceneKind& kind : kSceneKinds) rows += kind.photographs;
  require_shape(path, "Y", kinds.rows(), kinds.cols(), rows, 1);
  require_shape(path, "the tables of X", std::ssize(tables), 1, std::ssize(kWidths), 1);
  for (std::size_t t = 0; t < kWidths.size(); ++t)
    require_shape(path, "a table of X", tables[t].rows(), tables[t].cols(), rows, kWidths[t]);

  // Rows are grouped by kind.
  FeatureData out;
  Index first = 0, count = 0, row = 0;
  for (Index k = 0; k < std::ssize(kSceneKinds); ++k) {
    const SceneKind& kind = kSceneKinds[static_cast<std::size_t>(k)];
    const bool taken = chosen.scenes == "all" || (k >= kFirstOutdoor && k < kFirstOutdoor + kOutdoorKinds);
    if (taken && count == 0) first = row;
    for (Index i = 0; i < kind.photographs; ++i, ++row) {
      require<DataError>(kinds(row, 0) == static_cast<double>(k + 1),
                         "'{}' has photograph {} in class {}, not {}, so it is not the published "
                         "file. Download that one.",
                         path.string(), row + 1, kinds(row, 0), k + 1);
      if (!taken) continue;
      out.labels.emplace_back(kind.name);
      out.objects.push_back(fmt::format("{} {}", kind.name, i + 1));
      ++count;
    }
  }
  const auto taken = [&](std::size_t t) { return chosen.tables == "all" || chosen.tables == std::to_string(t + 1); };
  for (std::size_t t = 0; t < kWidths.size(); ++t) width += taken(t) ? kWidths[t] : 0;
  out.features.resize(count, width);
  Index column = 0;
  for (std::size_t t = 0; t < kWidths.size(); ++t) {
    if (!taken(t)) continue;
    out.features.middleCols(column, kWidths[t]) = tables[t].middleRows(first, count).cast<float>();
    column += kWidths[t];
  }
  return out;
}

}  // namespace

DatasetEntry scene_15_dataset() {
  return feature_dataset({.name = "scene_15",
                          .summary = "4,485 photographs of 15 kinds of scenes as 119 features; the 8 outdoor kinds are "
                                     "the MIT scenes",
                          .citation = "A. Oliva, A. Torralba, Modeling the shape of the scene, IJCV 42, 2001 (the "
                                      "outdoor kinds); S. Lazebnik, C. Schmid, J. Ponce, Beyond bags of features, CVPR "
                                      "2006 (all 15)",
                          .licence = "none stated",
                          .format = "MATLAB 5: X, a list of three tables of 20, 59 and 40 features, and Y, the kinds "
                                    "of scene by number. The source does not say which descriptors these are; by "
                                    "their sizes they may be GIST, LBP and PHOG. The names of the kinds are inferred "
                                    "from their sizes",
                          .files = {{.path = "scene-15/scene-15.mat",
                                     .sha256 = "477a7b7dcb5113890aa62b64d53768d93af5140117e0a378b665143199a09808",
                                     .url = "https://github.com/kunzhan/SDSNE",
                                     .bytes = 3384483,
                                     .downloads = {{"https://raw.githubusercontent.com/kunzhan/SDSNE/"
                                                    "8566a0f4fa5dc9aaaafbb63073ceffad5f4848a0/data/scene-15.mat",
                                                    ""}}}},
                          .counts = {.objects = 4485, .features = 119, .classes = 15}},
                         SceneOptions::list(),
                         [](const SceneOptions& chosen, const auto& paths) { return read_scenes(chosen, paths[0]); });
}

}  // namespace alidade::datasets
