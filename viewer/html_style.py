"""How an exported page looks: light and dark, wide and phone-wide, on paper."""

import base64
import hashlib

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--dim:#5c6570;--line:#d9dee4;--box:#f6f8fa;
--you:#0a5dc2;--youbox:#eef5ff;--bad:#b3201a;--badbox:#fff1f0;--warn:#8a5700;--warnbox:#fff8e6;
--good:#1a7f37;--goodbox:#e9f8ee}
@media (prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e2e6ea;--dim:#98a2ad;--line:#343b43;
--box:#1c2127;--you:#7ab7ff;--youbox:#172437;--bad:#ff8b80;--badbox:#331a1a;--warn:#e5b454;
--warnbox:#2c2413;--good:#6fd08c;--goodbox:#16291d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0 auto;padding:1.5rem 1.5rem 3rem;max-width:64rem;background:var(--paper);
color:var(--ink);font:1rem/1.55 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
overflow-wrap:anywhere}
h1{margin:0 0 .75rem;font-size:1.6rem;line-height:1.25}
h2,h3,h4,h5,h6{margin:1rem 0 .4rem;font-size:1rem;line-height:1.3}
.md h3{font-size:1.2rem}.md h4{font-size:1.08rem}
a{color:var(--you)}
p{margin:.4rem 0}
code,pre,.what,.path,.url{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",
monospace;font-size:.86em}
.md p{white-space:pre-line}
.md>:first-child{margin-top:0}.md>:last-child{margin-bottom:0}
.md code{padding:.1em .3em;border-radius:4px;background:var(--box)}
.md pre code{padding:0;background:none;font-size:1em}
.md ul,.md ol{margin:.3rem 0;padding-left:1.6rem}
.md li{white-space:pre-line}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:.5rem 0;font-size:.92em}
th,td{padding:.25rem .6rem;border:1px solid var(--line);text-align:left;vertical-align:top;
overflow-wrap:normal}
th{background:var(--box)}
blockquote{margin:.5rem 0;padding:0 .9rem;border-left:3px solid var(--line);color:var(--dim)}
blockquote p{white-space:pre-line}
hr{border:0;border-top:1px solid var(--line)}
pre{margin:.4rem 0;padding:.55rem .75rem;max-height:30rem;overflow:auto;border-radius:6px;
background:var(--box);font-size:.82rem;line-height:1.45;white-space:pre-wrap;tab-size:4}
pre.command{background:none;padding:.2rem 0;font-weight:600}
pre.out{border-left:3px solid var(--line);border-radius:0 6px 6px 0}
pre.failed{border-left-color:var(--bad)}
pre.diff ins,pre.diff del{display:block;margin:0 -.75rem;padding:0 .75rem;text-decoration:none}
pre.diff ins{background:var(--goodbox);color:var(--good)}
pre.diff del{background:var(--badbox);color:var(--bad)}
dl{display:flex;flex-wrap:wrap;gap:.1rem 1.4rem;margin:.3rem 0;font-size:.88rem}
dl div{display:flex;gap:.5rem;min-width:0}
dt{color:var(--dim);white-space:nowrap}
dd{margin:0;min-width:0}
header dl{font-size:.92rem}
.dim,.more,.media,.place{color:var(--dim)}
.dim,.more,.place{font-size:.88rem}
.media{padding:.5rem .75rem;border:1px dashed var(--line);border-radius:6px;font-size:.88rem}
.path{font-weight:600}
.url{color:var(--dim)}
.index{margin:1.2rem 0;padding:.3rem 1rem;border:1px solid var(--line);border-radius:8px}
.index summary{padding:.35rem 0;font-weight:600}
.index h2{margin:.6rem 0 .2rem;font-size:.9rem;color:var(--dim)}
.index ol,.index ul{margin:.2rem 0 .8rem;padding-left:1.3rem;font-size:.92rem}
.index li{margin:.2rem 0}
.index li a{text-decoration:none}.index li a:hover{text-decoration:underline}
.cause{padding:0 .4em;border-radius:4px;background:var(--badbox);color:var(--bad);font-size:.8rem;
font-weight:600;white-space:nowrap}
.missing .cause{background:var(--warnbox);color:var(--warn)}
.turn{margin:2rem 0 0;padding-top:.2rem;border-top:1px solid var(--line)}
.turn .turn{margin-top:1rem}
.in>.turn:first-child{margin-top:0;border-top:0}
pre .dim{font-size:inherit}
.turn>h2{display:flex;gap:.6rem;align-items:baseline;margin:.6rem 0 .4rem;color:var(--you);
font-size:.88rem}
.prompt pre{background:none}.prompt pre.command{margin:0}
.prompt{margin:0 0 .8rem;padding:.6rem .9rem;border-left:3px solid var(--you);
border-radius:0 8px 8px 0;background:var(--youbox)}
.reply{margin:.9rem 0}
details.entry{margin:.3rem 0;border:1px solid var(--line);border-radius:8px}
details.entry[open]>summary{border-bottom:1px solid var(--line);border-radius:8px 8px 0 0}
summary{cursor:pointer}
.entry>summary{display:flex;gap:.55rem;align-items:baseline;padding:.32rem .75rem;
border-radius:8px;list-style:none;font-size:.92rem}
.entry>summary::-webkit-details-marker{display:none}
.entry>summary::before{content:"▸";color:var(--dim);flex:none;width:.8em}
.entry[open]>summary::before{content:"▾"}
.entry>summary:hover{background:var(--box)}
summary:focus-visible,a:focus-visible{outline:2px solid var(--you);outline-offset:1px}
.entry>.in{padding:.4rem .9rem .6rem}
.name{font-weight:600;white-space:nowrap}
.what{flex:1 1 0;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.state{margin-left:auto;color:var(--dim);font-size:.85rem;white-space:nowrap;
font-variant-numeric:tabular-nums}
.say>summary .what{font-family:inherit;font-size:.92em;color:var(--dim)}
.thinking[open]>summary .what{visibility:hidden}
.thinking>.in{color:var(--dim)}
.ok>summary .state,.line.ok .state{color:var(--good)}
.error>summary .state,.error>summary .name,p.error{color:var(--bad)}
.missing>summary .state,.warning>summary .state,p.warning{color:var(--warn)}
.entry[open]>summary .what{white-space:normal}
.running>summary .state{color:var(--you)}
details.error{border-color:var(--bad)}
details.error>summary{background:var(--badbox)}
details.missing{border-color:var(--warn)}
details.missing>summary{background:var(--warnbox)}
:target{outline:3px solid var(--you);outline-offset:2px}
.advice{margin:.3rem 0 .6rem;padding:.45rem .75rem;border-radius:6px;background:var(--badbox);
font-size:.92rem}
.missing>.in>.advice{background:var(--warnbox)}
.label{margin:.7rem 0 .2rem;font-size:.78rem;letter-spacing:.04em;text-transform:uppercase;
color:var(--dim)}
ul.todo{margin:.3rem 0;padding:0;list-style:none}
.line{display:flex;gap:.55rem;padding:.1rem .75rem;font-size:.88rem;color:var(--dim)}
.line .what{white-space:normal;font-family:inherit}
footer{margin-top:3rem;padding-top:.8rem;border-top:1px solid var(--line);color:var(--dim);
font-size:.88rem}
@media (max-width:40rem){body{padding:1rem .8rem 2rem}h1{font-size:1.3rem}
.entry>summary{flex-wrap:wrap;gap:.1rem .5rem;padding:.4rem .6rem}
.entry>summary .what{flex:1 0 100%;order:3;padding-left:1.2rem}
.entry>.in{padding:.3rem .6rem .5rem}
.entry .entry{margin-left:-.25rem;margin-right:-.25rem}
.md ul,.md ol{padding-left:1.2rem}header dl{display:block}}
@media print{body{max-width:none;padding:0;font-size:10pt}pre{max-height:none;overflow:visible}
details::details-content{content-visibility:visible;block-size:auto}
.entry>summary{break-after:avoid}.what{white-space:normal}.url,a{color:inherit}}
"""


def policy() -> str:
    """What a browser may do with the page: show it in this style, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
