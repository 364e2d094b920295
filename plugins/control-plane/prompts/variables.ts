/** Names that a version's templates and their partials use. */
import { type PromptContent, parsePromptText, promptKindOf, templatesOf, variablesIn } from '@gateway/domain'
import { createFindPartial, type PartialReader } from './find-partial.ts'
import { loadPartials, PartialError } from './templates/partials.ts'

export async function variablesOf(content: PromptContent, reader: PartialReader): Promise<string[]> {
  const templates = templatesOf(parsePromptText(content.string, promptKindOf(content)))
  try {
    const { templates: included } = await loadPartials(templates, createFindPartial(reader))
    return variablesIn([...templates, ...included.values()])
  } catch (error) {
    // A partial has been deleted since. Requests that run the version get an error for it.
    if (error instanceof PartialError) return variablesIn(templates)
    throw error
  }
}
