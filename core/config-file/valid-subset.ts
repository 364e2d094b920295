/**
 * The part of an invalid config file that can still be validated: everything except invalid entries. Unknown names are
 * then reported together with unknown keys, instead of only after those are fixed.
 */
import { type FileFaultCode, type RuleFault, unknownKeyOf } from './fault.ts'
import { pathNames } from './locate.ts'
import type { DeclaredFile } from './schema.ts'

type Sections = Record<string, unknown>

/** Sections from which single entries are dropped; other sections are dropped whole. */
const bySlug: ReadonlySet<string> = new Set(['providers', 'custom_providers', 'configs', 'guardrails'])

/** Errors that may only be caused by dropping a part of a section. */
const seeming: Readonly<Record<string, readonly FileFaultCode[]>> = {
  providers: ['unknown_virtual_key'],
  custom_providers: ['unknown_provider'],
  configs: ['unknown_config'],
  guardrails: ['unknown_guardrail'],
  security: ['host_not_allowed'],
}

export interface ValidSubset {
  declared: DeclaredFile
  /** Whether an error of the rest is also an error of the whole file. */
  isCertain(fault: { code: FileFaultCode }): boolean
}

/**
 * @param declared an object
 * @param faults schema faults and syntax errors
 */
export function validSubset(declared: object, faults: readonly RuleFault[]): ValidSubset {
  const sections: Sections = { ...declared }
  const cut = new Set<string>()
  for (const fault of faults) {
    const [section, entry] = [...pathNames(fault.param), unknownKeyOf(fault)].filter((name) => name !== null)
    // Invalid plugin settings still count as present: otherwise checks that need them would report them again.
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
