/**
 * The enabled capabilities of an upstream: switches of the integration, and of the server, which never allows more. A
 * name that differs from a disabled one only in its spelling is also disabled.
 */
import type { McpCapabilityType } from '@gateway/core/domain'
import type { Place } from './directory.ts'

export const switchKey = (type: McpCapabilityType, name: string): string => `${type}:${name}`

/** Names as lax upstreams compare them: without escapes, case, width, marks and separators. */
const foldName = (name: string): string =>
  unescaped(name)
    .normalize('NFKD')
    // Both ways, because some letters have no single partner: ß and SS are the same name.
    .toUpperCase()
    .toLowerCase()
    .replace(/[\p{M}\p{Z}\p{C}\s_./-]/gu, '')

const escapes = /(?:%[0-9a-f]{2})+/gi

/** Without percent signs that stand for something, also where a text was escaped more than once. */
function unescaped(text: string): string {
  let left = text
  for (let round = 0; round < 3; round += 1) left = left.replace(escapes, decoded)
  return left
}

function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    return escaped
  }
}

/** A URI without escapes and detours. */
function foldUri(uri: string): string {
  const parsed = URL.canParse(uri) ? new URL(uri).href : uri
  return unescaped(parsed).replace(/\/+$/, '').normalize('NFKC')
}

const fold = (type: McpCapabilityType, name: string) =>
  type === 'tool' || type === 'prompt' ? foldName(name) : foldUri(name)

type Switches = Readonly<Record<string, boolean>>

/** Disabled names of a type, folded; made once for each version of the switches. */
const folded = new WeakMap<Switches, Map<McpCapabilityType, Set<string>>>()

function disabledOf(switches: Switches, type: McpCapabilityType): Set<string> {
  const known = folded.get(switches) ?? new Map<McpCapabilityType, Set<string>>()
  folded.set(switches, known)
  const found = known.get(type)
  if (found !== undefined) return found
  const prefix = switchKey(type, '')
  const made = new Set(
    Object.entries(switches)
      .filter(([key, isOn]) => !isOn && key.startsWith(prefix))
      .map(([key]) => fold(type, key.slice(prefix.length))),
  )
  known.set(type, made)
  return made
}

const noSwitches: Switches = {}

/** What may stand before a name that some upstreams take without it: `server/name`, `mcp__server__name`. */
const prefixEnd = /__|[/.:]/g

/** A name, folded; one that no sync has found also without what may stand before it. */
function spellingsOf(type: McpCapabilityType, name: string, isKnown: boolean): string[] {
  const whole = fold(type, name)
  if (isKnown || (type !== 'tool' && type !== 'prompt')) return [whole]
  const plain = unescaped(name).normalize('NFKC')
  const ends = [...plain.matchAll(prefixEnd)].slice(-maxPrefixes)
  return [whole, ...ends.map(({ index, 0: end }) => fold(type, plain.slice(index + end.length)))]
}

const maxPrefixes = 20

/** Whether switches allow a name: its own exact switch decides, else no disabled name may be spelt alike. */
function allows(
  switches: Switches | undefined,
  type: McpCapabilityType,
  name: string,
  catalogue: Place['catalogue'],
): boolean {
  if (switches === undefined) return true
  const own = switches[switchKey(type, name)]
  if (own !== undefined && Object.hasOwn(switches, switchKey(type, name))) return own
  const disabled = disabledOf(switches, type)
  if (disabled.size === 0) return true
  return !spellingsOf(type, name, isFound(catalogue, type, name)).some((one) => disabled.has(one))
}

/** Whether a sync has found it. */
const isFound = (catalogue: Place['catalogue'], type: McpCapabilityType, name: string): boolean =>
  catalogue?.data.capabilities.some((one) => one.type === type && one.name === name) === true

/** Whether an integration allows it: one that no sync has found starts as `new_capabilities_enabled` says. */
export function isEnabledByIntegration(
  { integration, catalogue }: Pick<Place, 'integration' | 'catalogue'>,
  type: McpCapabilityType,
  name: string,
): boolean {
  const { switches = noSwitches, new_capabilities_enabled: startsOn = true } = integration.data
  if (!startsOn && switches[switchKey(type, name)] === undefined && !isFound(catalogue, type, name))
    return false
  return allows(switches, type, name, catalogue)
}

export const isEnabled = (place: Place, type: McpCapabilityType, name: string): boolean =>
  isEnabledByIntegration(place, type, name) && allows(place.server.data.switches, type, name, place.catalogue)

/** Whether a resource may be read: by its own switch, and by those of the templates that it may be made of. */
export function isResourceEnabled(place: Place, uri: string): boolean {
  if (!isEnabled(place, 'resource', uri)) return false
  const known = place.catalogue?.data.capabilities ?? []
  if (known.some(({ type, name }) => type === 'resource' && name === uri)) return true
  const target = foldUri(uri)
  const matching = templatesOf(place).filter((template) => isMadeOf(template, target))
  return matching.length === 0 || matching.some((template) => isEnabled(place, 'resource_template', template))
}

/** Those that were found, and those that were switched off. */
function templatesOf({ integration, server, catalogue }: Place): string[] {
  const prefix = switchKey('resource_template', '')
  const switched = [integration.data.switches ?? noSwitches, server.data.switches ?? noSwitches]
    .flatMap((switches) => Object.keys(switches))
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
  const found = (catalogue?.data.capabilities ?? [])
    .filter(({ type }) => type === 'resource_template')
    .map(({ name }) => name)
  return [...new Set([...switched, ...found])]
}

/** Whether a URI may be made of a template (RFC 6570), whose expressions stand for any text: its parts come in order. */
function isMadeOf(template: string, target: string): boolean {
  const parts = template
    .slice(0, 2000)
    .split(/\{[^{}]*\}/)
    .map((part) => unescaped(part).normalize('NFKC'))
  const [first = '', ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return target === first
  if (!target.startsWith(first) || !target.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = target.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= target.length - last.length
}
