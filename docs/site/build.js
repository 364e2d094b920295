/**
 * The documentation as static pages: `npm run docs:site -- [--out FOLDER]`, and the pages that a gateway serves at /docs. Made of
 * the Markdown files of the checkout, with a search index, llms.txt (https://llmstxt.org) and llms-full.txt. A link to nothing
 * fails the build.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { parseArgs } from 'node:util'
import MarkdownIt from 'markdown-it'
import { root } from '../../core/cli/bin/freshness.js'
import { navigation, otherPages } from './navigation.js'
import { renderReference } from './reference.js'

const here = import.meta.dirname
const read = (path) => readFileSync(join(root, path), 'utf8')
const escapeHtml = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** As GitHub makes anchors of headings, so that links work in both places. */
const anchorOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** Every page: `{ source, target }`, both with slashes. */
function listPages() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ source: `docs/${name}`, target: name.replace(/md$/, 'html') }))
  return [...Object.entries(otherPages).map(([source, target]) => ({ source, target })), ...docs]
}

/** @param reference where the API reference is: the target of a page of this site, or a path of the gateway */
function createSite(pages, reference) {
  const targets = new Map(pages.map(({ source, target }) => [source, target]))
  const files = new Map()
  const faults = []
  const anchors = new Map()
  const wanted = []

  function linkFrom({ source, target }, href) {
    if (/^[a-z]+:|^\/\//i.test(href)) return href
    const [path = '', anchor] = href.split('#')
    const place = path === '' ? source : posix.normalize(posix.join(posix.dirname(source), decodeURI(path)))
    const page = targets.get(place) ?? targets.get(posix.join(place, 'README.md'))
    const end = anchor === undefined ? '' : `#${anchor}`
    if (page !== undefined) {
      if (anchor !== undefined) wanted.push({ source, page, anchor })
      return page === target
        ? end || posix.basename(target)
        : posix.relative(posix.dirname(target), page) + end
    }
    if (!existsSync(join(root, place))) faults.push(`${source}: ${href} is a link to nothing`)
    else if (statSync(join(root, place)).isFile()) {
      const copy = /\.(webp|png|svg)$/.test(place) ? `files/${place}` : `files/${place}.txt`
      files.set(place, copy)
      return posix.relative(posix.dirname(target), copy)
    }
    return '#'
  }

  function render(page) {
    const markdown = MarkdownIt({ html: true })
    const text = read(page.source)
    const tokens = markdown.parse(text, {})
    const headings = []
    const sections = [{ heading: '', anchor: '', text: '' }]
    const taken = new Map()
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'heading_open') {
        const title = plainText(tokens[index + 1])
        const wish = anchorOf(title)
        const count = taken.get(wish) ?? 0
        taken.set(wish, count + 1)
        const anchor = count === 0 ? wish : `${wish}-${count}`
        token.attrSet('id', anchor)
        headings.push({ level: Number(token.tag.slice(1)), title, anchor })
        sections.push({ heading: title, anchor, text: '' })
      } else if (token.type === 'inline') {
        if (tokens[index - 1]?.type !== 'heading_open') sections.at(-1).text += `${plainText(token)} `
        for (const child of token.children) {
          const name = child.type === 'image' ? 'src' : child.type === 'link_open' ? 'href' : null
          if (name !== null) child.attrSet(name, linkFrom(page, child.attrGet(name)))
        }
      } else if (token.type === 'fence') sections.at(-1).text += `${token.content} `
    }
    const written = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)
    anchors.set(page.target, new Set([...headings.map(({ anchor }) => anchor), ...written]))
    const html = markdown.renderer
      .render(tokens, markdown.options, {})
      .replaceAll('<table>', '<div class="table"><table>')
      .replaceAll('</table>', '</table></div>')
    return { ...page, text, html, headings, sections, title: headings[0]?.title ?? page.target }
  }

  function checkAnchors() {
    for (const { source, page, anchor } of wanted)
      if (anchors.get(page)?.has(anchor) !== true) faults.push(`${source}: ${page} has no heading #${anchor}`)
  }

  return { render, files, faults, checkAnchors, reference }
}

const plainText = ({ children }) =>
  (children ?? [])
    .map(({ type, content }) =>
      type === 'softbreak' ? ' ' : type === 'text' || type === 'code_inline' ? content : '',
    )
    .join('')

function layout(page, { titles, reference, version }) {
  const to = (target) =>
    target.startsWith('/') ? target : posix.relative(posix.dirname(page.target), target)
  const item = (target, title) =>
    `<li><a href="${to(target)}"${target === page.target ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  const groups = navigation.map(
    ({ title, pages }) =>
      `<h2>${escapeHtml(title)}</h2><ul>${pages
        .map((target) =>
          target === 'reference'
            ? item(reference, 'API reference')
            : item(target, titles.get(target) ?? target),
        )
        .join('')}</ul>`,
  )
  const inPage = page.headings.filter(({ level }) => level === 2)
  const contents =
    inPage.length < 2
      ? ''
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${inPage
          .map(({ title, anchor }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`)
          .join('')}</ul></nav>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('site.css')}">
<script defer src="${to('search.js')}" data-root="${to('.') || '.'}"></script>
</head><body>
<a class="skip" href="#content">Skip to content</a>
<header><a class="home" href="${to('index.html')}">AI gateway</a> <span class="version">${escapeHtml(version)}</span>
<form role="search"><input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off"></form></header>
<details class="menu"><summary>Pages</summary><nav aria-label="Documentation">${groups.join('')}</nav></details>
<main id="content"><div id="results" role="status" hidden></div><article>${page.html}</article></main>
${contents}
</body></html>
`
}

/**
 * Writes the site.
 * @param out a folder, which is replaced
 * @param document the OpenAPI document for a page of the reference; null if the gateway serves one at /docs/reference
 */
export function buildSite(out, document = null) {
  const listed = listPages()
  const site = createSite(listed, document === null ? '/docs/reference' : 'reference.html')
  const { version } = JSON.parse(read('package.json'))
  const pages = listed.map(site.render)
  if (document !== null) pages.push(renderReference(document))
  site.checkAnchors()
  const shown = new Set(navigation.flatMap((group) => group.pages))
  for (const { target, source } of pages)
    if (!shown.has(target) && target !== 'reference.html')
      site.faults.push(`${source} is not in docs/site/navigation.js`)
  if (site.faults.length > 0) throw new Error(site.faults.join('\n'))
  rmSync(out, { recursive: true, force: true })
  const write = (path, text) => {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, path), text)
  }
  const titles = new Map(
    pages.map(({ target, title }) => [target, target === 'index.html' ? 'Overview' : title]),
  )
  for (const page of pages) write(page.target, layout(page, { titles, reference: site.reference, version }))
  for (const [from, to] of site.files) {
    mkdirSync(dirname(join(out, to)), { recursive: true })
    cpSync(join(root, from), join(out, to))
  }
  const sections = pages.flatMap(({ target, title, sections: parts }) =>
    parts
      .filter(({ heading, text }) => heading !== '' || text.trim() !== '')
      .map(({ heading, anchor, text }) => [
        target,
        title,
        heading,
        anchor,
        text.replace(/\s+/g, ' ').trim().slice(0, 1500),
      ]),
  )
  write('search.json', JSON.stringify(sections))
  const markdown = pages.filter(({ source }) => source !== undefined)
  const summary = ({ sections: parts }) =>
    parts
      .find(({ text }) => text.trim().length > 20)
      ?.text.split(/(?<=\.)\s/)[0]
      ?.trim() ?? ''
  write(
    'llms.txt',
    `# AI gateway\n\n> One OpenAI-compatible API for many model providers.\n\n## Docs\n\n${markdown
      .map((page) => `- [${page.title}](${page.target}): ${summary(page)}\n`)
      .join('')}`,
  )
  write('llms-full.txt', markdown.map(({ source, text }) => `<!-- ${source} -->\n\n${text}`).join('\n\n'))
  for (const name of ['site.css', 'search.js']) cpSync(join(here, name), join(out, name))
  return pages.length
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: 'docs/site/dist' } } })
  const { execFileSync } = await import('node:child_process')
  const printer = join(root, 'core', 'cli', 'bin', 'print-openapi.js')
  const text = execFileSync(process.execPath, [printer], { encoding: 'utf8', maxBuffer: 64 * 1_048_576 })
  const count = buildSite(join(root, values.out), JSON.parse(text))
  process.stdout.write(`${count} pages are in ${relative(process.cwd(), join(root, values.out))}.\n`)
}
