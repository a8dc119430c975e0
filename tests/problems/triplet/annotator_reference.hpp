// Eight objects, four annotators and forty weighted answers, with the values of the model at every step of
// expectation maximisation. Computed once with numpy, in double precision, from the formulas of annotator_likelihood.hpp:
// random instance of seed 20, answer t by annotator t mod 4; A = 1, B = 2, s = 0.3, lambda = 0.1.
// "After" a step means with everything before it; the map step is a local optimum of L-BFGS.
#pragma once

#include <array>
#include <cstdint>

namespace annotator_reference {

constexpr double kLambda = 0.1;
constexpr std::array<double, 16> kMap = {-0.1682, 1.8243, 1.3839,  0.4445,  0.276,   -0.6361, -1.359,  -0.7526,
                                         -1.4107, 0.7569, -0.2525, -0.2625, -0.8802, -1.1556, -0.9211, -0.8804};
/// anchor, near, far
constexpr std::array<std::uint32_t, 120> kTriplets = {
    6, 5, 1, 2, 3, 4, 1, 6, 3, 4, 6, 7, 7, 5, 0, 2, 1, 3, 3, 6, 7, 3, 5, 4, 3, 4, 0, 3, 0, 4,
    4, 0, 7, 1, 4, 7, 0, 1, 7, 3, 5, 2, 5, 0, 2, 6, 5, 1, 5, 0, 1, 7, 6, 1, 1, 5, 7, 0, 2, 4,
    4, 7, 6, 1, 2, 6, 5, 0, 7, 6, 2, 1, 4, 5, 1, 5, 3, 1, 5, 3, 1, 6, 2, 0, 4, 5, 1, 6, 3, 7,
    7, 6, 2, 5, 3, 1, 5, 2, 6, 2, 5, 0, 3, 5, 1, 0, 2, 3, 2, 7, 0, 0, 4, 7, 1, 2, 6, 1, 0, 3};
/// Of answer t: kWeights[t].
constexpr std::array<double, 40> kWeights = {0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0,
                                             1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0,
                                             1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0};
constexpr std::array<double, 4> kRates = {0.1, 0.2, 0.05, 0.3};
constexpr std::array<double, 4> kLogSharpness = {-0.045, 0.1, -0.2, 0.0};
constexpr double kLogLikelihood = -19.396795233113075;
constexpr double kObjective = 21.87404886918917;
constexpr std::array<double, 16> kMapGradient = {-0.007474102752, 7.524346845129,  -2.222882911907, -2.167824993282,
                                                 -1.922051606247, -1.0683200088,   -0.244748452162, 1.28205981801,
                                                 -2.23771109482,  -1.131658850675, 3.502582290938,  -5.878544484188,
                                                 0.460229299885,  -1.935708731084, 2.005696577065,  3.243350404891};
constexpr std::array<double, 4> kRateGradient = {3.976676219496, -0.450487198522, -10.108147211799, 0.448499194986};
constexpr std::array<double, 4> kSharpnessGradient = {0.11968984528, 1.222111610307, 1.120228218026, 1.093958155467};
constexpr std::array<double, 4> kRateErrors = {0.502386361452, 0.190744470763, 0.129267728437, 0.288994978455};
constexpr std::array<double, 40> kResponsibilities = {
    0.052731847653, 0.120718754733, 0.034393541253, 0.446818946812, 0.052690363378, 0.177331982494, 0.05383611671,
    0.236042723266, 0.052830687154, 0.986705063881, 0.045787541202, 0.415256968012, 0.054272372635, 0.135978812633,
    0.408418422604, 0.176690154245, 0.185597779337, 0.111154675031, 0.026673230397, 0.88646360955,  0.071094476177,
    0.11139607379,  0.333799997239, 0.176803061536, 0.052884518419, 0.125738151695, 0.031747517027, 0.176531328718,
    0.052884518419, 0.231894955307, 0.033420072665, 0.201865833357, 0.07586691396,  0.11126791218,  0.025695187667,
    0.199642053031, 0.053158825028, 0.111426637114, 0.02596917273,  0.177866594163};
constexpr std::array<double, 4> kRatesAfter = {0.064209914025, 0.207207795176, 0.098013699256, 0.290581516905};
constexpr double kLogLikelihoodAfterRates = -18.847299438317478;
constexpr double kObjectiveAfterRates = 21.333104621465445;
constexpr std::array<double, 4> kLogSharpnessAfter = {-0.054473798857, -0.003273280096, -0.271627937788,
                                                      -0.085912181858};
constexpr double kLogLikelihoodAfterSharpness = -18.701869349807147;
constexpr double kObjectiveAfterSharpness = 21.230951759784173;
constexpr double kMapStepStart = 12.266632326230944;
constexpr double kMapStepEnd = 5.5803571092792374;
constexpr std::array<double, 16> kMapStepGradient = {-0.035255774737, 7.101894472853,  -2.333606819542, -2.103254803903,
                                                     -1.811302617084, -0.992400008025, -0.263179531941, 1.201467012195,
                                                     -1.983584832732, -1.139356930522, 3.526756223492,  -5.449492961002,
                                                     0.376894882596,  -1.70991949458,  1.856918469947,  2.958762712985};
constexpr double kLogLikelihoodAfterMap = -9.29992945176227;
constexpr double kObjectiveAfterMap = 13.009477375099493;

}  // namespace annotator_reference
