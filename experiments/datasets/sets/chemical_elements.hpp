// The 118 chemical elements with twelve categorical aspects: an attribute table for conditional triplets.
// Facts as tabulated by IUPAC (Red Book 2005; Periodic Table of 2022) and the CRC Handbook of Chemistry and Physics.
// Values are labels, not numbers: compare them for equality only. An empty label means missing.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace alidade::datasets {

inline constexpr std::size_t kElementAspectCount = 12;

struct Element {
  std::string_view symbol;                                    // unique
  std::string_view name;                                      // unique, IUPAC spelling: Aluminium, Caesium, Sulfur
  int atomic_number;                                          // 1..118
  std::array<std::string_view, kElementAspectCount> aspects;  // in the order of element_aspect_names()
};

/// All elements: chemical_elements()[z - 1] has atomic number z. The data live as long as the program. O(1).
///
/// Where sources disagree or a property has several values, these conventions decide:
/// - group: "1".."18", or "f" for the 28 elements of the f block. IUPAC leaves the tail
///   of group 3 open; here it is Sc, Y, Lu, Lr, so that the s, p, d and f blocks have 14, 36, 40 and 28 members.
/// - category: transition metals are the d block without Lu and Lr, group 12 included; metalloids are the six
///   usual ones (B, Si, Ge, As, Sb, Te). Missing from 109 on, whose chemistry is predicted or hardly tested.
/// - phase: at 25 °C and 1 bar. Missing for At, Fr and from 100 on: never seen in bulk.
/// - crystal_structure: of the form stable at 25 °C and 1 bar (C graphite, P black, S orthorhombic, Sn white);
///   for gases and liquids, of the solid at 1 bar just below melting, of which He has none. "hexagonal" are
///   lattices other than close-packed atoms, "complex cubic" (Mn, O, F) other than the simple cubic ones.
///   Ce, two forms of which meet near 25 °C, is the usual fcc one.
/// - occurrence: "from decay" includes traces from fission and from neutron capture (Tc, Pm, Np, Pu).
/// - magnetism: of the substance at 25 °C. So Gd, ferromagnetic below 20 °C, and Mn are paramagnetic, and Cr is
///   the one antiferromagnet. Missing where only predicted.
/// - discovery_era: by recognition as a new substance or by isolation, whichever the CRC Handbook dates. Contested
///   for Mg, Sr (here before 1800) and Ba (here 1808); "antiquity" are the nine classical ones.
/// - electronegativity: class of the Pauling value [Allred 1961; Pauling where Allred has none; Kr and Xe: Allen
///   and Huheey 1980]; where Allred lists several states, of the one nearest to oxidation_state. Missing for the
///   other noble gases and from 100 on.
/// - oxidation_state: one of the common states in compounds, "0" for the noble gases. Which one is a judgement
///   where several are about as common (C, N, S, As, Sn, Mn, Mo, Ru, Re, Ir, Pt). Missing from 109 on.
/// - stable_nuclides: "none", "one" or "several", by observation.
[[nodiscard]] std::span<const Element> chemical_elements();

/// Names of the aspects, snake_case, as listed above (period and block after group); kElementAspectCount of them.
[[nodiscard]] std::span<const std::string_view> element_aspect_names();

}  // namespace alidade::datasets
