/** Model names: as rules list them, and as requests write them. */
import type { Json } from '@gateway/contract'

/** What the lists of models understand, for descriptions. */
export const modelListSyntax =
  'compared letter for letter. A * at the end stands for any rest: "gpt-4o*". A model written ' +
  '"@slug/model" is on the list when the list has it so, or has its name without the slug.'

/** Makes the test whether a request's model is on a list. */
export function createModelList(models: readonly string[]): (model: Json | undefined) => boolean {
  const names = new Set(models.filter((model) => !model.endsWith('*')))
  const prefixes = models.filter((model) => model.endsWith('*')).map((model) => model.slice(0, -1))
  return (model) =>
    spellings(model).some((name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix)))
}

/** A model's name as it is written, and without the slug of a stored credential. */
export function spellings(model: Json | undefined): string[] {
  if (typeof model !== 'string') return []
  const slash = model.indexOf('/')
  return model.startsWith('@') && slash > 0 ? [model, model.slice(slash + 1)] : [model]
}
