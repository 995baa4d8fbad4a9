#pragma once

#include <span>
#include <string>

#include <cauchy/applications/morph_transfer.hpp>
#include <cauchy/report/html_report.hpp>  // HtmlOptions
#include <cauchy/report/picture.hpp>

namespace cauchy {

/// The last moment of the first test trajectory of every family that the pre-training has not seen,
/// along the last axis through the middle of the others: the truth, and what the pre-trained and
/// the fine-tuned model have made of the first moments by going on from their own answers.
[[nodiscard]] Picture morph_picture(const MorphStudyResult& result,
                                    std::span<const MorphFamily> unseen, int threads = 0);

/// One HTML file about a study of a foundation model, complete in itself: grade with findings,
/// errors of all families, the transfer to those that were not seen, history, settings.
///   same     for the same result and options, to the last byte
[[nodiscard]] std::string morph_report(const MorphStudyResult& result,
                                       std::span<const MorphFamily> unseen,
                                       const HtmlOptions& options, int threads = 0);

}  // namespace cauchy
