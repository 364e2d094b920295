/**
 * The enabled capabilities of an upstream: switches of the integration, and of the server, which never allows more. A
 * name that differs from a disabled one only in its spelling is also disabled.
 */

import type { McpCapabilityType } from '@gateway/domain'
import { unknownName } from '@gateway/domain'
import type { Place } from './directory.ts'

export const switchKey = (type: McpCapabilityType, name: string): string => `${type}:${name}`

/** Normalises names in the same way as lenient upstreams: without escapes, case, width, marks and separators. */
const foldName = (name: string): string =>
  unescaped(name)
    .normalize('NFKD')
    // Converts to upper case first, because some letters have no one-to-one lower case: ß and SS are the same name.
    .toUpperCase()
    .toLowerCase()
    .replace(/[\p{M}\p{Z}\p{C}\s_./-]/gu, '')

const escapes = /(?:%[0-9a-f]{2})+/gi

/** Decodes percent escapes, also of text that was escaped more than once. */
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

/** A URI without escapes and dot segments. */
function foldUri(uri: string): string {
  const parsed = URL.canParse(uri) ? new URL(uri).href : uri
  return unescaped(parsed).replace(/\/+$/, '').normalize('NFKC')
}

const fold = (type: McpCapabilityType, name: string) =>
  type === 'tool' || type === 'prompt' ? foldName(name) : foldUri(name)

type Switches = Readonly<Record<string, boolean>>

/** Normalised disabled names of a type, computed once per version of the switches. */
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

/** Prefixes that some upstreams accept before a name: `server/name`, `mcp__server__name`. */
const prefixEnd = /__|[/.:]/g

/** A normalised name. If no sync has found the name, also the forms without a prefix. */
function spellingsOf(type: McpCapabilityType, name: string, isKnown: boolean): string[] {
  const whole = fold(type, name)
  if (isKnown || (type !== 'tool' && type !== 'prompt')) return [whole]
  const plain = unescaped(name).normalize('NFKC')
  const ends = [...plain.matchAll(prefixEnd)].slice(-maxPrefixes)
  return [whole, ...ends.map(({ index, 0: end }) => fold(type, plain.slice(index + end.length)))]
}

const maxPrefixes = 20

/**
 * Whether switches allow a name: its own exact switch decides; otherwise no disabled name may have the same normalised
 * form.
 */
function allows(
  switches: Switches | undefined,
  type: McpCapabilityType,
  { name, catalogue }: { name: string; catalogue: Place['catalogue'] },
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

/** Whether an integration allows it. For a name that no sync has found, `new_capabilities_enabled` decides. */
export function isEnabledByIntegration(
  { integration, catalogue }: Pick<Place, 'integration' | 'catalogue'>,
  type: McpCapabilityType,
  name: string,
): boolean {
  const { switches = noSwitches, new_capabilities_enabled: startsOn = true } = integration.data
  if (!startsOn && switches[switchKey(type, name)] === undefined && !isFound(catalogue, type, name))
    return false
  return allows(switches, type, { name, catalogue })
}

export const isEnabled = (place: Place, type: McpCapabilityType, name: string): boolean =>
  isEnabledByIntegration(place, type, name) &&
  allows(place.server.data.switches, type, { name, catalogue: place.catalogue })

/** The message for a tool or prompt that the server does not offer; proposes those that it lists. */
export function unknownCapability(place: Place, type: McpCapabilityType, name: unknown): string {
  const what = type.replace('_', ' ')
  if (typeof name !== 'string') return `Unknown ${what}.`
  const known = place.catalogue?.data.capabilities.flatMap((one) =>
    one.type === type && isEnabled(place, type, one.name) ? [one.name] : [],
  )
  return unknownName({ what, written: name, known: known ?? null })
}

/** Whether a resource may be read: by its own switch and by those of the templates that match it. */
export function isResourceEnabled(place: Place, uri: string): boolean {
  if (!isEnabled(place, 'resource', uri)) return false
  const known = place.catalogue?.data.capabilities ?? []
  if (known.some(({ type, name }) => type === 'resource' && name === uri)) return true
  const target = foldUri(uri)
  const matching = templatesOf(place).filter((template) => isMadeOf(template, target))
  return matching.length === 0 || matching.some((template) => isEnabled(place, 'resource_template', template))
}

/** Templates that a sync has found, and disabled ones. */
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

/** Whether a URI matches a template (RFC 6570). Expressions match any text, so the fixed parts must occur in order. */
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
