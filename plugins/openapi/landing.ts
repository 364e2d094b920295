/** The page at `/`: what somebody sees who opens the gateway's address in a browser. */
import { pageStyle } from './page-style.ts'

/** @param hasConsole whether a console is served */
export const renderLanding = (hasConsole: boolean): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>AI gateway</title><style>${pageStyle}</style></head><body><main>`,
    '<h1>AI gateway</h1><p>The gateway is running. Applications call it at <code>/v1</code> with an API key.</p><ul>',
    ...(hasConsole
      ? ['<li><a href="/console">Console</a>: requests, spend, keys, configs and prompts</li>']
      : []),
    '<li><a href="/docs">API reference</a>: every route, to read</li>',
    '<li><a href="/v1/openapi.json">OpenAPI document</a>: every route, for programs</li>',
    '<li><a href="/healthz">Health</a> and <a href="/readyz">readiness</a></li>',
    '</ul></main></body></html>',
  ].join('\n')
