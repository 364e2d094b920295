/**
 * Substitutes environment variables in texts: `${NAME}` and `${NAME:-default}`, as in a shell; `$${` is a plain `${`.
 * It works on parsed strings, so a value cannot inject structure.
 */
import { ownMember } from '@gateway/contract'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Substitution {
  text: string
  /** Whether the text consisted of one variable only. */
  whole: boolean
  /** Variables that are not set and have no default. */
  missing: string[]
  /** Whether some `${` is neither a variable nor escaped. */
  malformed: boolean
}

const variable = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(:-)([^}]*))?\}|\$\{/g

/** Substitutes the variables of `environment` in a text; missing ones are left as written. */
export function substitute(text: string, environment: Environment): Substitution {
  const missing: string[] = []
  let malformed = false
  let whole = false
  const replaced = text.replace(
    variable,
    (written, name: string | undefined, separator: string | undefined, fallback: string | undefined) => {
      if (written === '$${') return '${'
      if (name === undefined) {
        malformed = true
        return written
      }
      whole = written === text
      const value = ownMember(environment, name)
      // As in a shell, `:-` also replaces an empty value.
      if (separator !== undefined) return value === undefined || value === '' ? (fallback ?? '') : value
      if (value !== undefined) return value
      missing.push(name)
      return written
    },
  )
  return { text: replaced, whole, missing, malformed }
}

/** The number or boolean that a substituted text represents, for schemas that require one; undefined otherwise. */
export function convert(text: string, wanted: readonly string[]): number | boolean | undefined {
  if (wanted.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (!wanted.includes('number') && !wanted.includes('integer')) return undefined
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
}
