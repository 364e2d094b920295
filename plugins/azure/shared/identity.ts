/**
 * Access tokens for the gateway's own identity: an application (client credentials), or the machine that it
 * runs on (the metadata service). They are cached until a minute before they expire.
 * Reference: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow,
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
 * Left out: certificates, workload identity federation, and the identity endpoints of App Service, Arc and Service Fabric.
 * Errors: Error if no token is issued.
 */
import { type CheckIo, isObject, type JsonObject } from '@gateway/contract'
import { jsonOf, urlOf } from '@gateway/plugin-kit'

const resource = 'https://cognitiveservices.azure.com'
const metadataUrl = 'http://169.254.169.254/metadata/identity/oauth2/token'
const earlyMs = 60_000

interface Token {
  value: string
  /** Milliseconds since the epoch. */
  expiresAt: number
}

/** Kept as long as the settings that they were created from: all configs share them. */
const tokens = new WeakMap<object, Map<string, Token>>()

/**
 * Makes the source of tokens.
 * @param all all settings of one service
 * @param settings those of the plugin
 * @throws Error that lists the missing settings
 */
export function createIdentity(
  all: JsonObject,
  settings: Readonly<JsonObject>,
): (io: CheckIo) => Promise<string> {
  const ask = all.azureAuthMode === 'managed' ? managedIdentity(all) : application(all)
  const kept = tokens.get(settings) ?? new Map<string, Token>()
  tokens.set(settings, kept)
  const name = JSON.stringify([all.azureAuthMode, all.tenantId, all.clientId, all.authorityUrl])
  return async (io) => {
    const known = kept.get(name)
    if (known !== undefined && io.now() < known.expiresAt - earlyMs) return known.value
    const token = await ask(io)
    kept.set(name, token)
    return token.value
  }
}

type Ask = (io: CheckIo) => Promise<Token>

function application(all: JsonObject): Ask {
  const { tenantId, clientId, clientSecret } = all
  for (const [name, value] of Object.entries({ tenantId, clientId, clientSecret }))
    if (typeof value !== 'string') throw new Error(`${name} is missing: set plugins.settings.azure.${name}`)
  const authority = urlOf(
    'authorityUrl',
    {},
    { settings: all, vendorUrl: 'https://login.microsoftonline.com' },
  )
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: String(clientId),
    client_secret: String(clientSecret),
    scope: `${resource}/.default`,
  }).toString()
  return async (io) => {
    const answer = await io.fetch({
      method: 'POST',
      url: `${authority}/${String(tenantId)}/oauth2/v2.0/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    return tokenOf(answer, io.now())
  }
}

function managedIdentity({ clientId }: JsonObject): Ask {
  const query = new URLSearchParams({
    'api-version': '2018-02-01',
    resource,
    ...(typeof clientId === 'string' ? { client_id: clientId } : {}),
  })
  return async (io) => {
    const url = `${metadataUrl}?${query}`
    const answer = await io.fetch({ method: 'GET', url, headers: { metadata: 'true' }, isAmbient: true })
    return tokenOf(answer, io.now())
  }
}

/** `expires_in` is a number of seconds, or that number as text. */
function tokenOf(answer: { status: number; bytes: Buffer }, nowMs: number): Token {
  const json = jsonOf('the identity service of Azure', answer)
  const { access_token, expires_in } = isObject(json) ? json : {}
  if (typeof access_token !== 'string') throw new Error('the identity service of Azure gave no token')
  const seconds = Number(expires_in)
  return { value: access_token, expiresAt: nowMs + (seconds > 0 ? seconds * 1000 : 0) }
}
