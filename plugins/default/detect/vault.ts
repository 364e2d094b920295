/**
 * Values removed from a request, and their placeholders. Within one request the same value always has the same
 * placeholder, for all checks of this plugin. Values that may be put back are stored only in the plugin's shared state,
 * which is discarded with the request.
 */
import type { CheckIo } from '@gateway/contract'
import { isDigit } from './characters.ts'
import type { Finding } from './finding.ts'

/** The place in a template for the number that distinguishes values. */
export const numberMark = '{n}'

/** The placeholder of a category: `[EMAIL_1]`. */
export const templateOf = (category: string): string => `[${category.toUpperCase()}_${numberMark}]`

export interface Vault {
  /**
   * The placeholder of a value.
   * @param isTaken whether the texts already contain the placeholder, because the caller wrote it
   */
  placeholderOf(template: string, value: Value, isTaken: (placeholder: string) => boolean): string
}

interface Value {
  text: string
  /** The value was a number in a JSON text, not a string. */
  isNumber: boolean
  /** The value may be put back. */
  isKept: boolean
}

/** Values that may be put back, by placeholder, and their templates. */
interface Kept {
  templates: Set<string>
  values: Map<string, Omit<Value, 'isKept'>>
}

type Shared = CheckIo['shared']

/** In the shared state. Absent if nothing is to be put back. */
const keptName = 'restorable'

interface Named {
  byValue: Map<string, string>
  numbers: Map<string, number>
}

/** Names of placeholders are not secret; the request's shared state is the key. */
const named = new WeakMap<Shared, Named>()

export function vaultOf(shared: Shared): Vault {
  const known: Named = named.get(shared) ?? { byValue: new Map(), numbers: new Map() }
  named.set(shared, known)
  return {
    placeholderOf(template, value, isTaken) {
      if (!template.includes(numberMark)) return template
      const key = JSON.stringify([template, value.isNumber, value.text])
      const placeholder = known.byValue.get(key) ?? name(known, template, isTaken)
      known.byValue.set(key, placeholder)
      if (value.isKept) keep(shared, template, { placeholder, value })
      return placeholder
    },
  }
}

function name({ numbers }: Named, template: string, isTaken: (placeholder: string) => boolean): string {
  for (let number = (numbers.get(template) ?? 0) + 1; ; number++) {
    const placeholder = template.replace(numberMark, String(number))
    if (isTaken(placeholder)) continue
    numbers.set(template, number)
    return placeholder
  }
}

function keep(
  shared: Shared,
  template: string,
  { placeholder, value: { text, isNumber } }: { placeholder: string; value: Value },
): void {
  const kept = keptOf(shared) ?? { templates: new Set(), values: new Map() }
  kept.templates.add(template)
  kept.values.set(placeholder, { text, isNumber })
  shared.set(keptName, kept)
}

/** Only this file writes this member. */
const keptOf = (shared: Shared) => shared.get(keptName) as Kept | undefined

/** Values that may be put back. */
export interface Restorable {
  /** The placeholders in a text, in order; the category is the placeholder. */
  find(text: string): Finding[]
  valueOf(placeholder: string): Omit<Value, 'isKept'> | undefined
}

/** Null if there are no values to put back. */
export function restorableOf(shared: Shared): Restorable | null {
  const kept = keptOf(shared)
  if (kept === undefined) return null
  return {
    find: (text) =>
      [...kept.templates]
        .flatMap((template) => findNumbered(template, text))
        .filter(({ category }) => kept.values.has(category))
        .sort((left, right) => left.start - right.start)
        .filter(({ start }, index, all) => index === 0 || start >= (all[index - 1]?.end ?? 0)),
    valueOf: (placeholder) => kept.values.get(placeholder),
  }
}

const mostDigits = 9

/** Finds texts that could be placeholders of a template. Empty if the template begins with the number. */
function findNumbered(template: string, text: string): Finding[] {
  const [head = '', tail = ''] = template.split(numberMark)
  const found: Finding[] = []
  if (head === '') return found
  for (let start = text.indexOf(head); start >= 0; start = text.indexOf(head, start + 1)) {
    let at = start + head.length
    while (isDigit(text.charCodeAt(at)) && at - start - head.length < mostDigits) at++
    const end = at + tail.length
    if (at > start + head.length && text.startsWith(tail, at))
      found.push({ category: text.slice(start, end), start, end })
  }
  return found
}

/** Texts that could be placeholders of a template. */
export const placeholdersIn = (template: string, text: string): string[] =>
  findNumbered(template, text).map(({ category }) => category)
