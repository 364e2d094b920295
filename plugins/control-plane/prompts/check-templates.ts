/**
 * Validates the templates of a version before it is saved: their syntax, and the partials that they include. Errors are
 * `invalid_template` at `/string`, with line and column.
 */
import type { StoredDocument } from '@gateway/contract'
import {
  kinds,
  type PromptContent,
  type PromptPartialData,
  PromptTextError,
  parsePartialText,
  parsePromptText,
  partialFault,
  partialsIn,
  promptKindOf,
  refuseVerbatim,
  splitReference,
  type Template,
  TemplateError,
  templatesOf,
} from '@gateway/domain'
import { type Call, isFileDocument, unknownReference, type Write } from '../engine/index.ts'
import { createFindPartial, type NextPartial, type PartialReader } from './find-partial.ts'
import { partialVersions } from './partial-data.ts'
import { type FindPartial, loadPartials, PartialError } from './templates/partials.ts'
import { versionByNumber } from './versions.ts'

type Fault = Write['fault']

/** Partials that a call of the management API can see. */
export function partialReaderOf(call: Call, workspaceId: string | null): PartialReader {
  return {
    partial: (slug) => call.find(kinds.promptPartial, slug, workspaceId ?? call.organisationId),
    describeUnknown: (written) => unknownReference(call, { kind: kinds.promptPartial, written, workspaceId }),
    async version(document, number) {
      return (await versionByNumber(partialVersions, call, { document, number }))?.content ?? null
    },
  }
}

/** Slugs of the partials that the templates include directly. Null if there is an error. */
export async function checkPromptText(
  content: Pick<PromptContent, 'string' | 'is_raw_template' | 'template_metadata'>,
  find: FindPartial,
  fault: Fault,
): Promise<string[] | null> {
  return noting(fault, async () => {
    const kind = promptKindOf(content)
    const templates = templatesOf(parsePromptText(content.string, kind))
    const loaded = await load(templates, find)
    if (!kind.isRaw) refuseVerbatimIn(loaded, templates)
    return slugsIn(templates)
  })
}

interface CheckPartialTextOptions {
  document: Pick<StoredDocument, 'slug' | 'workspace_id'>
  fault: Fault
}

/** The same for a partial, which others may include: the total depth is at most 10. */
export async function checkPartialText(
  text: string,
  call: Call,
  { document, fault }: CheckPartialTextOptions,
): Promise<string[] | null> {
  return noting(fault, async () => {
    const template = parsePartialText(text)
    const next: NextPartial = { slug: document.slug, template }
    const find = createFindPartial(partialReaderOf(call, document.workspace_id), next)
    const above =
      document.slug === null
        ? 0
        : await levelsAbove(call, document.slug, { workspaceId: document.workspace_id })
    // The partial itself is one level.
    await load([template], find, above + 1)
    return slugsIn([template])
  })
}

async function load(templates: readonly Template[], find: FindPartial, above = 0) {
  try {
    return (await loadPartials(templates, find, above)).templates
  } catch (error) {
    if (!(error instanceof PartialError)) throw error
    throw partialFault(templates, error.root, error.message) ?? error
  }
}

function refuseVerbatimIn(partials: ReadonlyMap<string, Template>, templates: readonly Template[]): void {
  for (const [reference, template] of partials) {
    try {
      refuseVerbatim(template)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      const reason = `${error.reason}, in the partial "${reference}"`
      throw partialFault(templates, reference, reason) ?? error
    }
  }
}

interface LevelsAboveOptions {
  workspaceId: string | null
  seen?: ReadonlySet<string>
}

/** The largest number of partials above this one in any chain of inclusions. */
async function levelsAbove(
  call: Call,
  slug: string,
  { workspaceId, seen = new Set() }: LevelsAboveOptions,
): Promise<number> {
  // A cycle is reported for the partial that closes it.
  if (seen.has(slug) || seen.size > 10) return 0
  const includers = await partialsThatInclude(call, slug, workspaceId)
  let levels = 0
  for (const { slug: above } of includers) {
    if (above === null) continue
    levels = Math.max(
      levels,
      1 + (await levelsAbove(call, above, { workspaceId, seen: new Set([...seen, slug]) })),
    )
  }
  return levels
}

async function partialsThatInclude(
  call: Call,
  slug: string,
  workspaceId: string | null,
): Promise<StoredDocument<PromptPartialData>[]> {
  if (workspaceId === null) return []
  const { documents } = await call.documents.list(
    kinds.promptPartial,
    { workspace_ids: [workspaceId], statuses: ['active'], attributes: { partials: [slug] } },
    { offset: 0, limit: 1000 },
  )
  return documents.filter((document) => !isFileDocument(document))
}

const slugsIn = (templates: readonly Template[]): string[] => [
  ...new Set(partialsIn(templates).map((reference) => splitReference(reference).name)),
]

async function noting(fault: Fault, check: () => Promise<string[]>): Promise<string[] | null> {
  try {
    return await check()
  } catch (error) {
    const isFault =
      error instanceof TemplateError || error instanceof PromptTextError || error instanceof PartialError
    if (!isFault) throw error
    fault('/string', error.message, 'invalid_template')
    return null
  }
}
