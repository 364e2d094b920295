/** Model names: in lists of rules, and in requests. */
import type { Json } from '@gateway/contract'

/** The syntax of model lists, for descriptions. */
export const modelListSyntax =
  'compared case-sensitively. A * at the end matches any rest: "gpt-4o*". A model of the form ' +
  '"@slug/model" matches if the list contains it in this form, or its name without the slug.'

/** Makes the function that tells whether a request's model is on a list. */
export function createModelList(models: readonly string[]): (model: Json | undefined) => boolean {
  const names = new Set(models.filter((model) => !model.endsWith('*')))
  const prefixes = models.filter((model) => model.endsWith('*')).map((model) => model.slice(0, -1))
  return (model) =>
    spellings(model).some((name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix)))
}

/** A model's name as sent, and without the slug of a stored credential. */
export function spellings(model: Json | undefined): string[] {
  if (typeof model !== 'string') return []
  const slash = model.indexOf('/')
  return model.startsWith('@') && slash > 0 ? [model, model.slice(slash + 1)] : [model]
}
