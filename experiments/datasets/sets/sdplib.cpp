#include <string>
#include <string_view>

#include "experiments/datasets/sets/dataset_entries.hpp"

namespace alidade::datasets {
namespace {

/// A program of the collection. Optima are as published, with SDPA's signs and the published digits; except maxG51,
/// where the published 4.003809e+03 is wrong.
struct KnownProgram {
  std::string_view name;
  int constraints, order;  // order: the sum of the sizes of the blocks
  std::string_view optimum;
  std::uintmax_t bytes;
  std::string_view sha256;
};
constexpr KnownProgram kPrograms[] = {
    {"arch0", 174, 335, "5.66517e-01", 72656, "2e87189c77823fafa2755f4fd6d0a2dd6476f06297a2d0d9a017b95ade3943bd"},
    {"arch2", 174, 335, "6.71515e-01", 81866, "3dccaff3d288cb5aa6cfeabab17a6fa936eb2547f4bb46381c09406b24ebbe30"},
    {"arch4", 174, 335, "9.726274e-01", 81924, "a5eef73fdd8abfce0cc1fbc58bad63959d587c0a7284f59dd6db5951066dc0e2"},
    {"arch8", 174, 335, "7.05698e+00", 81808, "cf41d47cef1c7c828c5f79e1ec2c12a6ce25a4ae0a48db921df065fae3f2e782"},
    {"control1", 21, 15, "1.778463e+01", 5776, "482528bb128e64dad102fab88e4e8b7074efdfa22e396ebec586d832b1545bcb"},
    {"control2", 66, 30, "8.300000e+00", 45984, "3a43871daec9c0e1700caba254708c61379eff58be78576da4a2a32115274faa"},
    {"control3", 136, 45, "1.363327e+01", 160879, "931c6f1cb5b70ad7907d73067642c935228244c3908ebc4912001271d0fdb009"},
    {"control4", 231, 60, "1.979423e+01", 389895, "f1086b1a6abdc82bc1b27e6d4ad8fd7986fbb7e73c86e6475f2ab8db16da3815"},
    {"gpp100", 101, 100, "-4.49435e+01", 77335, "e64caafc501b0c26917a80e167aa1c39b6e01ccddbd077acbd14971848ab1602"},
    {"gpp124-1", 125, 124, "-7.3431e+00", 117131, "f2d21c7cf94f9098fd93ccd54ce8f0e63341990827a3037792a5585a2aba4e5a"},
    {"gpp124-2", 125, 124, "-4.68623e+01", 119869, "020c9edf6892aacaf8d03a0fb2bca9236adbe4802fd52e173f74fe312abc1b74"},
    {"gpp124-3", 125, 124, "-1.53014e+02", 124489, "8bc565817e2cb22702c6b28b40e90892e4dcf4acd56d65570f490e21b2f359ab"},
    {"gpp124-4", 125, 124, "-4.1899e+02", 134400, "72b4177a29f7842d735b60181ed372c0fd3c9e7f4c9e47559714b2c00515cc0f"},
    {"gpp250-1", 250, 250, "-1.5445e+01", 489486, "180152df78bbdd9221601bb3b82774228f2e77be3f507c99fd71585bb4f05038"},
    {"gpp250-2", 250, 250, "-8.1869e+01", 494351, "ffbe22f7bb314a1f050304628e954ff464cfaac0f1dd670feb44790764a420aa"},
    {"gpp250-3", 250, 250, "-3.035e+02", 505224, "a0f77b23c90bc97e3e7816007233d5371d0522cd5376354aeb11f07f16c1b8df"},
    {"gpp250-4", 250, 250, "-7.473e+02", 523575, "dd2882e57285844d69d83fb01fa003708cf2791c57c247709f23bb49a88ea51d"},
    {"hinf1", 13, 14, "2.0326e+00", 3245, "a2d3e9f340f304fe59147e5f7d8b3c54c8169cebe946d81009796c184164ab77"},
    {"hinf2", 13, 16, "1.0967e+01", 4256, "16f42918cb14d9eecd6c7f881d6fd16f8eb760c9450182e32c894a75204b45ef"},
    {"hinf3", 13, 16, "5.69e+01", 4204, "714efcea520b6c70d43ea072302a704d2201bc93023b6b799f0efb84ed4a492f"},
    {"hinf4", 13, 16, "2.74764e+02", 4147, "9ada79e691912cbb8650f0d8a61abf928e6ccc4ae4769eac667df6929160f938"},
    {"hinf5", 13, 16, "3.63e+02", 4192, "3590617d461f6baca0c93477c90c7bf8e97c744ebdf3e2844f630dad9650ce56"},
    {"hinf6", 13, 16, "4.490e+02", 4216, "ef46f58739d4a6dff5772de04d892d219ce9471c8e7b502a6769b41a4da978f3"},
    {"hinf7", 13, 16, "3.91e+02", 4218, "8be1a5737a63061d1ea2d1a328f7ede3baf8db61521585bd61c29a70d44de13f"},
    {"hinf8", 13, 16, "1.16e+02", 4194, "8d955069f214073abd20d9425e2d41b9eae2ebe5ba77669c6afb2098ac75ef77"},
    {"hinf9", 13, 16, "2.3625e+02", 4176, "736b292b5bdac219db42a74a0430ee58b1ad1b97da4cd597afae8a2a78e8916d"},
    {"hinf10", 21, 18, "1.09e+02", 6577, "ad71847cb18f91dbc4b0a9ab106ff865deb40998be57d1fbccb59f54934703be"},
    {"hinf11", 31, 22, "6.59e+01", 14318, "fc7dcd8765dc5c4934b727a7f474d61b7ef19e90c06f4fc8ce59b97d5abb29c4"},
    {"hinf12", 43, 24, "2e-1", 19830, "f920efb7f0d347f9b2d35a8c686a91e2b685ef072da403b52e319a4f4bc29f26"},
    {"hinf13", 57, 30, "4.6e+01", 50675, "c4a14ff7a2a4ba9ff7294277113a7225782caca6ac179b6314d4ac9ba8e42492"},
    {"hinf14", 73, 34, "1.30e+01", 84408, "ba3663c5fa44f4b70d94c18f4e702f63252b4faa846e0c9fc96097412e66077b"},
    {"hinf15", 91, 37, "2.5e+01", 119449, "9b9e961e11dac5a46c40ad4e7c00f4d5eea2d6bbd399d6e5a85d9ccdccb42a69"},
    {"infd1", 10, 30, "dual infeasible", 176811, "4cbb4dcd44caa57c6970db23905971ed144f1046b663dfb828decda51d12acd8"},
    {"infd2", 10, 30, "dual infeasible", 177206, "385625869f3c2e6cafb4a947265d839d808d9c4a45c7a58a97bdf0d27502e129"},
    {"infp1", 10, 30, "primal infeasible", 180895, "c81f23ce297cd489c0500076677d6c70727fb1e761ca21d53398498e8192dd45"},
    {"infp2", 10, 30, "primal infeasible", 180853, "906072cd7e48f8928fe313c463a1322b523ab20590b901ceeb976b890846a73b"},
    {"maxG11", 800, 800, "6.291648e+02", 60679, "8b52fef34e22120f59161fe140dcb0285bfa194853791f2e8f682f77b56f2d1a"},
    {"maxG32", 2000, 2000, "1.567640e+03", 161010, "4131de651e4540b4eff7ce0f770f07095490b6c37916faeae727014b629d7413"},
    {"maxG51", 1000, 1000, "4.0062555e+03", 153032, "05b8615591987ccd2c67cff61c95fea40ea9b59abc82f385234e6ca83f0578dc"},
    {"mcp100", 100, 100, "2.261574e+02", 9037, "a33665823d81f4ba1285272b355cefc2d3307a1f5fb8bb933edee58b3615a9b8"},
    {"mcp124-1", 124, 124, "1.419905e+02", 7692, "7f93d4213b4f49ffb27c9f1bec4b0ac56b5b7c8c3662a5def5fd9ee8aa289ae7"},
    {"mcp124-2", 124, 124, "2.698802e+02", 11199, "1aa80a1f1856c31c70e751f2bb7ea97a7330b6f9bfcbd318e52c4fd4ae03166f"},
    {"mcp124-3", 124, 124, "4.677501e+02", 17381, "f73983b7842affe4066ea221c3dcdd195a265706ed4c5ab751ba20df991413fd"},
    {"mcp124-4", 124, 124, "8.644119e+02", 30507, "ad31ef5c4ddcbef53e25e172ae57f2e17a010a5eaf10495056431a731f95fb96"},
    {"mcp250-1", 250, 250, "3.172643e+02", 16854, "13a2871fc670fca6344d7bc22e4a1b259e3df215010ad54f2749f31461882e58"},
    {"mcp250-2", 250, 250, "5.319301e+02", 23053, "1c7b2c145a8597a5dd7cf7e399565932666e2ccc45a8d7b7d551074d0a2fc2ff"},
    {"mcp250-3", 250, 250, "9.811726e+02", 37284, "8e1d1429e6c568957bb138bb5cda9dedce72676f5b72f63038848eb5616411a6"},
    {"mcp250-4", 250, 250, "1.681960e+03", 61363, "50474f2315736cbbff1ea83cd56e4d5cff422fa2913f2fe8482ed469eb1a97a2"},
    {"mcp500-1", 500, 500, "5.981485e+02", 33663, "df9d8d3e2a79fbeb372d4d5be9d5146428a28ab6279bd150601b576df910f654"},
    {"mcp500-2", 500, 500, "1.070057e+03", 47106, "76b08235db8a0da0d3709f676265c177fabf90888cbbeaa6169cb4033c9f782d"},
    {"mcp500-3", 500, 500, "1.847970e+03", 71582, "1d4437ff18b0dde2c237905c3f87cb5a9946ba9ca673474acf9325efbd53a0e0"},
    {"mcp500-4", 500, 500, "3.566738e+03", 131443, "3f522e1c6f0df08e8544a73ba2ab3f864fcce3eb32d7cf9c6dd96ec115181810"},
    {"qap5", 136, 26, "-4.360e+02", 25986, "08afd61ec131d190aa3344f3bfd5c39551b1a5639b99f42ecf5b6a993faa7a52"},
    {"qap6", 229, 37, "-3.8144e+02", 50796, "3e1d035f90184c62f275c817a1fc5920c4a8bad1beda344e401a239c79867974"},
    {"qap7", 358, 50, "-4.25e+02", 90156, "a7e5c63689bb2e839bc7d6afc59ba5addd689a96a9b3ef169d8d1d1d1f020d6a"},
    {"qap8", 529, 65, "-7.57e+02", 148866, "4cda05c9f3d14cef8856522b1c3212315eb231e04b8df2119dbc91cdf71eb246"},
    {"qap9", 748, 82, "-1.410e+03", 232427, "a88b3c5000cfd7220a81c8b5be4b7f0827f7e28f012168a1273d8f0e6574950e"},
    {"qap10", 1021, 101, "-1.093e+01", 346981, "4e0ce8a98c4c7c8195d6e76e6b6526cd912322b8ecd893d25251f77b8073975f"},
    {"qpG11", 800, 1600, "2.448659e+03", 68352, "767943578687e29c95f0602ab8c3d0b921bcfebd5ce2c6641b55a9df56061299"},
    {"ss30", 132, 426, "2.02395e+01", 164321, "1beacdb8f84c8913b26b5bf7c71f856a8b53f5920dc540891083cfeceec74022"},
    {"theta1", 104, 50, "2.300000e+01", 21849, "e957517b2284f24eba158db56a0ae34ecc07d24fa299a31f732dad3d4a54ea34"},
    {"theta2", 498, 100, "3.287917e+01", 88698, "3c837c54400e6e442cb73b6ca55be5f4eb8e46c8b1c27ed9c379d2c632b5cc73"},
    {"theta3", 1106, 150, "4.216698e+01", 206836, "b060b7a2b596dda3c684c827d9800f07ac29e8c74b1b07474273485b5541e1c5"},
    {"theta4", 1949, 200, "5.032122e+01", 374526, "799d9abcc36bd8efc8ffe39fa14f48b3ae2f1ef0e24c7aeb67d41b8610ae6374"},
    {"theta5", 3028, 250, "5.723231e+01", 591344, "94e41f6c1c89ed5c51006b8938cdcd39947519e9251512d929d0cf29b964c036"},
    {"thetaG11", 2401, 801, "4.000000e+02", 267676, "8620700980ba6c4d68023ca013615b29aa0f7d729df5b8722f0bcbed7ec96ef7"},
    {"truss1", 6, 13, "-8.999996e+00", 600, "07bfaa5beaee8d2df2188a7aff80abe307a176466824211d68ffe68764c6efca"},
    {"truss2", 58, 133, "-1.233804e+02", 18232, "a644092ee475e7843c89851769b08ac48c105888b8e56547967dad4a7e5a7c75"},
    {"truss3", 27, 31, "-9.109996e+00", 2811, "c021b04541999b406434aea8cab6b09bde307924e737a07c8d340823cc4a8ede"},
    {"truss4", 12, 19, "-9.009996e+00", 1205, "7b9c1e1b9c535308dcceaa0dcf9b06cee7e1ef03f3f44c089de7ba44036e0feb"},
    {"truss5", 208, 331, "-1.326357e+02", 76706, "9085b5086fb32a6f988edadd7f57b0e79c773e9a929b625e15ec168746541c3f"},
    {"truss6", 172, 451, "-9.01001e+02", 53076, "dfadfd0fb0e8b8afa9166d88045f32a7a0cc8d5e3c3511f2526af2abed7f73d9"},
    {"truss7", 86, 301, "-9.00001e+02", 26131, "fe4a98a73d72838fee17359f286d52dccb3e4871063e3779bd293d9a25c2f558"},
    {"truss8", 496, 628, "-1.331146e+02", 208801, "51d8ace1d6485f1a92ea81258d834444c4ec240b5e6683b24ac09e1518dab6cc"}};

constexpr std::string_view kRaw =
    "https://raw.githubusercontent.com/vsdp/SDPLIB/fa11b45c1d8c896a6abad2648d5dad46d8ecefaa/data/";

std::string about(const KnownProgram& program) {
  const bool has_optimum = program.optimum.find("infeasible") == program.optimum.npos;
  return fmt::format("{} constraints, order {}, {}{}", program.constraints, program.order,
                     has_optimum ? "optimum " : "", program.optimum);
}

}  // namespace

DatasetEntry sdplib_collection() {
  DatasetEntry out{.name = "sdplib",
                   .summary = "74 semidefinite programs of SDPLIB 1.2 with their optima, for `alidade sdp`",
                   .citation =
                       "B. Borchers, SDPLIB 1.2, a library of semidefinite programming test problems, "
                       "Optimization Methods and Software 11, 1999",
                   .licence = "public collection; the repository that holds this copy states GPL 3",
                   .format =
                       "SDPA's sparse format. Optima as published, with the digits given there. For maxG51 the "
                       "published value is wrong; the value here is the one that several solvers agree on"};
  for (const KnownProgram& program : kPrograms)
    out.files.push_back({.path = fmt::format("sdplib/{}.dat-s", program.name),
                         .sha256 = std::string(program.sha256),
                         .url = "https://github.com/vsdp/SDPLIB",
                         .bytes = program.bytes,
                         .downloads = {{fmt::format("{}{}.dat-s", kRaw, program.name), ""}},
                         .about = about(program)});
  return out;
}

}  // namespace alidade::datasets
