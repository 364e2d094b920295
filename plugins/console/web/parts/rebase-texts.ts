/** Unsaved changes of a form, and the newer version of its object that someone else saved in the meantime. */
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

/** The newer version with the fields of `mine` that were changed. */
export const rebaseTexts = ({ base, mine, theirs }: Versions): Texts => ({
  ...theirs,
  ...Object.fromEntries(changedFields(base, mine).map((name) => [name, mine[name] ?? ''])),
})
