/** The answer of `/`: a page for browsers, and the same links as JSON for programs. */
import { createHash } from 'node:crypto'

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 40rem; padding: 1rem }
code { font: 13px/1.4 ui-monospace, monospace }
`

const hash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** The page may apply its one style and nothing else. */
export const landingPolicy = [
  "default-src 'none'",
  `style-src ${hash}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Links by name. */
export type Links = Readonly<Record<string, string>>

/** @param hasConsole whether a console is served */
export const linksOf = (hasConsole: boolean): Links => ({
  ...(hasConsole ? { console: '/console' } : {}),
  docs: '/docs',
  reference: '/docs/reference',
  openapi: '/v1/openapi.json',
  health: '/healthz',
  readiness: '/readyz',
})

const descriptions: Readonly<Record<string, string>> = {
  console: 'Console</a>: requests, spend, keys, configs and prompts',
  docs: 'Documentation</a>: guides, configuration, errors',
  reference: 'API reference</a>: every route, with a form to try it',
  openapi: 'OpenAPI document</a>: every route, for tools',
  health: 'Health</a>: whether the process runs',
  readiness: 'Readiness</a>: whether the gateway serves requests',
}

export const renderLanding = (links: Links): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>AI gateway</title><style>${style}</style></head><body><main>`,
    '<h1>AI gateway</h1><p>The gateway is running. Applications call it at <code>/v1</code> with an API key.</p><ul>',
    ...Object.entries(links).map(([name, path]) => `<li><a href="${path}">${descriptions[name] ?? ''}</li>`),
    '</ul></main></body></html>',
  ].join('\n')
