#include <string_view>

#include "report/page.h"

namespace conflux {

// Up to four groups are distinguished by colors that are at least 0.20 apart in OKLab for every
// kind of color vision, with contrast above 3; a test measures both. Larger numbers are one hue.
constexpr std::string_view kStyle = R"css(
:root{--bg:#fff;--ink:#1c1c1e;--soft:#5b5b66;--grid:#e4e4ea;--line:#c9c9d2;--card:#f5f5f8;
--band:#d9d9e3;--s0:#1b39ae;--s1:#d77920;--s2:#882006;--s3:#558ffd;--hue:#1b39ae;--onhue:#fff;
--warn:#a34a00;--warnbg:#fff1e0;--gray:#9a9aa8}
@media (prefers-color-scheme:dark){:root{--bg:#16161a;--ink:#ececf1;--soft:#a9a9b6;--grid:#2c2c34;
--line:#45454f;--card:#202027;--band:#3b3b47;--s0:#7080c0;--s1:#eeec47;--s2:#db4b28;--s3:#5adbe6;
--hue:#7f90d8;--onhue:#0d0d10;--warn:#ffab5c;--warnbg:#3a2813;--gray:#777784}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.2rem 1rem 3rem;max-width:60rem;background:var(--bg);color:var(--ink);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:2rem;line-height:1.2;margin:.2rem 0 .6rem}
h2{font-size:1.25rem;margin:0 0 .3rem}
p{margin:.3rem 0}
a{color:inherit}
.kicker,footer,figcaption,.note{color:var(--soft);font-size:.875rem}
.sign{display:inline-block;margin-right:.5rem}
.verdict.look{color:var(--warn)}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(12.5rem,1fr));gap:.7rem;
margin:1rem 0;padding:0}
.numbers div{background:var(--card);border-radius:.5rem;padding:.6rem .8rem}
.numbers dt{font-size:.8125rem;color:var(--soft)}
.numbers dd{margin:0}
.numbers .value{font-size:1.5rem;line-height:1.25;font-variant-numeric:tabular-nums}
.numbers .note{font-size:.8125rem}
.advice{border-left:4px solid var(--s0);padding:.1rem 0 .1rem .9rem;margin:1rem 0}
.advice ol{margin:.3rem 0;padding-left:1.2rem}
pre{background:var(--card);border-radius:.4rem;padding:.5rem .7rem;margin:.3rem 0;
white-space:pre-wrap;font-size:.875rem;user-select:all}
nav ol{columns:2;padding-left:1.3rem;margin:.4rem 0;font-size:.9375rem}
section{border-top:1px solid var(--line);padding:1.1rem 0 .6rem;margin-top:1.1rem}
.pair{display:flex;flex-wrap:wrap;gap:1rem 1.5rem;align-items:flex-start}
figure{margin:.6rem 0;flex:1 1 20rem;max-width:29rem;min-width:0}
.pair.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.6rem 1.2rem}
svg{display:block;width:100%;height:auto}
text{font-size:11.5px;fill:var(--ink)}
.small{font-size:10.5px;fill:var(--soft)}
.tiny{font-size:8.5px;fill:var(--soft)}
.cell{font-size:10.5px}
.mid{text-anchor:middle}
.end{text-anchor:end}
.warn{fill:var(--warn)}
.grid{stroke:var(--grid);stroke-width:1}
.axis{stroke:var(--line);stroke-width:1}
.band{fill:var(--band)}
.bar{stroke:var(--line);stroke-width:2}
.was{fill:var(--s0)}
.is{fill:var(--bg);stroke:var(--s1);stroke-width:2}
.hue{fill:var(--hue);stroke:var(--grid);stroke-width:1}
.onhue{fill:var(--onhue)}
.col{fill:var(--s0)}
.frame{fill:none;stroke:var(--warn);stroke-width:2}
.err{stroke:var(--s0);stroke-width:3;opacity:.35}
.limit{stroke:var(--warn);stroke-width:1.5;stroke-dasharray:4 3}
.ln{fill:none;stroke-width:1.8;stroke-linejoin:round}
.pt{fill:none;stroke-width:3;stroke-linecap:round;stroke-opacity:.75}
.pm{fill:none;stroke-width:1.2;stroke-opacity:.85}
.gray{stroke:var(--gray);stroke-width:1;stroke-opacity:.55}
.pt.gray{stroke-width:2.2}
.s0{stroke:var(--s0)}.s1{stroke:var(--s1)}.s2{stroke:var(--s2)}.s3{stroke:var(--s3)}
.d1{stroke-dasharray:6 2}.d2{stroke-dasharray:2 2}.d3{stroke-dasharray:8 2 2 2}
.d4{stroke-dasharray:10 4}.d5{stroke-dasharray:1 3}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:.4rem 0;
font-size:.875rem}
.legend svg{display:inline-block;width:34px;height:12px;margin-right:.35rem;vertical-align:middle}
.key{font-size:.875rem;color:var(--soft)}
.thin{stroke-width:.8}
.px{fill:var(--hue)}
.paper{fill:var(--card)}
.images{display:grid;grid-template-columns:repeat(auto-fill,minmax(6rem,1fr));gap:.2rem .8rem}
.images figure{max-width:8rem}
.frames{position:relative;border:0;padding:0;margin:.6rem 0;font-size:.875rem}
.frames input{position:absolute;opacity:0}
.frames label{display:inline-block;min-width:2rem;padding:.1rem .5rem;margin:.2rem .3rem 0 0;
text-align:center;border:1px solid var(--line);border-radius:.4rem;cursor:pointer}
.frames input:checked+label{background:var(--hue);color:var(--onhue)}
.frames input:focus-visible+label{outline:2px solid var(--ink);outline-offset:2px}
.frames figure{display:none}
#w0:checked~.w0,#w1:checked~.w1,#w2:checked~.w2,#w3:checked~.w3,#w4:checked~.w4,#w5:checked~.w5,
#w6:checked~.w6,#w7:checked~.w7{display:block}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.875rem;margin:.4rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .7rem .2rem 0;text-align:right;border-bottom:1px solid var(--grid);
overflow-wrap:normal}
th:first-child,td:first-child{text-align:left}
.option{white-space:nowrap}
.empty{background:var(--card);border-radius:.4rem;padding:.6rem .8rem;max-width:40rem}
.sign-look{color:var(--warn)}
summary{cursor:pointer;font-size:.9375rem}
footer{border-top:1px solid var(--line);margin-top:2rem;padding-top:.8rem}
@media (max-width:30rem){nav ol{columns:1}h1{font-size:1.6rem}
.pair.small{grid-template-columns:1fr 1fr;gap:.5rem .8rem}}
@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important}}
@page{margin:14mm}
@media print{:root{--bg:#fff;--ink:#000;--soft:#444;--grid:#ddd;--line:#bbb;--card:#f3f3f3;
--band:#d9d9e3;--s0:#1b39ae;--s1:#d77920;--s2:#882006;--s3:#558ffd;--hue:#1b39ae;--onhue:#fff;
--warn:#a34a00;--warnbg:#fff;--gray:#9a9aa8}
body{max-width:none;padding:0;font-size:11pt}nav,.frames{display:none}
.numbers{grid-template-columns:repeat(4,1fr)}.numbers .value{font-size:1.15rem}
figure{max-width:22rem}
p,figure,pre,.numbers div,table,.pair:not(.small):not(:has(table)){break-inside:avoid}h2,section>p,.legend{break-after:avoid}
details:not([open]){display:none}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

std::string_view page_style() { return kStyle; }

}  // namespace conflux
