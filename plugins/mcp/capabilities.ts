/**
 * What of an upstream may be used: switches of the integration, and of the server, which never allows more. A name that
 * differs from a disabled one in nothing but its spelling is that one.
 */
import type { McpCapabilityType } from '@gateway/core/domain'
import type { Place } from './directory.ts'

export const switchKey = (type: McpCapabilityType, name: string): string => `${type}:${name}`

/** Names as lax upstreams compare them: without case, width, marks and separators. */
const foldName = (name: string): string =>
  name
    .normalize('NFKD')
    // Both ways, because some letters have no single partner: ß and SS are the same name.
    .toUpperCase()
    .toLowerCase()
    .replace(/[\p{M}\p{Z}\p{C}\s_./-]/gu, '')

/** A URI without escapes and detours. */
function foldUri(uri: string): string {
  const parsed = URL.canParse(uri) ? new URL(uri).href : uri
  try {
    return decodeURIComponent(parsed).replace(/\/+$/, '').normalize('NFKC')
  } catch {
    return parsed
  }
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

/** Whether switches allow a name: its own exact switch decides, else no disabled name may be spelt alike. */
function allows(switches: Switches | undefined, type: McpCapabilityType, name: string): boolean {
  if (switches === undefined) return true
  const own = switches[switchKey(type, name)]
  if (own !== undefined && Object.hasOwn(switches, switchKey(type, name))) return own
  const disabled = disabledOf(switches, type)
  return disabled.size === 0 || !disabled.has(fold(type, name))
}

/** Whether an integration allows it: one that no sync has found starts as `new_capabilities_enabled` says. */
export function isEnabledByIntegration(
  { integration, catalogue }: Pick<Place, 'integration' | 'catalogue'>,
  type: McpCapabilityType,
  name: string,
): boolean {
  const { switches = noSwitches, new_capabilities_enabled: startsOn = true } = integration.data
  if (!startsOn && switches[switchKey(type, name)] === undefined) {
    const isKnown =
      catalogue?.data.capabilities.some((one) => one.type === type && one.name === name) === true
    if (!isKnown) return false
  }
  return allows(switches, type, name)
}

export const isEnabled = (place: Place, type: McpCapabilityType, name: string): boolean =>
  isEnabledByIntegration(place, type, name) && allows(place.server.data.switches, type, name)

/** Whether a resource may be read: by its own switch, and by those of the templates that it may be made of. */
export function isResourceEnabled(place: Place, uri: string): boolean {
  if (!isEnabled(place, 'resource', uri)) return false
  const known = place.catalogue?.data.capabilities ?? []
  if (known.some(({ type, name }) => type === 'resource' && name === uri)) return true
  const target = foldUri(uri)
  const matching = templatesOf(place).filter((template) => patternOf(template).test(target))
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

/** A URI template (RFC 6570) as what it matches; an expression stands for any text. Linear: no two stars meet. */
function patternOf(template: string): RegExp {
  const parts = template
    .slice(0, 2000)
    .split(/\{[^{}]*\}/)
    .map((part) => foldPart(part).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}

function foldPart(part: string): string {
  try {
    return decodeURIComponent(part).normalize('NFKC')
  } catch {
    return part
  }
}
