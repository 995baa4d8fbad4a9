#include "notes/page.hpp"

#include <fmt/format.h>

#include "report/html_text.hpp"

namespace cauchy::notes {
namespace {

// Contrast of text on its background is at least 4.5 : 1 in both schemes. Pictures are drawn for
// white paper and keep it.
constexpr std::string_view style = R"css(
:root{color-scheme:light dark;--ink:#1f2933;--soft:#52606d;--line:#dde3e9;--paper:#fff;--page:#f4f6f8;
 --accent:#0b5cad;--code:#f3f6f9;--good:#17713a;--bad:#b3261e;--mark:#fff3d6;--markline:#d9a520}
@media (prefers-color-scheme:dark){:root{--ink:#e6ebf0;--soft:#a3b1bf;--line:#334150;--paper:#1a222b;
 --page:#11171d;--accent:#7db8f5;--code:#202a35;--good:#6fd39a;--bad:#ff8d85;--mark:#3a2f12;--markline:#a8832a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--page);color:var(--ink);
 font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
nav{background:var(--paper);border-bottom:1px solid var(--line);padding:10px 20px;display:flex;flex-wrap:wrap;
 gap:4px 18px;align-items:center}
nav a{text-decoration:none}
main{max-width:1080px;margin:0 auto;padding:26px 20px 50px}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 14px;letter-spacing:-.015em}
h2{font-size:1.3rem;margin:0 0 10px;letter-spacing:-.01em}
h3{font-size:1.05rem;margin:20px 0 6px}
p,ul,ol{margin:0 0 10px}
a{color:var(--accent)}
.soft,figcaption,small{color:var(--soft);font-size:.9rem}
.card{background:var(--paper);border:1px solid var(--line);border-radius:12px;padding:20px 22px;margin:0 0 18px;
 scroll-margin-top:8px}
.card>:last-child{margin-bottom:0}
.card.failed{border:2px solid var(--bad)}
.tag{display:inline-block;border:1px solid var(--line);border-radius:6px;padding:0 8px;font-size:.8rem;
 color:var(--soft);margin-right:6px}
.good{color:var(--good);font-weight:600}
.bad{color:var(--bad);font-weight:600}
.truth{background:var(--mark);border-left:4px solid var(--markline);padding:8px 14px;border-radius:6px;margin:0 0 12px}
.formula{overflow-x:auto;padding:4px 0 8px}
math{font-family:"STIX Two Math","Latin Modern Math","Cambria Math","XITS Math","DejaVu Math TeX Gyre",math,serif;
 font-size:1.1em}
.script{font-style:italic}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;background:var(--code);
 border-radius:4px;padding:1px 5px;overflow-wrap:anywhere}
pre{font:.84rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;background:var(--code);
 border:1px solid var(--line);border-radius:8px;padding:14px;overflow-x:auto;margin:8px 0 12px}
pre.contract{background:none;border:0;padding:0 4px;margin:0 0 18px;white-space:pre-wrap;color:var(--soft)}
pre code{background:none;padding:0;font:inherit;overflow-wrap:normal}
figure{margin:0 0 14px}
figure img,.thumb img,main p img{display:block;max-width:100%;height:auto;margin:0 auto;background:#fff;border-radius:8px}
figcaption{text-align:center;margin-top:4px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.93rem;min-width:40%}
th,td{text-align:left;padding:6px 12px;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:600;font-size:.86rem}
details{margin:0 0 12px}
details summary{cursor:pointer;font-weight:600;color:var(--accent)}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:14px;margin:0 0 26px}
.thumb{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:10px;text-decoration:none;
 color:var(--ink);display:flex;flex-direction:column;gap:6px}
.thumb:hover{border-color:var(--accent)}
.thumb .picture{height:130px;display:flex;align-items:center;justify-content:center;background:#fff;border-radius:6px;
 overflow:hidden;color:#52606d}
.thumb img{max-height:130px;width:auto}
.thumb.failed{border:2px solid var(--bad)}
input[type=search]{font:inherit;width:100%;max-width:420px;padding:7px 12px;border-radius:8px;
 border:1px solid var(--line);background:var(--paper);color:var(--ink)}
:focus-visible{outline:3px solid #7db4ea;outline-offset:2px}
@media (max-width:600px){main{padding:16px 10px}.card{padding:16px 14px}h1{font-size:1.5rem}
 .grid{grid-template-columns:repeat(auto-fill,minmax(150px,1fr))}}
@media print{body{background:#fff}.card{break-inside:avoid;box-shadow:none}nav{display:none}}
)css";

}  // namespace

std::string page(std::string_view title, const std::vector<NavigationLink>& links,
                 std::string_view content, std::string_view script) {
  std::string nav;
  for (const auto& [to, text] : links) {
    nav +=
        fmt::format("<a href=\"{}\">{}</a>", detail::html_escaped(to), detail::html_escaped(text));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<nav>{2}</nav>\n<main>\n"
      "<h1>{0}</h1>\n{3}\n</main>\n{4}</body>\n</html>\n",
      detail::html_escaped(title), style, nav, content,
      script.empty() ? std::string() : fmt::format("<script>{}</script>\n", script));
}

}  // namespace cauchy::notes
