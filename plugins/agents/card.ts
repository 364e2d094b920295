/**
 * Agent cards: fetched from the agent, and rewritten for clients, who must call the agent through the gateway with a
 * gateway API key. https://a2a-protocol.org/latest/specification/#8-agent-discovery-the-agent-card
 */
import { GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Integration, Server } from './directory.ts'
import { readBounded } from './logged.ts'
import { type AgentRuntime, callAgent } from './upstream.ts'

const maxCardBytes = 1_048_576
const keptMs = 60_000

/** Well-known paths of a card below the base URL, newest first; or the URL itself. */
function placesOf(url: string): string[] {
  if (new URL(url).pathname.endsWith('.json')) return [url]
  const base = url.replace(/\/+$/, '')
  return [`${base}/.well-known/agent-card.json`, `${base}/.well-known/agent.json`]
}

/** Errors: `upstream_unreachable`; `upstream_invalid_response` for an invalid card. */
export async function fetchCard(
  runtime: AgentRuntime,
  integration: Integration,
  { workspaceId, signal }: { workspaceId: string | null; signal: AbortSignal },
): Promise<JsonObject> {
  let status = 0
  for (const url of placesOf(integration.data.url)) {
    const answer = await callAgent(runtime, integration, {
      agentCall: { method: 'GET', url, body: null, workspaceId, headers: { accept: 'application/json' } },
      signal,
    }).catch((error: unknown) => {
      throw asUnreachable(error)
    })
    if (answer.status === 200) return readCard(answer.body)
    status = answer.status
    answer.dump()
  }
  throw new GatewayError('upstream_unreachable', `The agent returned no card (status ${status}).`)
}

function asUnreachable(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error
  const isDown = ['request_timeout', 'dependency_unavailable', 'upstream_error'].includes(error.code)
  return isDown ? new GatewayError('upstream_unreachable', error.message, { cause: error }) : error
}

async function readCard(body: AsyncIterable<Buffer>): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxCardBytes) throw invalid('The card of the agent is larger than 1 MB, the maximum.')
    chunks.push(chunk)
  }
  const parsed = readBounded(Buffer.concat(chunks))
  if (parsed === undefined) throw invalid('The card of the agent is not JSON.')
  if (!isObject(parsed) || typeof parsed.name !== 'string')
    throw invalid('The card of the agent has no name.')
  return parsed
}

const invalid = (message: string) => new GatewayError('upstream_invalid_response', message)

/** The cached card, at most a minute old. */
export async function knownCard(
  runtime: AgentRuntime,
  integration: Integration,
  { workspaceId, signal }: { workspaceId: string | null; signal: AbortSignal },
): Promise<JsonObject> {
  const now = runtime.context.now()
  const known = runtime.cards.get(integration)
  if (known !== undefined && known.until > now) return known.card
  const card = await fetchCard(runtime, integration, { workspaceId, signal })
  runtime.cards.set(integration, { card, until: now + keptMs })
  return card
}

type Binding = 'JSONRPC' | 'HTTP+JSON'

interface Interface {
  url: string
  binding: string
  /** Major and minor version: `0.3`. */
  version: string
}

const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const bindingOf = ({ transport, protocolBinding }: JsonObject) =>
  String(transport ?? protocolBinding ?? 'JSONRPC').toUpperCase()

/** The version of clients without the header, which did not exist in that version. */
const unsaid = '0.3'
const versionOf = ({ protocolVersion }: JsonObject): string => shortVersion(protocolVersion)
const shortVersion = (written: Json | undefined): string =>
  /^\d+\.\d+/.exec(typeof written === 'string' ? written.trim() : '')?.[0] ?? unsaid

function interfacesOf(card: JsonObject): Interface[] {
  const own =
    typeof card.url === 'string'
      ? [
          {
            url: card.url,
            binding: String(card.preferredTransport ?? 'JSONRPC').toUpperCase(),
            version: versionOf(card),
          },
        ]
      : []
  const more = [...objects(card.supportedInterfaces), ...objects(card.additionalInterfaces)]
    .filter(({ url }) => typeof url === 'string')
    .map((one) => ({
      url: String(one.url),
      binding: bindingOf(one),
      version: versionOf(one.protocolVersion === undefined ? card : one),
    }))
  return [...own, ...more]
}

interface InterfaceUrlOptions {
  binding: Binding
  clientVersion: string | undefined
}

/**
 * The URL of an interface of this binding, in the version of the client's `A2A-Version` header if the agent supports
 * it. The integration's credential is sent only to its own origin.
 */
export function interfaceUrl(
  card: JsonObject,
  { data }: Integration,
  { binding, clientVersion }: InterfaceUrlOptions,
): string {
  const fitting = interfacesOf(card).filter((one) => one.binding === binding)
  const [first] = fitting
  if (first === undefined) throw invalid(`The agent has no ${binding} interface.`)
  const { origin } = new URL(data.url)
  const own = fitting.filter(({ url }) => URL.canParse(url) && new URL(url).origin === origin)
  const wanted = shortVersion(clientVersion)
  const found = own.find(({ version }) => version === wanted) ?? own[0]
  if (found === undefined)
    throw invalid(
      'The interface of the agent has a different origin than the URL of its integration, which is not allowed.',
    )
  return found.url
}

export const skillKey = (id: string): string => `skill:${id}`

type Switches = Readonly<Record<string, boolean>> | undefined

export const isSkillOn = (switches: Switches, id: string): boolean => switches?.[skillKey(id)] ?? true

const securityName = 'gateway'

/** The card that clients of the gateway get. */
export function rewriteCard(
  card: JsonObject,
  integration: Integration,
  { server, url }: { server: Server; url: string },
): JsonObject {
  const { signatures: _, security: __, securityRequirements: ___, securitySchemes: ____, ...rest } = card
  const isNew = card.supportedInterfaces !== undefined
  const isOld = !isNew || card.url !== undefined
  const shown: JsonObject = { ...rest, skills: shownSkills(card, integration, server) }
  if (card.url !== undefined || !isNew) shown.url = url
  for (const name of ['supportedInterfaces', 'additionalInterfaces'] as const) {
    if (card[name] === undefined) continue
    shown[name] = objects(card[name])
      .filter((one) => bindingOf(one) !== 'GRPC')
      .map((one): JsonObject => ({ ...one, url }))
  }
  if (String(card.preferredTransport ?? '').toUpperCase() === 'GRPC') {
    const other = interfacesOf(card).find(({ binding }) => binding !== 'GRPC')
    shown.preferredTransport = other?.binding ?? 'JSONRPC'
  }
  const key = { type: 'apiKey', in: 'header', name: 'x-gateway-api-key' }
  shown.securitySchemes = {
    [securityName]: isOld ? key : { apiKeySecurityScheme: { location: 'header', name: 'x-gateway-api-key' } },
  }
  if (isOld) shown.security = [{ [securityName]: [] }]
  if (isNew) shown.securityRequirements = [{ schemes: { [securityName]: { list: [] } } }]
  return shown
}

function shownSkills(card: JsonObject, integration: Integration, server: Server): Json {
  return objects(card.skills)
    .filter(
      ({ id }) =>
        isSkillOn(integration.data.switches, String(id)) && isSkillOn(server.data.switches, String(id)),
    )
    .map(({ security: _, securityRequirements: __, ...skill }): JsonObject => skill)
}

/** The skills of a card, for the routes of skills. */
export const skillsOf = (card: JsonObject): JsonObject[] =>
  objects(card.skills).filter(({ id }) => typeof id === 'string')
