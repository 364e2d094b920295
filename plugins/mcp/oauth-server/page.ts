/** The pages of the authorization server: plain HTML, without scripts, in no frame. */
import type { ServiceAnswer } from '@gateway/contract'

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color:#1a1a1a;background:#fff}
button{font:inherit;padding:.5rem 1.25rem;margin-right:.5rem;border:1px solid #555;border-radius:.4rem;background:#fff;color:#1a1a1a}
button[value=allow]{background:#1a56c4;border-color:#1a56c4;color:#fff}
@media (prefers-color-scheme:dark){body{background:#16181c;color:#e8e8e8}button{background:#16181c;color:#e8e8e8}}`

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${escaped(title)}</title><style>${style}</style></head><body><main><h1>${escaped(title)}</h1>${body}</main></body></html>`

const words: Readonly<Record<string, string>> = {
  mcp: 'list what the server offers, and call its tools',
  'mcp:read': 'list what the server offers, and read its prompts and resources',
  'mcp:write': 'call its tools',
}

export interface ConsentText {
  client: string
  /** Where the client is answered. */
  redirectHost: string
  server: string
  scopes: readonly string[]
  person: string
  ticket: string
}

export function consentPage({
  client,
  redirectHost,
  server,
  scopes,
  person,
  ticket,
}: ConsentText): ServiceAnswer {
  const listed = scopes
    .map((scope) => `<li><b>${escaped(scope)}</b>: ${escaped(words[scope] ?? scope)}</li>`)
    .join('')
  const text = page(
    'Allow access?',
    `<p><b>${escaped(client)}</b> (${escaped(redirectHost)}) asks to use the MCP server <b>${escaped(server)}</b> as ${escaped(person)}. It could:</p>` +
      `<ul>${listed}</ul><form method="post" action="/oauth/authorize"><input type="hidden" name="ticket" value="${escaped(ticket)}">` +
      '<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>',
  )
  return { status: 200, headers, body: { text } }
}

export const faultPage = (message: string): ServiceAnswer => ({
  status: 400,
  headers,
  body: { text: page('This did not work', `<p>${escaped(message)}</p>`) },
})

export const donePage = (message: string): ServiceAnswer => ({
  status: 200,
  headers,
  body: { text: page('Connected', `<p>${escaped(message)}</p>`) },
})
