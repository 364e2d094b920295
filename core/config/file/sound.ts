/**
 * What can still be judged of a config file with faults: all of it but the entries that have one. So its unknown names
 * are told together with its unknown keys, and not only after those are mended.
 */
import { type FileFaultCode, type RuleFault, unknownKeyOf } from './fault.ts'
import { pathNames } from './locate.ts'
import type { DeclaredFile } from './schema.ts'

type Sections = Record<string, unknown>

/** Sections whose entries are left out one by one; of all others nothing is kept. */
const bySlug: ReadonlySet<string> = new Set(['providers', 'custom_providers', 'configs', 'guardrails'])

/** What may only seem wrong where a part of a section was left out. */
const seeming: Readonly<Record<string, readonly FileFaultCode[]>> = {
  providers: ['unknown_virtual_key'],
  custom_providers: ['unknown_provider'],
  configs: ['unknown_config'],
  guardrails: ['unknown_guardrail'],
  security: ['host_not_allowed'],
}

export interface SoundPart {
  declared: DeclaredFile
  /** Whether a fault of what is left is one of the whole file, too. */
  isCertain(fault: { code: FileFaultCode }): boolean
}

/**
 * @param declared an object
 * @param faults of the schema, and of what could not be read
 */
export function soundPart(declared: object, faults: readonly RuleFault[]): SoundPart {
  const sections: Sections = { ...declared }
  const cut = new Set<string>()
  for (const fault of faults) {
    const [section, entry] = [...pathNames(fault.param), unknownKeyOf(fault)].filter((name) => name !== null)
    // Settings of plugins with a fault are there all the same: a check that needs them does not say so again.
    if (section === undefined || (section === 'plugins' && entry === 'settings')) continue
    cut.add(section)
    const value = sections[section]
    const isKept = entry !== undefined && bySlug.has(section) && typeof value === 'object' && value !== null
    if (isKept) sections[section] = without(value, entry)
    else delete sections[section]
  }
  const uncertain = new Set([...cut].flatMap((section) => seeming[section] ?? []))
  return { declared: sections as DeclaredFile, isCertain: ({ code }) => !uncertain.has(code) }
}

function without(entries: object, name: string): object {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key !== name))
}
