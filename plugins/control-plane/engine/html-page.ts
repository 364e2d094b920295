/** HTML pages that the gateway itself serves to a browser. They contain no scripts and work without the console. */
import type { ServiceAnswer } from '@gateway/contract'

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // Forms send their origin to the gateway itself; other sites get no referrer.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:12vh auto;padding:0 1rem;color:#1a1a1a;background:#fff}
label{display:block;margin:.75rem 0}input{font:inherit;display:block;width:100%;box-sizing:border-box;padding:.4rem;border:1px solid #555;border-radius:.4rem;background:inherit;color:inherit}
button{font:inherit;padding:.5rem 1.25rem;margin-right:.5rem;border:1px solid #555;border-radius:.4rem;background:#fff;color:#1a1a1a}
button[value=allow],button.primary{background:#1a56c4;border-color:#1a56c4;color:#fff}[role=alert]{border-left:4px solid #c42b1a;padding-left:.75rem}
@media (prefers-color-scheme:dark){body{background:#16181c;color:#e8e8e8}button{background:#16181c;color:#e8e8e8}}`

/** @param body HTML whose text is already escaped */
export function htmlPage(title: string, body: string, status = 200): ServiceAnswer {
  const text =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  return { status, headers, body: { text } }
}
