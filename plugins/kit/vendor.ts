/**
 * Helpers for checks that call a vendor over HTTP: credential, address, the texts to send, and the call itself. A
 * status other than 2xx and an answer that is not a JSON object are errors, not verdicts. The error does not repeat the
 * vendor's answer, because that can quote the text. Times are in milliseconds.
 */
import { type CheckInput, type CheckIo, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** A check's parameters with defaults filled in. `Given`: the parameters that have a default. */
export type Filled<Schema extends TSchema, Given extends keyof Static<Schema>> = Static<Schema> &
  Required<Pick<Static<Schema>, Given>>

export type Scope = 'all' | 'last'

export const scope = Type.Optional(
  Type.Unsafe<Scope>({
    type: 'string',
    enum: ['all', 'last'],
    default: 'all',
    description:
      'Which texts are sent: of a request, the whole conversation or only its last message; of an answer, every choice.',
  }),
)

/** The time limit for the vendor's answer. */
export const timeoutOf = (defaultMs: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: defaultMs,
      description: 'Time limit for the vendor’s answer, in milliseconds.',
    }),
  )

/** A credential that can be sent in a header. */
export const secret = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$', description }))

/** A base URL that replaces the vendor's own. */
export const address = (description: string) =>
  Type.Optional(Type.String({ pattern: '^https?://', description }))

/**
 * The texts that are sent to a vendor, in order: those of the conversation, without tool definitions and without blank
 * texts.
 */
export function textsOf(input: CheckInput, scope: Scope): readonly TextPart[] {
  const parts = scope === 'last' ? input.lastParts : input.parts
  return parts.filter(({ role, text }) => role !== 'tool_definition' && text.trim() !== '')
}

/** The names of a plugin's credential, and of its address if the parameters may specify one. */
export interface Names {
  key: string
  url: string
}

interface KeyOptions {
  parameters: Readonly<Record<string, unknown>>
  settings: Readonly<JsonObject>
}

/**
 * Returns a plugin's credential: that of the parameters, otherwise that of `plugins.settings`.
 * @throws Error that names the missing setting
 */
export function keyOf(plugin: string, names: Names, { parameters, settings }: KeyOptions): string {
  expectOwnKey(names, parameters, settings)
  const key = parameters[names.key] ?? settings[names.key]
  if (typeof key !== 'string' || key === '')
    throw new Error(`${names.key} is missing: set it in plugins.settings.${plugin} or in the parameters`)
  return key
}

/**
 * Requires a credential in the parameters if they specify an address other than the stored one: no config may send a
 * stored credential to another host.
 * @throws Error if it is missing
 */
export function expectOwnKey(
  { key, url }: Names,
  parameters: Readonly<Record<string, unknown>>,
  settings: Readonly<JsonObject>,
): void {
  const isOwnAddress = parameters[url] !== undefined && parameters[url] !== settings[url]
  if (isOwnAddress && parameters[key] === undefined)
    throw new Error(
      `${key} is missing: ${url} of the parameters requires ${key} as well, because a stored credential is only sent to its own host`,
    )
}

/**
 * Finds a plugin's base URL, without a trailing slash.
 * @throws Error if it is not a URL
 */
export function urlOf(
  name: string,
  parameters: Readonly<Record<string, unknown>>,
  { settings, vendorUrl }: { settings: Readonly<JsonObject>; vendorUrl: string },
): string {
  const url = parameters[name] ?? settings[name] ?? vendorUrl
  if (typeof url !== 'string' || !URL.canParse(url)) throw new Error(`${name} is not a URL`)
  return url.replace(/\/+$/, '')
}

/** The limit for answers: if they repeat the texts, they may be as large as a conversation. */
const maxBytes = 8 * 1_048_576

/**
 * Posts JSON to a vendor.
 * @throws Error for a status that is not 2xx
 */
export async function post(
  io: CheckIo,
  vendor: string,
  request: { url: string; headers: Readonly<Record<string, string>>; json: JsonObject; timeoutMs: number },
): Promise<unknown> {
  const { status, json } = await io.fetchJson({ method: 'POST', maxBytes, ...request })
  expectSuccess(vendor, status)
  return json
}

/**
 * Parses a vendor's answer to `io.fetch`; null if it is not JSON.
 * @throws Error for a status that is not 2xx
 */
export function jsonOf(vendor: string, { status, bytes }: { status: number; bytes: Buffer }): unknown {
  expectSuccess(vendor, status)
  return parseJson(bytes.toString('utf8'))
}

function expectSuccess(vendor: string, status: number): void {
  if (status < 200 || status > 299) throw new Error(`${vendor} answered with status ${status}`)
}

/** The value of a JSON text; null if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Posts JSON to a vendor that answers with an object.
 * @throws Error for a status that is not 2xx, and for another answer
 */
export async function postForObject(...call: Parameters<typeof post>): Promise<JsonObject> {
  const answer = await post(...call)
  return isObject(answer) ? answer : unreadable(call[1])
}

/** @throws Error always: the answer is not what the vendor documents */
export function unreadable(vendor: string): never {
  throw new Error(`${vendor} returned an answer that cannot be read`)
}

/** A name from the vendor, such as that of a policy; null if it is too long or contains other characters. */
export function nameOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w .:/-]{1,60}$/.test(value) ? value : null
}

export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The objects of a list; empty if the value is not a list. */
export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
