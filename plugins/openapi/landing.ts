/** The page at `/`, for people who open the gateway's URL in a browser. */
import { createHash } from 'node:crypto'

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 40rem; padding: 1rem }
code { font: 13px/1.4 ui-monospace, monospace }
`

const hash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** The page may apply its one style, and nothing else. */
export const landingPolicy = [
  "default-src 'none'",
  `style-src ${hash}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** @param hasConsole whether a console is served */
export const renderLanding = (hasConsole: boolean): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>AI gateway</title><style>${style}</style></head><body><main>`,
    '<h1>AI gateway</h1><p>The gateway is running. Applications call it at <code>/v1</code> with an API key.</p><ul>',
    ...(hasConsole
      ? ['<li><a href="/console">Console</a>: requests, spend, keys, configs and prompts</li>']
      : []),
    '<li><a href="/docs">API reference</a>: every route, with a form to try it</li>',
    '<li><a href="/v1/openapi.json">OpenAPI document</a>: every route, for tools</li>',
    '<li><a href="/healthz">Health</a> and <a href="/readyz">readiness</a></li>',
    '</ul></main></body></html>',
  ].join('\n')
