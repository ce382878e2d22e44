// SPDX-License-Identifier: Apache-2.0
// Opens reports in Chromium and looks at them as readers would: node page.js CHROMIUM FOLDER NAME=REPORT.html...
// Three widths, light and dark, a phone, and paper. Asks for: verdict, trust and results on the first screen with no verdict cut, no sideways scrolling of the page and a cue
// where a part of it scrolls, one width of texts, no message in the console, no text over other text, contrast as WCAG 2.2 AA asks, every link and fold reached by the keyboard with a mark where it is.
// Screenshots go into FOLDER. Chromium is driven over its debugging pipe; nothing else is needed.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const WIDTHS = [360, 768, 1440];
const THEMES = ['light', 'dark'];
const TIMEOUT_MS = 60000;

class Browser {
  constructor(program) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-browser-'));
    this.child = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
      '--remote-debugging-pipe', `--user-data-dir=${this.folder}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.waiting = new Map();
    this.listeners = [];
    this.next = 1;
    let rest = '';
    this.child.stdio[4].on('data', (bytes) => {
      const messages = (rest + bytes).split('\0');
      rest = messages.pop();
      messages.forEach((text) => this.take(JSON.parse(text)));
    });
  }

  take(message) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) {
      this.listeners.forEach((listener) => listener(message));
      return;
    }
    this.waiting.delete(message.id);
    clearTimeout(waiting.timer);
    if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
    else waiting.resolve(message.result);
  }

  ask(method, params = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), TIMEOUT_MS);
      this.waiting.set(id, { method, resolve, reject, timer });
      this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    });
  }

  once(method) {
    return new Promise((resolve) => {
      const listener = (message) => {
        if (message.method !== method) return;
        this.listeners.splice(this.listeners.indexOf(listener), 1);
        resolve(message.params);
      };
      this.listeners.push(listener);
    });
  }

  async evaluate(source) {
    const { result, exceptionDetails } = await this.ask('Runtime.evaluate', { expression: source, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
    return result.value;
  }

  async close() {
    const ended = new Promise((resolve) => this.child.on('exit', resolve));
    this.session = undefined;
    await this.ask('Browser.close').catch(() => this.child.kill());
    await ended;
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

// What runs in the page. Each returns a list of complaints.
const IN_PAGE = `
const isShown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
const describe = (element) => element.tagName.toLowerCase() + (element.className ? '.' + element.className : '') +
  ' "' + element.textContent.trim().slice(0, 40) + '"';

function sideways() {
  const width = document.scrollingElement.scrollWidth;
  return width > innerWidth ? ['the page is ' + width + ' px wide in a window of ' + innerWidth] : [];
}

function clipOf(element) {
  const clip = { left: 0, top: -Infinity, right: innerWidth, bottom: Infinity };
  for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
    if (getComputedStyle(at).overflowX === 'visible') continue;
    const box = at.getBoundingClientRect();
    clip.left = Math.max(clip.left, box.left);
    clip.right = Math.min(clip.right, box.right);
  }
  return clip;
}

function textBoxes() {
  const boxes = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data.trim() || !isShown(element)) continue;
    const range = document.createRange(), clip = clipOf(element);
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const left = Math.max(box.left, clip.left), right = Math.min(box.right, clip.right);
      if (right > left) boxes.push({ element, left, right, top: box.top, bottom: box.bottom });
    }
  }
  for (const element of document.images) {
    if (isShown(element)) boxes.push({ element, ...element.getBoundingClientRect().toJSON() });
  }
  return boxes.sort((a, b) => a.top - b.top);
}

function overlaps() {
  const boxes = textBoxes(), found = [];
  for (let i = 0; i < boxes.length; i++) {
    for (let k = i + 1; k < boxes.length && boxes[k].top < boxes[i].bottom - 2; k++) {
      const a = boxes[i], b = boxes[k];
      if (a.element === b.element || Math.min(a.right, b.right) - Math.max(a.left, b.left) <= 2) continue;
      if (Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) <= Math.min(a.bottom - a.top, b.bottom - b.top) / 3) continue;
      found.push(describe(a.element) + ' lies over ' + describe(b.element));
    }
  }
  return found.slice(0, 10);
}

const parseColour = (text) => {
  const parts = text.match(/[\\d.]+/g).map(Number);
  return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
};
const luminance = (rgb) => rgb.map((value) => value / 255)
  .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
const contrastOf = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};
function backgroundOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const colour = parseColour(getComputedStyle(at).backgroundColor);
    if (colour.alpha === 1) return colour.rgb;
  }
  return [255, 255, 255];
}

function faint() {
  const found = new Set();
  for (const { element } of textBoxes()) {
    if (element.tagName === 'IMG') continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const contrast = contrastOf(parseColour(style.color).rgb, backgroundOf(element));
    if (contrast < (isLarge ? 3 : 4.5)) found.add(describe(element) + ' has a contrast of ' + contrast.toFixed(2));
  }
  for (const element of document.querySelectorAll('.banner, .notice')) { /* the bar that says how it is */
    const contrast = contrastOf(parseColour(getComputedStyle(element).borderLeftColor).rgb, backgroundOf(element));
    if (contrast < 3) found.add(describe(element) + ': its bar has a contrast of ' + contrast.toFixed(2));
  }
  return [...found].slice(0, 10);
}

/* Colours in pictures that carry no data: ground, grid, warm-up and margin; a band is told by the curve in it. */
const DECORATION = ['#ffffff', '#dddddd', '#ecece6', '#b9d0e2', '#d3d3d3'];
function faintInPictures() {
  const found = new Set();
  for (const image of document.images) {
    const source = atob(image.currentSrc.split(',')[1]);
    const picture = new DOMParser().parseFromString(source, 'image/svg+xml');
    for (const element of picture.querySelectorAll('g > path, g > use, text')) {
      const holder = element.closest('[color], [stroke], [fill]');
      for (const name of ['stroke', 'fill', 'color']) {
        const text = element.getAttribute(name) || (holder && holder.getAttribute(name)) || '';
        const parts = text.match(/^rgb\\(\\s*(\\d+),\\s*(\\d+),\\s*(\\d+)\\s*\\)$/);
        if (!parts) continue;
        const rgb = parts.slice(1).map(Number);
        const hex = '#' + rgb.map((value) => value.toString(16).padStart(2, '0')).join('');
        const least = element.tagName === 'text' ? 4.5 : 3, contrast = contrastOf(rgb, [255, 255, 255]);
        if (!DECORATION.includes(hex) && contrast < least) {
          found.add(image.closest('figure').id + ': ' + element.tagName + ' in ' + hex + ', a contrast of ' + contrast.toFixed(2));
        }
      }
    }
  }
  return [...found].slice(0, 10);
}

/* Verdict, trust and the first results are seen before anybody scrolls. */
function firstScreen() {
  const table = document.querySelector('#summary table');
  if (!table) return [];
  const rows = [...table.querySelectorAll('tbody tr')];
  const seen = { 'the verdict': document.querySelector('.banner .word'), 'the box of trust': document.querySelector('#trust dl') };
  if (!document.querySelector('.banner.bad, .banner details') || innerWidth > 1000) seen['the table of results'] = rows[Math.min(rows.length, 2) - 1]; /* else its causes stand first */
  return Object.entries(seen).filter(([, element]) => element.getBoundingClientRect().bottom + scrollY > innerHeight)
    .map(([what, element]) => what + ' ends at ' + Math.round(element.getBoundingClientRect().bottom + scrollY) + ' px of a screen of ' + innerHeight);
}

/* What can be scrolled sideways has a shade at the edge beyond which there is more. */
function cues() {
  return [...document.querySelectorAll('body *')].filter((element) => element.scrollWidth > element.clientWidth + 1 &&
    ['auto', 'scroll'].includes(getComputedStyle(element).overflowX) && !getComputedStyle(element).backgroundImage.includes('gradient'))
    .map((element) => 'nothing tells that it can be scrolled: ' + describe(element)).slice(0, 10);
}

/* Paragraphs, captions and notes end at the same place. */
function measures() {
  const widths = new Map([...document.querySelectorAll('main p, main caption, main figcaption')]
    .map((element) => [getComputedStyle(element).maxWidth, describe(element)]));
  return widths.size > 1 ? ['texts of ' + widths.size + ' widths: ' + [...widths].map(([width, what]) => width + ' of ' + what).join('; ')] : [];
}

/* Verdicts are read without scrolling. */
function cut() {
  return [...document.querySelectorAll('#summary .scroll:first-of-type td.text:is(.good, .caution, .bad)')].filter((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right > clipOf(element).right + 1;
  }).map((element) => 'cut at the right: ' + describe(element)).slice(0, 10);
}

/* On paper nothing is folded or cut, and what belongs to a screen is not there. */
const PAGE_HEIGHT = 1000;
function onPaper() {
  const found = [];
  if (isShown(document.querySelector('nav'))) found.push('the links are printed');
  for (const fold of document.querySelectorAll('details')) {
    if (fold.lastElementChild.getBoundingClientRect().height === 0) found.push('not printed: ' + describe(fold));
  }
  for (const box of document.querySelectorAll('.scroll')) {
    if (box.scrollWidth > box.clientWidth + 1) found.push('cut at the right: ' + describe(box));
  }
  for (const figure of document.images) {
    if (figure.getBoundingClientRect().height > PAGE_HEIGHT) found.push('higher than a page: ' + figure.closest('figure').id);
  }
  return found.slice(0, 10);
}

function unnamed() {
  const found = [];
  for (const image of document.images) {
    if (image.alt.trim().length < 20 || !/\\d/.test(image.alt)) found.push('a picture whose text has no numbers: ' + image.alt);
    if (!image.complete || image.naturalWidth === 0) found.push('a picture that is not drawn: ' + image.alt.slice(0, 40));
  }
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => found.push('the id ' + id + ' twice'));
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    if (!document.getElementById(link.getAttribute('href').slice(1))) found.push('a link to nowhere: ' + link.href);
  }
  return found;
}

const INTERACTIVE = 'a[href], summary, [tabindex="0"]';
function interactive() {
  return [...document.querySelectorAll(INTERACTIVE)].filter(isShown).length;
}
function focused() {
  const element = document.activeElement, style = getComputedStyle(element);
  if (element === document.body) return { index: -1 };
  return { index: [...document.querySelectorAll(INTERACTIVE)].filter(isShown).indexOf(element), what: describe(element),
    isMarked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 };
}
`;

async function pressTab(browser) {
  const key = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
  await browser.ask('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
  await browser.ask('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
}

async function checkKeyboard(browser) {
  const count = await browser.evaluate('interactive()');
  const reached = new Set(), complaints = [];
  for (let i = 0; i < 2 * count + 5 && reached.size < count; i++) { /* a browser may stop at more than these */
    await pressTab(browser);
    const at = await browser.evaluate('focused()');
    if (at.index < 0) continue;
    reached.add(at.index);
    if (!at.isMarked) complaints.push(`the focus is not seen on ${at.what}`);
  }
  if (reached.size !== count) complaints.push(`the keyboard reaches ${reached.size} of ${count} links, folds and tables`);
  return complaints.slice(0, 10);
}

async function screenshot(browser, file) {
  const { cssContentSize } = await browser.ask('Page.getLayoutMetrics');
  const clip = { x: 0, y: 0, width: cssContentSize.width, height: Math.min(cssContentSize.height, 16000), scale: 1 };
  const { data } = await browser.ask('Page.captureScreenshot', { captureBeyondViewport: true, clip });
  fs.writeFileSync(file, Buffer.from(data, 'base64'));
}

async function look(browser, checks) {
  let complaints = [];
  for (const check of checks) complaints = complaints.concat(await browser.evaluate(`${check}()`));
  return complaints;
}

async function checkView(browser, folder, name, view) {
  const checks = ['sideways', 'overlaps', 'faint', 'faintInPictures', 'unnamed', 'measures'];
  const once = view.media === 'print' ? ['onPaper'] : view.isScreen ? ['firstScreen', 'cut'] : [];
  if (view.media === 'screen') checks.push('cues');
  await browser.ask('Emulation.setDeviceMetricsOverride', { width: view.width, height: view.height || 900, deviceScaleFactor: 1, mobile: false });
  await browser.ask('Emulation.setEmulatedMedia', { media: view.media, features: [{ name: 'prefers-color-scheme', value: view.theme }] });
  const loaded = browser.once('Page.loadEventFired');
  await browser.ask('Page.reload');
  await loaded;
  await browser.evaluate(IN_PAGE);
  let complaints = await look(browser, checks.concat(once));
  if (view.media === 'screen' && view.theme === 'light') complaints = complaints.concat(await checkKeyboard(browser));
  await screenshot(browser, path.join(folder, `${name}-${view.label}.png`));
  await browser.evaluate('document.querySelectorAll("details").forEach((fold) => { fold.open = true; })');
  complaints = complaints.concat((await look(browser, checks)).map((text) => `unfolded: ${text}`));
  await screenshot(browser, path.join(folder, `${name}-${view.label}-unfolded.png`));
  return complaints.map((text) => `${name}, ${view.label}: ${text}`);
}

async function checkPage(browser, folder, name, file) {
  const messages = [];
  const listener = ({ method, params }) => {
    if (method === 'Runtime.consoleAPICalled') messages.push(params.args.map((one) => one.value).join(' '));
    if (method === 'Runtime.exceptionThrown') messages.push(params.exceptionDetails.text);
    if (method === 'Log.entryAdded') messages.push(params.entry.text);
    if (method === 'Network.requestWillBeSent' && !/^(file|data):/.test(params.request.url)) messages.push(`asks for ${params.request.url}`);
  };
  browser.listeners.push(listener);
  const loaded = browser.once('Page.loadEventFired');
  await browser.ask('Page.navigate', { url: `file://${path.resolve(file)}` });
  await loaded;
  const views = [{ width: 794, theme: 'light', media: 'print', label: 'print' }];
  views.push({ width: 390, height: 844, theme: 'light', media: 'screen', label: 'phone', isScreen: true });
  WIDTHS.forEach((width) => THEMES.forEach((theme) => views.push({ width, theme, media: 'screen', label: `${width}-${theme}`,
    isScreen: width === 1440 && theme === 'light' })));
  let complaints = [];
  for (const view of views) complaints = complaints.concat(await checkView(browser, folder, name, view));
  const { data } = await browser.ask('Page.printToPDF', { preferCSSPageSize: true });
  fs.writeFileSync(path.join(folder, `${name}.pdf`), Buffer.from(data, 'base64'));
  browser.listeners.splice(browser.listeners.indexOf(listener), 1);
  return complaints.concat(messages.map((text) => `${name}: console: ${text}`));
}

async function main([program, folder, ...pages]) {
  const browser = new Browser(program);
  let complaints = [];
  try {
    const { targetId } = await browser.ask('Target.createTarget', { url: 'about:blank' });
    browser.session = (await browser.ask('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await browser.ask(`${domain}.enable`);
    for (const page of pages) {
      const [name, file] = page.split('=');
      const found = await checkPage(browser, folder, name, file);
      console.log(`browser: ${name}: ${found.length === 0 ? 'nothing to complain of' : `${found.length} complaints`}`);
      complaints = complaints.concat(found);
    }
  } finally {
    await browser.close();
  }
  complaints.forEach((text) => console.error(`browser: ${text}`));
  return complaints.length === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then((status) => { process.exitCode = status; }, (error) => {
  console.error(`browser: ${error.message}`);
  process.exitCode = 1;
});
