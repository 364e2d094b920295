/** The pages of the authorization server. */
import type { ServiceAnswer } from '@gateway/contract'
import { escapeHtml as escaped, htmlPage } from '@gateway/control-plane/engine'

const words: Readonly<Record<string, string>> = {
  mcp: 'list what the server offers, and call its tools',
  'mcp:read': 'list what the server offers, and read its prompts and resources',
  'mcp:write': 'call its tools',
}

export interface ConsentText {
  client: string
  /** The host to which the client is redirected. */
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
  return htmlPage(
    'Allow access?',
    `<p><b>${escaped(client)}</b> (${escaped(redirectHost)}) requests access to the MCP server <b>${escaped(server)}</b> as ${escaped(person)}. It could:</p>` +
      `<ul>${listed}</ul><form method="post" action="/oauth/authorize"><input type="hidden" name="ticket" value="${escaped(ticket)}">` +
      '<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>',
  )
}

/** @param signInUrl the link for a browser without a session */
export function faultPage(message: string, signInUrl: string | null = null): ServiceAnswer {
  const link = signInUrl === null ? '' : `<p><a href="${escaped(signInUrl)}">Sign in and try again</a></p>`
  return htmlPage('Access failed', `<p>${escaped(message)}</p>${link}`, 400)
}

/** The sign-in page, which returns the browser to a path afterwards. */
export const signInPath = (returnTo: string): string =>
  `/oauth/sign-in?${new URLSearchParams({ return_to: returnTo })}`

export const donePage = (message: string): ServiceAnswer =>
  htmlPage('Connected', `<p>${escaped(message)}</p>`)
