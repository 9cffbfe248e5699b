/** Ways to hide text from a user and not from a program; and text that is to be seen although it looks alike. */

export interface Row {
  readonly html: string
  /** `property: value` without which the browser shows the text. */
  readonly needs?: string
}

const needs = (declaration: string, html = `<p style="${declaration}">HIDDEN</p>`): Row => ({
  html,
  needs: declaration,
})
const css = (declaration: string) => `<p style="${declaration}">HIDDEN</p>`

/** No part of a page may have HIDDEN in it; the paragraph "seen" beside it has to be there. */
export const hidden: { readonly [how: string]: string | Row } = {
  'display: none': '<p style="display: none">HIDDEN</p>',
  'the attribute hidden': '<p hidden>HIDDEN</p>',
  'hidden until found': '<p hidden="until-found">HIDDEN</p>',
  'an ancestor that is not displayed':
    '<div style="display:none"><p style="display:block">HIDDEN</p></div>',
  'visibility: hidden': '<p style="visibility: hidden">HIDDEN</p>',
  'visibility: collapse': '<table><tr style="visibility: collapse"><td>HIDDEN</table>',
  'opacity: 0': '<p style="opacity: 0">HIDDEN</p>',
  'opacities that make next to nothing':
    '<div style="opacity: .1"><p style="opacity: .1">HIDDEN</p></div>',
  'filter: opacity': '<p style="filter: opacity(0)">HIDDEN</p>',
  'aria-hidden': '<p aria-hidden="true">HIDDEN</p>',
  'off to the left': '<p style="position: absolute; left: -9999px">HIDDEN</p>',
  'off to the top': '<p style="position: absolute; top: -9999px">HIDDEN</p>',
  'far off to the right': '<p style="position: absolute; left: 9999px">HIDDEN</p>',
  'fixed outside of the window': '<p style="position: fixed; left: 100vw">HIDDEN</p>',
  'moved away': '<p style="transform: translateX(-9999px)">HIDDEN</p>',
  'text-indent': '<p style="text-indent: -9999px; overflow: hidden">HIDDEN</p>',
  'scaled to nothing': '<p style="transform: scale(0)">HIDDEN</p>',
  'font-size: 0': '<p style="font-size: 0">HIDDEN</p>',
  'transparent text': '<p style="color: transparent">HIDDEN</p>',
  'transparent fill': '<p style="-webkit-text-fill-color: rgb(0 0 0 / 0)">HIDDEN</p>',
  'a box without height': '<div style="height: 0; overflow: hidden">HIDDEN</div>',
  'the one pixel of screen readers':
    '<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);white-space:nowrap">HIDDEN</span>',
  clip: '<p style="position: absolute; clip: rect(0, 0, 0, 0)">HIDDEN</p>',
  'clip-path: inset': '<p style="clip-path: inset(50%)">HIDDEN</p>',
  'clip-path: polygon': '<p style="clip-path: polygon(0 0, 0 0, 0 0)">HIDDEN</p>',
  'clip-path: circle': '<p style="clip-path: circle(0)">HIDDEN</p>',
  'content-visibility: hidden': '<p style="content-visibility: hidden">HIDDEN</p>',
  'closed details': '<details><summary>more</summary>HIDDEN<p>HIDDEN</details>',
  'what overflows':
    '<div style="height: 20px; overflow: hidden; line-height: 20px">seen<br>HIDDEN</div>',
  'words that are cut off':
    '<div style="width: 60px; overflow: hidden; white-space: nowrap">seen a great deal too long HIDDEN</div>',
  comment: '<!-- HIDDEN -->',
  template: '<template><p>HIDDEN</p></template>',
  noscript: '<noscript>HIDDEN</noscript>',
  script: '<script type="text/plain">HIDDEN</script>',
  style: '<style>.hidden { content: "HIDDEN" }</style>',
  attributes: '<p title="HIDDEN" data-x="HIDDEN" aria-label="HIDDEN">p</p><img alt="HIDDEN">',
  fallback: '<canvas>HIDDEN</canvas><object>HIDDEN</object><video>HIDDEN</video>',
  iframe: '<iframe srcdoc="<p>HIDDEN</p>">HIDDEN</iframe>',
  fields: '<input value="HIDDEN"><textarea>HIDDEN</textarea><select><option>HIDDEN</select>',
  'closed dialog': '<dialog>HIDDEN</dialog>',
  popover: '<div popover>HIDDEN</div>',
  'a title in a drawing':
    '<svg width="9" height="9"><title>HIDDEN</title><desc>HIDDEN</desc><defs><text>HIDDEN</text></defs></svg>',
  'data-mcp-private': '<div data-mcp-private><p>HIDDEN</p></div>',
  'what is in no slot': '<div class="host">HIDDEN<p>HIDDEN</p></div>',
  'second summary': '<details><summary>more</summary><summary>HIDDEN</summary></details>',
  'summary in a closed box':
    '<details><summary>more</summary><div><summary>HIDDEN</summary></div></details>',
  'closed details within open ones':
    '<details open><summary>a</summary><details><summary>b</summary>HIDDEN</details></details>',
  'contain: paint': '<div style="contain: paint; height: 0">HIDDEN</div>',
  'contain: strict': '<div style="contain: strict; height: 0">HIDDEN</div>',
  'contain: content': '<div style="contain: content; height: 0">HIDDEN</div>',
  'circle of a pixel': css('clip-path: circle(1px at 0 0)'),
  'circle elsewhere': css('clip-path: circle(20px at -400px 0)'),
  'circle in percent': css('clip-path: circle(0%)'),
  ellipse: css('clip-path: ellipse(0 50%)'),
  'ellipse elsewhere': css('clip-path: ellipse(50px 50px at 5000px 50%)'),
  path: css("clip-path: path('M 0 0 L 1 1')"),
  'path elsewhere': css("clip-path: path('M 900 900 h 9 v 9 z')"),
  shape: needs('clip-path: shape(from 0px 0px, line to 1px 0px, line to 0px 1px, close)'),
  'url of a clip':
    '<svg width="0" height="0"><clipPath id="none"><rect width="0" height="0"/></clipPath></svg><p style="clip-path: url(#none)">HIDDEN</p>',
  'line as a polygon': css('clip-path: polygon(0 0, 100% 100%, 100% 100%)'),
  'polygon with a hole': css(
    'clip-path: polygon(evenodd, 0 0, 100% 0, 100% 100%, 0 100%, 0 0, 1% 1%, 99% 1%, 99% 99%, 1% 99%, 1% 1%)',
  ),
  'inset of a side': css('clip-path: inset(0 100% 0 0)'),
  'rect of no size': needs('clip-path: rect(0px 0px 0px 0px)'),
  xywh: needs('clip-path: xywh(0px 0px 0px 0px)'),
  'mask of nothing': css('mask: linear-gradient(transparent, transparent)'),
  'mask of no size': css('mask: linear-gradient(#000, #000) no-repeat; mask-size: 0 0'),
  'mask of an image': css('mask-image: url(/missing.svg#m)'),
  'oklch without alpha': css('color: oklch(0% 0 0 / none)'),
  'lab without alpha': css('color: lab(0% 0 0 / none)'),
  'color() without alpha': css('color: color(srgb 0 0 0 / 0%)'),
  'hardly any alpha': css('color: rgb(0 0 0 / 4%)'),
  'a mix with nothing': css('color: color-mix(in oklch, black 0%, transparent)'),
  'hardly any opacity': css('opacity: .04'),
  'hardly any opacity and alpha': css('opacity: .2; color: rgb(0 0 0 / 20%)'),
  'filter: opacity after another': css('filter: grayscale(1) opacity(0%)'),
  'two opacities in a filter': css('filter: opacity(20%) opacity(20%)'),
  blur: css('filter: blur(20px)'),
  'contrast of nothing': css('filter: contrast(0); background: white'),
  'brightness beyond bounds': css('filter: brightness(1000); color: #222; background: white'),
  'half inverted': css('filter: invert(50%); background: white'),
  'a filter of the page':
    '<svg width="0" height="0"><filter id="gone"><feColorMatrix values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"/></filter></svg><p style="filter: url(#gone)">HIDDEN</p>',
  'text security': needs('-webkit-text-security: disc'),
  'text security of an ancestor': needs(
    '-webkit-text-security: square',
    '<div style="-webkit-text-security: square"><p>HIDDEN</p></div>',
  ),
  'zoomed to nothing': needs('zoom: 0.01'),
  'zoomed twice': needs(
    'zoom: 0.2',
    '<div style="zoom: 0.2"><p style="zoom: 0.2">HIDDEN</p></div>',
  ),
  'letters of a pixel': css('font-size: 1px'),
  'letters of two pixels, several lines': css('font-size: 2px; width: 5px'),
  'letters of no size by adjustment': needs('font-size-adjust: 0'),
  'scaled to letters of a pixel': css('transform: scale(.06)'),
  'scaled in one direction': css('transform: scaleY(.05)'),
  'scaled by the property': needs('scale: 0.06'),
  'turned to its edge': css('transform: rotateX(90deg)'),
  'turned to its edge, nearly': css('transform: rotateX(88deg)'),
  'a draft': '<div contenteditable>HIDDEN</div>',
  'a draft with markup': '<div contenteditable="true"><p>HIDDEN <b>HIDDEN</b></p></div>',
  'a draft of plain text': needs(
    'display: block',
    '<div contenteditable="plaintext-only">HIDDEN</div>',
  ),
  'a draft that is a code': '<div contenteditable autocomplete="one-time-code">HIDDEN</div>',
  'a part of a draft that is fixed':
    '<div contenteditable>a<span contenteditable="false">HIDDEN</span></div>',
  'a text box by its role': '<div role="textbox">HIDDEN</div>',
  'a text box by one of its roles': '<div role="none TEXTBOX">HIDDEN</div>',
  'a search box by its role': '<div role="searchbox">HIDDEN</div>',
  'a combo box by its role': '<div role="combobox">HIDDEN</div>',
  'a spin button by its role': '<div role="spinbutton">HIDDEN</div>',
  'white on white': css('color: white'),
  'black on black': css('color: #000; background: #010101'),
  'the colour of an ancestor':
    '<div style="background: rgb(10 20 30)"><p style="color: rgb(11 21 31)">HIDDEN</p></div>',
  'the colour behind, far down':
    '<div style="height: 5000px"></div><p style="color: #fefefe">HIDDEN</p>',
  'white on white, beside a box elsewhere':
    '<div><div style="background: navy; height: 40px; width: 40px"></div><p style="color: white">HIDDEN</p></div>',
  'white on white, beside a box that is not seen':
    '<div style="position: relative"><div style="background: navy; position: absolute; inset: 0; opacity: 0"></div><p style="color: white">HIDDEN</p></div>',
  'a slice of a line': css('height: 3px; overflow: hidden'),
  'a slit that scrolls': css('height: 3px; overflow: auto'),
  'no width': css('width: 0; white-space: nowrap; overflow: hidden'),
  'no height at most': css('max-height: 0; overflow: clip'),
  'all letters in one place': css('letter-spacing: -9999px'),
  'letters on each other': css('letter-spacing: -1em; overflow: hidden'),
  'moved away by the property': needs('translate: -9999px'),
  'moved away along a path': needs("offset-path: path('M -9999 0 h 1')"),
  'margin to the left': css('margin-left: -9999px'),
  'indented out of the page': css('text-indent: -9999px'),
  'a picture in place of the text': css(
    'content: url(data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=)',
  ),
  'drawing: outside': '<svg width="90" height="30"><text x="-900" y="20">HIDDEN</text></svg>',
  'drawing: scaled to nothing':
    '<svg width="90" height="30" viewBox="0 0 9000 3000"><text y="1500" font-size="50">HIDDEN</text></svg>',
  'drawing: a mask':
    '<svg width="90" height="30"><mask id="m"></mask><g mask="url(#m)"><text y="20">HIDDEN</text></g></svg>',
  'drawing: parts of patterns':
    '<svg width="90" height="30"><pattern><text>HIDDEN</text></pattern><marker><text>HIDDEN</text></marker><clipPath><text>HIDDEN</text></clipPath><mask><text>HIDDEN</text></mask></svg>',
  'drawing: a foreign object of no size':
    '<svg width="90" height="30"><foreignObject width="0" height="0"><p>HIDDEN</p></foreignObject></svg>',
  'drawing: another language':
    '<svg width="90" height="30"><switch><text y="20">a</text><text y="20">HIDDEN</text></switch></svg>',
  'mathematics: a phantom': '<math><mphantom><mi>HIDDEN</mi></mphantom></math>',
  'mathematics: an annotation':
    '<math><semantics><mi>x</mi><annotation-xml encoding="text/html"><p>HIDDEN</p></annotation-xml></semantics></math>',
  'parentheses of ruby': '<ruby>x<rp>HIDDEN</rp><rt>y</rt></ruby>',
  'fallbacks of old elements': '<noembed>HIDDEN</noembed><noframes>HIDDEN</noframes>',
  'aria-hidden, spelled otherwise': '<p aria-hidden="TRUE">HIDDEN</p>',
  'a dialog that is closed, shown in part': '<dialog><p style="display: block">HIDDEN</p></dialog>',
}

/** SEEN has to be in the text. */
export const shown: { readonly [how: string]: string } = {
  'far down the page': '<div style="height: 9000px"></div><p>SEEN</p>',
  'in a box that scrolls':
    '<div style="height: 50px; overflow: auto"><div style="height: 500px"></div><p>SEEN</p></div>',
  'scrolled out of such a box':
    '<div class="scrolled" style="height: 50px; overflow: auto"><p>SEEN</p><div style="height: 500px"></div></div>',
  'visible in what is hidden':
    '<div style="visibility: hidden"><p style="visibility: visible">SEEN</p></div>',
  'in a box without size that lets it overflow': '<div style="height: 0">SEEN</div>',
  'a gradient through the letters':
    '<p style="background: linear-gradient(red, blue); background-clip: text; color: transparent">SEEN</p>',
  'display: contents': '<div style="display: contents">SEEN</div>',
  'open details': '<details open><summary>more</summary>SEEN</details>',
  'inside a clipped box, positioned out of it':
    '<div style="height: 0; overflow: hidden"><p style="position: absolute">SEEN</p></div>',
  'fixed in the window': '<p style="position: fixed; top: 10px">SEEN</p>',
  'an open shadow tree': '<div class="open"></div>',
  'in a slot': '<div class="slotted"><b>SEEN</b></div>',
  'a closed shadow tree that shows what it is given': '<div class="closed"><b>SEEN</b></div>',
  'half of it faded': '<p style="opacity: .5">SEEN</p>',
  'a button': '<button>SEEN</button>',
  'a legend': '<fieldset><legend>SEEN</legend></fieldset>',
  'text in a drawing': '<svg width="99" height="40"><text y="20">SEEN</text></svg>',
  'a form whose fields have evil names':
    '<form>SEEN<input name="firstChild"><input name="childNodes"><input name="parentNode"><input name="getAttribute"><input name="localName"></form>',
  'beside pictures with evil names': '<img name="body"><img name="documentElement"><p>SEEN</p>',
  'a circle around it':
    '<div style="clip-path: circle(50%); width: 100px; line-height: 100px; text-align: center">SEEN</div>',
  'an ellipse around it':
    '<div style="clip-path: ellipse(50% 50%); width: 200px; padding: 60px">SEEN</div>',
  'a slanted section':
    '<div style="clip-path: polygon(0 0, 100% 0, 100% 80%, 0 100%); padding: 9px">SEEN</div>',
  'an inset around it': '<div style="clip-path: inset(1px round 5px)">SEEN</div>',
  'contain: content': '<div style="contain: content">SEEN</div>',
  'contain: layout, no height': '<div style="contain: layout; height: 0">SEEN</div>',
  'content-visibility: auto, far down':
    '<div style="height: 5000px"></div><div style="content-visibility: auto">SEEN</div>',
  'the first summary': '<details><summary>SEEN</summary><p>a</p></details>',
  'a summary behind a comment': '<details><!-- x --><p>a</p><summary>SEEN</summary></details>',
  'half transparent letters': '<p style="color: rgb(0 0 0 / 50%)">SEEN</p>',
  'letters of oklch': '<p style="color: oklch(40% 0.1 200)">SEEN</p>',
  'a grey filter': '<p style="filter: grayscale(1) drop-shadow(0 0 1px #000)">SEEN</p>',
  'a dark theme by a filter': '<p style="filter: invert(1) hue-rotate(180deg)">SEEN</p>',
  'a small blur': '<p style="filter: blur(.3px)">SEEN</p>',
  'small print': '<p style="font-size: 7px">SEEN</p>',
  'zoomed a little': '<p style="zoom: .8">SEEN</p>',
  'scaled a little': '<p style="transform: scale(.7)">SEEN</p>',
  'turned a little': '<p style="transform: rotate(20deg); width: 60px; margin: 40px">SEEN</p>',
  'turned by a quarter': '<p style="transform: rotate(90deg); width: 60px; margin: 60px">SEEN</p>',
  'upright letters': '<p style="writing-mode: vertical-rl; height: 90px">SEEN</p>',
  'one narrow letter': '<p style="line-height: 1">I <b>l</b> SEEN</p>',
  'tight lines': '<p style="line-height: .9; overflow: hidden">SEEN</p>',
  'white on black': '<div style="background: black"><p style="color: white">SEEN</p></div>',
  'white on a picture':
    '<div style="background: linear-gradient(navy, teal)"><p style="color: white">SEEN</p></div>',
  'white before another box':
    '<div style="background: navy; height: 90px"></div><p style="color: white; position: absolute; top: 30px">SEEN</p>',
  'white on a badge':
    '<svg width="90" height="30"><g><rect width="90" height="30" fill="navy"/></g><g><text x="9" y="20" fill="#fff">SEEN</text></g></svg>',
  'a white header before a section':
    '<header style="position: fixed; top: 0; color: white"><nav><a>SEEN</a></nav></header><main><section style="background: navy; height: 300px"></section></main>',
  'white before a picture':
    '<article style="position: relative"><div><picture><img width="300" height="90" alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="></picture></div><div style="position: absolute; top: 9px; color: white"><h3>SEEN</h3></div></article>',
  'a turned card':
    '<div style="transform-style: preserve-3d; transform: rotateY(180deg)"><p style="backface-visibility: hidden; transform: rotateY(180deg)">SEEN</p></div>',
  'a list with a column': '<table><col style="width: 90px"><tr><td>SEEN</td></tr></table>',
  'beside a collapsed column':
    '<table><col style="visibility: collapse"><col><tr><td>a</td><td>SEEN</td></tr></table>',
  'not editable': '<div contenteditable="false">SEEN</div>',
  'beside a draft': '<div><p contenteditable>a</p>SEEN</div>',
  'an inert part': '<div inert>SEEN</div>',
  'a drawing with a colour':
    '<svg width="99" height="40"><text y="20" fill="teal">SEEN</text></svg>',
  'before the page, under nothing': '<p style="position: relative; z-index: -1">SEEN</p>',
  'fixed in a box that is clipped':
    '<div style="height: 0; overflow: hidden"><p style="position: fixed; top: 20px">SEEN</p></div>',
  'an open dialog': '<dialog open>SEEN</dialog>',
  'shown although hidden': '<p hidden style="display: block">SEEN</p>',
  ruby: '<ruby>x<rt>SEEN</rt></ruby>',
}
