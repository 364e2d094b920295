/**
 * What a check needs that asks a vendor over HTTP: the credential and the address, the texts to show, and the call.
 * A status that is not 2xx and an answer that is no JSON object are errors, not verdicts. What the vendor says then
 * is not passed on, for it may quote the text. Times are in milliseconds.
 */
import { type CheckInput, type CheckIo, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** A check's parameters once the defaults stand in them; `Given` are those that have one. */
export type Filled<Schema extends TSchema, Given extends keyof Static<Schema>> = Static<Schema> &
  Required<Pick<Static<Schema>, Given>>

export type Scope = 'all' | 'last'

export const scope = Type.Optional(
  Type.Unsafe<Scope>({
    type: 'string',
    enum: ['all', 'last'],
    default: 'all',
    description:
      'Which texts of a request are sent: the whole conversation, or its last message alone. ' +
      'Of an answer, every choice always is.',
  }),
)

/** How long the vendor may take. */
export const timeoutOf = (defaultMs: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: defaultMs,
      description: 'Milliseconds until the vendor must have answered.',
    }),
  )

/** A credential, fit for a header. */
export const secret = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$', description }))

/** A base URL that replaces the vendor's own. */
export const address = (description: string) =>
  Type.Optional(Type.String({ pattern: '^https?://', description }))

/**
 * The texts that a vendor is shown, in their order: of the conversation, not of the definitions of its tools. Those of
 * white space alone are left out.
 */
export function textsOf(input: CheckInput, scope: Scope): readonly TextPart[] {
  const parts = scope === 'last' ? input.lastParts : input.parts
  return parts.filter(({ role, text }) => role !== 'tool_definition' && text.trim() !== '')
}

/** How a plugin names its credential, and its address where the parameters may give one. */
export interface Names {
  key: string
  url: string
}

/**
 * Finds a plugin's credential: the parameters' wins over that of `plugins.settings`. An address in the parameters
 * needs the credential beside it, so that no config can have a stored credential sent to a host of its own.
 * @throws Error that names what is missing
 */
export function keyOf(
  plugin: string,
  names: Names,
  parameters: Readonly<Record<string, unknown>>,
  settings: Readonly<JsonObject>,
): string {
  const own = parameters[names.key]
  if (own === undefined && parameters[names.url] !== undefined)
    throw new Error(
      `${names.url} needs ${names.key} beside it: a stored credential goes to its own host only`,
    )
  const key = own ?? settings[names.key]
  if (typeof key !== 'string' || key === '')
    throw new Error(`${names.key} is missing: set it in plugins.settings.${plugin} or in the parameters`)
  return key
}

/**
 * Finds a plugin's base URL, without a slash at its end.
 * @throws Error when it is not a URL
 */
export function urlOf(
  name: string,
  parameters: Readonly<Record<string, unknown>>,
  settings: Readonly<JsonObject>,
  vendorUrl: string,
): string {
  const url = parameters[name] ?? settings[name] ?? vendorUrl
  if (typeof url !== 'string' || !URL.canParse(url)) throw new Error(`${name} is not a URL`)
  return url.replace(/\/+$/, '')
}

/** Answers that repeat the texts may be as large as a conversation. */
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
  if (status < 200 || status > 299) throw new Error(`${vendor} answered with status ${status}`)
  return json
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
  throw new Error(`${vendor} gave an answer that cannot be read`)
}

/** A name of the vendor's, such as that of a policy; null for what is too long to be one, or holds other signs. */
export function nameOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w .:/-]{1,60}$/.test(value) ? value : null
}
