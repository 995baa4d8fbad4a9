#include "report/html_text.hpp"

namespace cauchy::detail {

// Colours have a contrast of at least 4.5 : 1 on their backgrounds. In a narrow window the widest
// pictures (1000 pixels and a little more) scroll, the others shrink.
std::string_view html_style() {
  return R"css(
:root{color-scheme:light;--ink:#1f2933;--soft:#52606d;--line:#e1e6eb;--page:#f4f6f8;--accent:#0b5cad}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);
 font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1100px;margin:0 auto;padding:28px 20px 40px}
header{margin-bottom:20px}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 4px;letter-spacing:-.015em}
h2{font-size:1.2rem;margin:0 0 14px;letter-spacing:-.01em}
h3{font-size:1rem;margin:22px 0 8px;color:var(--soft);font-weight:600}
h2+h3{margin-top:0}
.scroll+.grid,.scroll+details{margin-top:18px}
p{margin:0 0 10px}
a{color:var(--accent)}
.sub,.note,figcaption,.label{color:var(--soft);font-size:.92rem}
.card{background:#fff;border:1px solid var(--line);border-radius:12px;padding:22px 24px;margin:0 0 18px;
 box-shadow:0 1px 2px rgba(16,24,40,.05)}
.verdict{border-left:6px solid var(--grade)}
.verdict ul{margin:10px 0 0;padding-left:1.2em}
.choices{margin:0;padding-left:1.2em}
.badge{display:inline-block;background:var(--grade);color:#fff;border-radius:999px;padding:3px 16px;
 font-weight:650;letter-spacing:.01em}
.warnings{margin:14px 0 0;padding:10px 14px;background:#fff6e0;border:1px solid #e6c878;border-radius:10px}
.warnings p{margin:0;font-weight:600;color:#6b4200}
.warnings ul{margin:4px 0 0}
.converged{--grade:#17713a}.unverified{--grade:#8f5a00}.stalled{--grade:#7a4a1e}.suspicious{--grade:#a33b00}.diverged{--grade:#b3261e}
.meaning{margin-left:10px;color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:12px;margin:18px 0 0;padding:0}
.tiles div{background:#f7f9fb;border:1px solid var(--line);border-radius:10px;padding:10px 14px}
.tiles dt{color:var(--soft);font-size:.82rem}
.tiles dd{margin:0;font-size:1.25rem;font-weight:600;font-variant-numeric:tabular-nums}
.tiles sup{font-size:.65em}
math{font-size:1.12em;font-family:"STIX Two Math","Latin Modern Math","Cambria Math","XITS Math",
 "DejaVu Math TeX Gyre",math,serif}
.no-math-font msub>:nth-child(2){position:relative;top:.3em}
.formulas{list-style:none;margin:0;padding:0}
.formulas li{display:flex;flex-wrap:wrap;align-items:center;gap:4px 28px;padding:8px 14px;min-height:44px;
 border-left:3px solid var(--line);margin:0 0 6px;background:#fbfcfd;overflow-x:auto}
.formulas math{math-style:normal}
.formulas .where{color:var(--soft);font-size:.92rem}
.tag{display:inline-block;border:1px solid #c3cdd6;border-radius:6px;padding:0 7px;font-size:.8rem;color:var(--soft)}
.plain{display:flex;flex-wrap:wrap;gap:6px 34px;margin:0 0 6px;padding:0;list-style:none;align-items:center}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;background:#f1f4f7;
 border-radius:4px;padding:1px 5px;overflow-wrap:anywhere}
pre{font:.84rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;background:#f7f9fb;
 border:1px solid var(--line);border-radius:8px;padding:14px;overflow-x:auto;margin:10px 0 0}
figure{margin:0 0 14px}
figure:last-child{margin-bottom:0}
svg{display:block;max-width:100%;height:auto;margin:0 auto}
figcaption{text-align:center;margin-top:4px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:14px;align-items:start}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.94rem}
th,td{text-align:left;padding:7px 12px;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:600;font-size:.85rem}
td{overflow-wrap:anywhere}
.num td:not(:first-child),.num th:not(:first-child){text-align:right;font-variant-numeric:tabular-nums;
 white-space:nowrap}
tr:last-child td{border-bottom:0}
.bad{color:#b3261e;font-weight:600}
details summary{cursor:pointer;font-weight:600;color:var(--accent)}
.player .frame{display:none}
.player .frame.shown{display:block}
.player .label{text-align:center;margin:2px 0 0;font-variant-numeric:tabular-nums}
.controls{display:flex;gap:14px;align-items:center;max-width:640px;margin:8px auto 4px}
.controls input{flex:1;accent-color:var(--accent)}
.controls output{display:none}
.controls button{font:inherit;font-size:.9rem;min-width:98px;padding:5px 14px;border-radius:8px;
 border:1px solid var(--accent);background:#fff;color:var(--accent);cursor:pointer}
.controls button:hover{background:#eef5fc}
:focus-visible{outline:3px solid #7db4ea;outline-offset:2px}
footer{color:var(--soft);font-size:.85rem;text-align:center;padding:6px 0 0}
@media (max-width:600px){main{padding:16px 10px}.card{padding:16px 14px}h1{font-size:1.5rem}
 .num td:first-child{min-width:9em}figure,.frame{overflow-x:auto}svg[width^="10"]{max-width:max(100%,640px)}}
@media print{body{background:#fff;font-size:11pt}main{max-width:none;padding:0}.controls{display:none}
 .card{box-shadow:none;padding:12px 0;border:0;border-top:1px solid var(--line);border-radius:0}
 .verdict{border-left:6px solid var(--grade);padding-left:12px}
 figure,.formulas li,tr,.tiles div{break-inside:avoid}h2,h3{break-after:avoid}
 .badge,.tiles div{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";
}

std::string_view html_script() {
  return R"js(
// Without a mathematical font some browsers do not lower subscripts: measure, and help where needed.
const probe = document.createElement("div");
probe.style.cssText = "position:absolute;visibility:hidden";
probe.innerHTML = "<math><msub><mi>x</mi><mi>x</mi></msub></math>";
document.body.append(probe);
const [base, index] = probe.querySelectorAll("mi");
const [outer, inner] = [base.getBoundingClientRect(), index.getBoundingClientRect()];
if (inner.bottom < outer.bottom + 0.05 * outer.height) document.body.classList.add("no-math-font");
probe.remove();
for (const player of document.querySelectorAll(".player")) {
  const frames = player.querySelectorAll(".frame");
  const slider = player.querySelector("input"), button = player.querySelector("button");
  let timer = null;
  const show = (k) => {
    frames.forEach((frame, i) => frame.classList.toggle("shown", i === k));
    slider.value = k;
    slider.setAttribute("aria-valuetext", frames[k].querySelector(".label").textContent);
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = "▶ play";
  };
  button.addEventListener("click", () => {
    if (timer !== null) return stop();
    button.textContent = "❚❚ pause";
    if (Number(slider.value) === frames.length - 1) show(0);
    timer = setInterval(() => {
      const next = Number(slider.value) + 1;
      if (next < frames.length) show(next);
      if (next >= frames.length - 1) stop();
    }, 200);
  });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  show(Number(player.dataset.first));
}
)js";
}

}  // namespace cauchy::detail
