#include "legend.hpp"

#include <algorithm>

namespace cauchy::detail {
namespace {

constexpr double inset = 0.55, sample = 1.9;  // in font sizes: border, length of the sample

}  // namespace

Legend::Legend(std::vector<LegendEntry> entries, const Style& style)
    : font_(style.tick), row_(1.5 * style.tick) {
  for (LegendEntry& entry : entries) {
    const bool is_new =
        std::ranges::find(entries_, entry.name, &LegendEntry::name) == entries_.end();
    if (!entry.name.empty() && is_new) entries_.push_back(std::move(entry));
  }
  if (entries_.empty()) return;
  for (const LegendEntry& entry : entries_)
    width_ = std::max(width_, font_slack * text_width(entry.name, font_));
  width_ += (2 * inset + sample + 0.5) * font_;
  height_ = row_ * static_cast<double>(entries_.size()) + inset * font_;
}

void Legend::draw(Picture& picture, PixelPoint top_left) const {
  if (empty()) return;
  picture.rectangle({top_left.x, top_left.y, width_, height_}, with_opacity(white, 0.88),
                    Stroke{{208, 208, 208}, 1});
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const LegendEntry& entry = entries_[i];
    const double left = top_left.x + inset * font_, right = left + sample * font_;
    const double y = top_left.y + inset * font_ / 2 + row_ * (static_cast<double>(i) + 0.5);
    if (entry.patch)
      picture.rectangle({left, y - 0.36 * font_, right - left, 0.72 * font_}, entry.patch);
    if (entry.line) picture.line({left, y}, {right, y}, *entry.line);
    if (entry.dot) {
      const PixelPoint centre{(left + right) / 2, y};
      picture.circles({&centre, 1}, 0.3 * font_, *entry.dot);
    }
    picture.text({right + 0.5 * font_, y + 0.36 * font_}, entry.name,
                 {.size = font_, .color = ink});
  }
}

std::optional<PixelPoint> Legend::free_corner(const PixelBox& frame,
                                              std::span<const PixelPoint> occupied) const {
  const double gap = 8;
  if (width_ + 2 * gap > 0.7 * frame.width || height_ + 2 * gap > 0.7 * frame.height)
    return std::nullopt;
  const double left = frame.left + gap, right = frame.right() - gap - width_;
  const double top = frame.top + gap, bottom = frame.bottom() - gap - height_;
  std::optional<PixelPoint> best;
  std::size_t least = occupied.size() / 250;  // hiding one point in 250 is no loss
  const double margin = 3;
  for (const PixelPoint corner : {PixelPoint{right, top}, PixelPoint{left, top},
                                  PixelPoint{right, bottom}, PixelPoint{left, bottom}}) {
    const auto hidden = static_cast<std::size_t>(std::ranges::count_if(occupied, [&](PixelPoint p) {
      return p.x > corner.x - margin && p.x < corner.x + width_ + margin &&
             p.y > corner.y - margin && p.y < corner.y + height_ + margin;
    }));
    if (hidden < least || (hidden == least && !best)) {
      best = corner;
      least = hidden;
    }
  }
  return best;
}

}  // namespace cauchy::detail
