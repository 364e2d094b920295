/** Applies unsaved changes of a form to a newer version of its object that another user saved in the meantime. */
import type { Texts } from './field-text.ts'

/** The names of the fields whose text differs. */
export const changedFields = (from: Texts, to: Texts): string[] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => from[name] !== to[name])

interface Versions {
  /** The values that the form started with. */
  base: Texts
  mine: Texts
  theirs: Texts
}

/** Returns the newer version with the changed fields of `mine`. */
export const rebaseTexts = ({ base, mine, theirs }: Versions): Texts => ({
  ...theirs,
  ...Object.fromEntries(changedFields(base, mine).map((name) => [name, mine[name] ?? ''])),
})
