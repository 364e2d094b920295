/**
 * The members of a document that determine where its secrets are sent (provider, check, hosts, URLs, resource names). A
 * mask that is written back is replaced by the stored secret only if these members are unchanged; otherwise an editor
 * of the document could redirect its secrets to another host.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { isSecretMember } from './content.ts'
import { isMasked, mask } from './mask.ts'
import { snakeCase } from './names.ts'

/** Last words of member names that determine where calls go. */
const addressWords: ReadonlySet<string> = new Set([
  ...[
    'host',
    'url',
    'uri',
    'addr',
    'address',
    'endpoint',
    'server',
    'origin',
    'domain',
    'issuer',
    'authority',
  ],
])

/** Full names of such members. Regions are excluded when all regional hosts belong to the vendor. */
const addressNames: ReadonlySet<string> = new Set([
  ...['provider', 'virtual_key', 'ai_provider_id', 'manager_type', 'resource_name', 'azure_resource_name'],
  ...['azure_entra_tenant_id', 'tenant_id', 'cloud_b_region', 'cloud_b_endpoint_name'],
  ...['cloud_b_deployment_name', 'cloud_b_deployment_type'],
])

/** Whether a member with this name determines where calls go. */
export function isAddressName(name: string): boolean {
  const snake = snakeCase(name)
  return addressNames.has(snake) || addressWords.has(snake.slice(snake.lastIndexOf('_') + 1))
}

/** Members that do not affect where their object's secrets are sent. */
const elsewhere: ReadonlySet<string> = new Set(['override_params', 'metadata'])
/** Members that contain checks, whose secrets are sent to their own services. */
const hookLists: ReadonlySet<string> = new Set([
  ...['before_request_hooks', 'after_request_hooks', 'input_guardrails', 'output_guardrails'],
])

const isUrl = (value: Json): boolean =>
  typeof value === 'string' && /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(value)

/** The members of an object that determine where its secrets are sent, as a comparable text. */
export const destinationOf = (object: JsonObject): string => JSON.stringify(factsOf(object).sort())

function factsOf(value: Json, name = '', ancestors: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => factsOf(item, name, ancestors))
  if (!isObject(value)) {
    return value !== null && (isAddressName(name) || isUrl(value))
      ? [JSON.stringify([snakeCase(name), value])]
      : []
  }
  return Object.entries(value).flatMap(([member, inner]) =>
    inner === undefined || isBoundary(member) || isSecretMember(member, inner, ancestors)
      ? []
      : factsOf(inner, member, [...ancestors, member]),
  )
}

const isBoundary = (name: string) => name === 'targets' || elsewhere.has(name) || hookLists.has(name)

/** Names of members that identify a token's issuer or audience, not a call's destination. */
const statements: ReadonlySet<string> = new Set(['issuer', 'domain', 'authority', 'origin'])

/** The http(s) addresses among some members, by their names. */
export function addressesIn(value: Json, param: string, name = ''): { param: string; url: string }[] {
  if (typeof value === 'string') {
    const isCalled = isAddressName(name) && !statements.has(snakeCase(name).split('_').at(-1) ?? '')
    return isCalled && /^https?:\/\//i.test(value) ? [{ param, url: value }] : []
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => addressesIn(item, `${param}/${index}`, name))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([member, inner]) =>
    inner === undefined ? [] : addressesIn(inner, `${param}/${escaped(member)}`, member),
  )
}

/** A secret text in a config or a guardrail. */
interface PlacedSecret {
  /** JSON pointer. */
  param: string
  /** The member's name and destination, which identify the secret. */
  identity: string
  text: string
}

/** The secrets of a config's tree; a target's destination includes its ancestors' custom hosts. */
export function placedSecrets(config: JsonObject, param: string): PlacedSecret[] {
  return secretsOfNode(config, [], param)
}

/** The secrets of checks, each of which calls its own service. */
export function secretsOfChecks(checks: readonly Json[], param: string): PlacedSecret[] {
  return checks.flatMap((check, index) =>
    isObject(check)
      ? secretsOfNode(check, [JSON.stringify(['check', check.id ?? ''])], `${param}/${index}`)
      : [],
  )
}

function secretsOfNode(node: JsonObject, inherited: readonly string[], param: string): PlacedSecret[] {
  const facts = [...inherited, ...factsOf(node)]
  const { targets, ...own } = node
  const children = Array.isArray(targets) ? targets : []
  return [
    ...Object.entries(own).flatMap(([name, member]): PlacedSecret[] => {
      const at = `${param}/${escaped(name)}`
      if (member === undefined) return []
      if (hookLists.has(name))
        return Array.isArray(member) ? member.flatMap((hook, i) => ofHook(hook, `${at}/${i}`)) : []
      return textsOf(name, member, { ancestors: [], isSecret: false, param: at, facts })
    }),
    ...children.flatMap((child, index) =>
      isObject(child) ? secretsOfNode(child, facts, `${param}/targets/${index}`) : [],
    ),
  ]
}

/** A hook lists its checks, or has them as members in the short form. */
function ofHook(hook: Json, param: string): PlacedSecret[] {
  if (!isObject(hook)) return []
  return Object.entries(hook).flatMap(([name, member]) => {
    const at = `${param}/${escaped(name)}`
    if (name === 'checks' && Array.isArray(member)) return secretsOfChecks(member, at)
    return isObject(member) ? secretsOfNode(member, [JSON.stringify(['check', name])], at) : []
  })
}

interface Place {
  ancestors: readonly string[]
  isSecret: boolean
  param: string
  facts: readonly string[]
}

function textsOf(name: string, member: Json, { ancestors, isSecret, param, facts }: Place): PlacedSecret[] {
  const isInside = isSecret || isSecretMember(name, member, ancestors)
  if (typeof member === 'string') {
    return isInside ? [{ param, identity: JSON.stringify([name, [...facts].sort()]), text: member }] : []
  }
  const below = { ancestors: [...ancestors, name], isSecret: isInside, facts }
  if (Array.isArray(member)) {
    // List items are identified by their content only.
    return member.flatMap((item, index) =>
      textsOf(name, item, { ...below, ancestors, param: `${param}/${index}` }),
    )
  }
  if (!isObject(member)) return []
  return Object.entries(member).flatMap(([inner, value]) =>
    value === undefined ? [] : textsOf(inner, value, { ...below, param: `${param}/${escaped(inner)}` }),
  )
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

interface Unmasked {
  /** The secrets that masks replace, by their JSON pointers. */
  secrets: ReadonlyMap<string, string>
  /** Pointers of masks that match no single stored secret. */
  strays: readonly string[]
}

/** The stored secrets behind masks: for each, the only stored secret with the same name and destination. */
export function resolveMasks(given: readonly PlacedSecret[], stored: readonly PlacedSecret[]): Unmasked {
  const secrets = new Map<string, string>()
  const strays: string[] = []
  for (const { param, identity, text } of given) {
    if (!isMasked(text)) continue
    const same = stored.filter((one) => one.identity === identity && mask(one.text) === text)
    const [secret, ...others] = new Set(same.map((one) => one.text))
    if (secret === undefined || others.length > 0) strays.push(param)
    else secrets.set(param, secret)
  }
  return { secrets, strays }
}

/** The content with the masks at these pointers replaced. */
export function fillMasks<Content>(
  content: Content,
  secrets: ReadonlyMap<string, string>,
  param: string,
): Content {
  if (secrets.size === 0) return content
  const fill = (value: Json, at: string): Json => {
    if (Array.isArray(value)) return value.map((item, index) => fill(item, `${at}/${index}`))
    if (!isObject(value)) return secrets.get(at) ?? value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) =>
        member === undefined ? [] : [[name, fill(member, `${at}/${escaped(name)}`)]],
      ),
    )
  }
  // Parts of documents are JSON, although their types have other names.
  return fill(content as Json, param) as Content
}
