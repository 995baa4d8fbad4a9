// Which condition on the boundary gives the natural flux of which row of a weak form.
#include "problem/weak_fluxes.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

#include "expr/weak_atoms.hpp"

namespace cauchy::detail {
namespace {

/// What a condition gives on some parts.
struct FluxClaim {
  std::size_t row = 0, flux = 0;  // of the conditions on fluxes
  Expr value;
};

/// The conditions of some parts, and which fluxes they give.
struct FluxClaims {
  std::vector<FluxClaim> claims;
  std::optional<std::size_t> unclaimed = {};  // a condition that gives none, of those on fluxes
  bool too_many = false;
};

class FluxAssignment {
 public:
  FluxAssignment(const WeakForm& form, const FluxConditions& given,
                 std::span<const BoundaryPart> parts)
      : form_(form), given_(given), parts_(parts) {
    for (const Expr& x : form.space) space_.push_back(x.name());
    for (std::size_t k = 0; k < given.fluxes.size(); ++k) {
      markers_.emplace_back(fmt::format("residual of condition {}", k));
    }
  }

  NaturalFluxes run() {
    // Parts where the same conditions hold are treated together, pieces apart if need be.
    std::map<std::vector<char>, std::vector<const BoundaryPart*>> groups;
    for (const BoundaryPart& part : parts_) groups[part.holds].push_back(&part);
    for (const auto& [holds, group] : groups) {
      FluxClaims found = claims_on(group);
      if (!found.unclaimed) {
        for (const FluxClaim& c : found.claims) add(c, group);
        continue;
      }
      for (const BoundaryPart* part : group) {
        const std::vector<const BoundaryPart*> alone = {part};
        found = claims_on(alone);
        if (found.unclaimed) {
          return {.conditions = {},
                  .unfit = given_.fluxes[*found.unclaimed].first,
                  .too_many = found.too_many};
        }
        for (const FluxClaim& c : found.claims) add(c, alone);
      }
    }
    for (std::size_t k = 0; k < given_.fluxes.size(); ++k) {
      const bool any = std::any_of(entries_.begin(), entries_.end(),
                                   [&](const Entry& e) { return e.claim.flux == k; });
      if (!any) return {.conditions = {}, .unfit = given_.fluxes[k].first};
    }
    return {.conditions = entries()};
  }

 private:
  using Parts = std::vector<const BoundaryPart*>;

  /// One row and value of a condition with the parts where it has them.
  struct Entry {
    FluxClaim claim;
    Parts parts;
  };

  void add(const FluxClaim& claim, const Parts& parts) {
    for (Entry& e : entries_) {
      if (e.claim.flux != claim.flux || e.claim.row != claim.row ||
          !(same(e.claim.value, claim.value) || vanishes(e.claim.value - claim.value))) {
        continue;
      }
      e.parts.insert(e.parts.end(), parts.begin(), parts.end());
      return;
    }
    entries_.push_back({claim, parts});
  }

  [[nodiscard]] bool holds(std::size_t flux, const BoundaryPart& part) const {
    return part.holds[given_.place[given_.fluxes[flux].first]] != 0;
  }

  /// With as little of the normal put in as will do.
  [[nodiscard]] FluxClaims claims_on(const Parts& parts) const {
    std::vector<std::size_t> conditions;
    for (std::size_t k = 0; k < given_.fluxes.size(); ++k) {
      if (holds(k, *parts[0])) conditions.push_back(k);
    }
    std::vector<char> is_given(form_.rows.size(), 0);
    for (std::size_t k = 0; k < given_.rows.size(); ++k) {
      if (given_.rows[k] && parts[0]->holds[given_.place[k]]) is_given[*given_.rows[k]] = 1;
    }
    FluxClaims found;
    for (const bool zeros_alone : {true, false}) {
      found = claims_with(conditions, is_given, known_normals(parts, space_, zeros_alone));
      if (!found.unclaimed) break;
    }
    return found;
  }

  [[nodiscard]] FluxClaims claims_with(const std::vector<std::size_t>& conditions,
                                       const std::vector<char>& is_given,
                                       const std::vector<Replacement>& normals) const {
    // Every condition carries its marker through the elimination of slopes.
    std::vector<Expr> residuals;
    std::vector<Replacement> no_markers;
    for (const std::size_t k : conditions) {
      residuals.push_back(substitute(given_.fluxes[k].second, normals) + markers_[k]);
      no_markers.push_back({markers_[k], Expr(0)});
    }
    struct Solved {
      std::size_t row;
      Expr value;
      std::vector<std::size_t> uses;  // of the conditions here
    };
    std::vector<Solved> solved;
    std::vector<char> known(conditions.size(), 0);  // gives a flux, whether it is needed or not
    for (std::size_t r = 0; r < form_.rows.size(); ++r) {
      const Expr flux = substitute(natural_flux(form_, form_.rows[r]), normals);
      if (space_order(reduced(flux), form_.space) == 0) continue;
      const std::optional<Expr> rest = reduced_flux(form_, flux, residuals);
      if (!rest) continue;
      Solved s{r, reduced(-substitute(*rest, no_markers)), {}};
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (!depends_on(*rest, markers_[conditions[i]])) continue;
        s.uses.push_back(i);
        known[i] = 1;
      }
      if (!is_given[r]) solved.push_back(std::move(s));
    }
    // Each condition takes a row of its own.
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> owner(solved.size(), none);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      std::vector<char> seen(solved.size(), 0);
      const auto take = [&](const auto& again, std::size_t condition) -> bool {
        for (std::size_t s = 0; s < solved.size(); ++s) {
          const auto& uses = solved[s].uses;
          if (seen[s] || std::find(uses.begin(), uses.end(), condition) == uses.end()) continue;
          seen[s] = 1;
          if (owner[s] != none && !again(again, owner[s])) continue;
          owner[s] = condition;
          return true;
        }
        return false;
      };
      if (!take(take, i)) {
        return {.claims = {}, .unclaimed = conditions[i], .too_many = known[i] != 0};
      }
    }
    FluxClaims found;
    for (std::size_t s = 0; s < solved.size(); ++s) {
      const std::size_t of = owner[s] != none ? owner[s] : solved[s].uses.front();
      found.claims.push_back({solved[s].row, conditions[of], solved[s].value});
    }
    return found;
  }

  [[nodiscard]] WeakCondition condition_of(const FluxClaim& claim, const Parts& parts) const {
    return {.role = WeakCondition::Role::natural,
            .condition = given_.fluxes[claim.flux].first,
            .row = claim.row,
            .value = reduced(substitute(claim.value, known_normals(parts, space_, false)))};
  }

  [[nodiscard]] std::vector<WeakCondition> entries() const {
    std::vector<WeakCondition> all;
    for (const Entry& e : entries_) {
      Parts others;  // where the condition gives something else
      for (const Entry& o : entries_) {
        if (o.claim.flux != e.claim.flux || &o == &e) continue;
        others.insert(others.end(), o.parts.begin(), o.parts.end());
      }
      const std::size_t place = given_.place[given_.fluxes[e.claim.flux].first];
      const auto text = [&](const Parts& parts) -> std::optional<std::string> {
        return others.empty() ? std::string() : text_of(place, parts, others);
      };
      if (const auto whole = text(e.parts)) {
        all.push_back(condition_of(e.claim, e.parts));
        all.back().where = *whole;
        continue;
      }
      for (const BoundaryPart* part : e.parts) {
        for (const BoundaryPart* q : e.parts) {
          if (q != part) others.push_back(q);
        }
        all.push_back(condition_of(e.claim, {part}));
        all.back().where = text({part}).value_or(given_.places[place]);
        others.resize(others.size() - e.parts.size() + 1);
      }
    }
    return all;
  }

  /// These parts of a place in words, without the others: by what else holds there or does not,
  /// and by pieces. None: that does not tell them apart.
  [[nodiscard]] std::optional<std::string> text_of(std::size_t place, const Parts& parts,
                                                   Parts others) const {
    std::string text = fmt::format("({})", given_.places[place]);
    const auto narrow = [&](const std::string& more, const auto& outside) {
      const auto left = std::remove_if(others.begin(), others.end(), outside);
      if (left == others.end()) return;
      others.erase(left, others.end());
      text += " and " + more;
    };
    for (std::size_t k = 0; k < given_.places.size() && !others.empty(); ++k) {
      const char first = parts[0]->holds[k];
      const bool same_here = std::all_of(parts.begin(), parts.end(),
                                         [&](const auto* p) { return p->holds[k] == first; });
      if (!same_here) continue;
      narrow(fmt::format("{}({})", first != 0 ? "" : "not ", given_.places[k]),
             [&](const auto* p) { return p->holds[k] != first; });
    }
    if (!others.empty()) {
      std::vector<std::string> named;
      for (const BoundaryPart* p : parts) {
        if (std::find(named.begin(), named.end(), p->piece) == named.end()) {
          named.push_back(p->piece);
        }
      }
      narrow(fmt::format("({})", fmt::join(named, " or ")), [&](const auto* p) {
        return std::find(named.begin(), named.end(), p->piece) == named.end();
      });
    }
    if (!others.empty()) return std::nullopt;
    return text;
  }

  const WeakForm& form_;
  const FluxConditions& given_;
  std::span<const BoundaryPart> parts_;
  std::vector<std::string> space_;
  std::vector<Symbol> markers_;
  std::vector<Entry> entries_;
};

}  // namespace

NaturalFluxes natural_fluxes(const WeakForm& form, const FluxConditions& given,
                             std::span<const BoundaryPart> parts) {
  return FluxAssignment(form, given, parts).run();
}

}  // namespace cauchy::detail
