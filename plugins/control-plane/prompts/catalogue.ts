/**
 * The prompts that requests run: found by reference, parsed once, and cached until a prompt changes. Errors: 404
 * `unknown_prompt`, 400 `invalid_template` for a partial that no longer exists, `store_unavailable`.
 */
import { GatewayError, type Identity, type ServiceContext, type StoredDocument } from '@gateway/contract'
import {
  guessOf,
  isOfKind,
  kinds,
  type PromptContent,
  type PromptData,
  type PromptKind,
  type PromptText,
  parsePromptText,
  promptKindOf,
  slugKey,
  splitReference,
  type Template,
  templatesOf,
  typedDocuments,
  unknownName,
} from '@gateway/domain'
import { compileSchema, type Fits } from '@gateway/plugin-kit/json-schema'
import { isFileDocument, isId } from '../engine/index.ts'
import { createFindPartial, type PartialReader } from './find-partial.ts'
import { knownLabels, labelIdByName } from './labels.ts'
import { partialVersions } from './partial-data.ts'
import { numberOf, promptVersions } from './prompt-data.ts'
import { readVersion } from './read-version.ts'
import { loadPartials, PartialError } from './templates/partials.ts'

type Place = Pick<Identity, 'organisationId' | 'workspaceId'>

/** The text of a version with all partials that it includes. */
export interface Renderable {
  kind: PromptKind
  text: PromptText
  partials: ReadonlyMap<string, Template>
}

export interface RunnablePrompt extends Renderable {
  id: string
  slug: string
  version: number
  content: PromptContent
  /** Null if any variables are allowed. */
  fits: Fits | null
}

export interface Catalogue {
  /** @param reference id or slug, with or without `@published`, `@latest`, `@N` or `@LABEL` */
  find(reference: string, place: Place): Promise<RunnablePrompt>
  /** Prepares a text that is not saved. */
  prepare(
    content: Pick<PromptContent, 'string' | 'is_raw_template' | 'template_metadata'>,
    place: Place,
  ): Promise<Renderable>
}

/** When the cache has more entries than this, it is emptied. */
const maxKept = 5000
const maxProposed = 100

const kindsOfPrompts: ReadonlySet<string> = new Set([kinds.prompt, kinds.promptPartial, kinds.promptLabel])

const catalogues = new WeakMap<object, Catalogue>()

/** One catalogue per gateway. */
export function catalogueOf(context: ServiceContext<'documents' | 'fileDocuments' | 'stopping'>): Catalogue {
  const known = catalogues.get(context)
  if (known !== undefined) return known
  const made = createCatalogue(context)
  catalogues.set(context, made)
  return made
}

function createCatalogue(context: ServiceContext<'documents' | 'fileDocuments' | 'stopping'>): Catalogue {
  const documents = typedDocuments(context.documents)
  let kept = new Map<string, RunnablePrompt>()
  let declared = context.fileDocuments()
  const unwatch = documents.watch((changes) => {
    if (changes.length === 0 || changes.some(({ kind }) => kindsOfPrompts.has(kind))) kept = new Map()
  })
  context.stopping.addEventListener('abort', unwatch, { once: true })

  const declaredBySlug = <Kind extends string>(kind: Kind, { organisationId }: Place, name: string) =>
    context
      .fileDocuments()
      .filter((document) => isOfKind(document, kind))
      .find(
        (document) =>
          document.organisation_id === organisationId && (document.slug === name || document.id === name),
      ) ?? null

  async function findDocument<Kind extends string>(kind: Kind, place: Place, name: string) {
    const inFile = declaredBySlug(kind, place, name)
    if (inFile !== null) return inFile
    const found = isId(name)
      ? await documents.get(kind, name)
      : await documents.findByKey(kind, slugKey(place.workspaceId, name))
    const isHere = found?.workspace_id === place.workspaceId && found.status === 'active'
    return isHere ? found : null
  }

  const partialReader = (place: Place): PartialReader => ({
    partial: (slug) => findDocument(kinds.promptPartial, place, slug),
    version: (document, number) => readVersion(documents, partialVersions, { document, number }),
  })

  async function prepare(
    content: Pick<PromptContent, 'string' | 'is_raw_template' | 'template_metadata'>,
    place: Place,
  ): Promise<Renderable> {
    const kind = promptKindOf(content)
    const text = parsePromptText(content.string, kind)
    try {
      const find = createFindPartial(partialReader(place))
      return { kind, text, partials: (await loadPartials(templatesOf(text), find)).templates }
    } catch (error) {
      if (!(error instanceof PartialError)) throw error
      throw new GatewayError('invalid_template', `${error.message}.`)
    }
  }

  /** Slugs that a message may suggest: those of the config file and the newest ones of the store. */
  async function slugsOf({ organisationId, workspaceId }: Place): Promise<string[]> {
    const inFile = context
      .fileDocuments()
      .filter((document) => isOfKind(document, kinds.prompt) && document.organisation_id === organisationId)
    const filter = { workspace_ids: [workspaceId], statuses: ['active'] }
    const order = { sort: 'created_at', order: 'desc' } as const
    const stored = await documents.list(kinds.prompt, filter, { ...order, offset: 0, limit: maxProposed })
    return [...inFile, ...stored.documents].flatMap(({ slug }) => slug ?? [])
  }

  async function load(reference: string, place: Place): Promise<RunnablePrompt> {
    const { name, version: suffix } = splitReference(reference)
    const document = await findDocument(kinds.prompt, place, name)
    if (document === null) throw unknownPrompt(reference, await slugsOf(place))
    const findLabel = (label: string) => labelIdByName({ documents }, place, label)
    const number = await numberOf(document.data, suffix, findLabel)
    const content = number === null ? null : await contentOf(document, number)
    if (number === null || content === null) {
      const labels = await knownLabels({ documents }, place.workspaceId)
      throw unknownVersion(reference, [...namedVersions, ...labels])
    }
    return {
      ...(await prepare(content, place)),
      id: document.id,
      slug: document.slug ?? document.id,
      version: number,
      content,
      fits: content.variables_schema === null ? null : compileSchema(content.variables_schema),
    }
  }

  async function contentOf(document: StoredDocument<PromptData>, number: number) {
    if (isFileDocument(document) || number === document.data.latest_version) return document.data
    return readVersion(documents, promptVersions, { document, number })
  }

  return {
    prepare,
    async find(reference, place) {
      if (context.fileDocuments() !== declared) {
        declared = context.fileDocuments()
        kept = new Map()
      }
      const key = `${place.workspaceId}/${reference}`
      const known = kept.get(key)
      if (known !== undefined) return known
      // A change during the read replaces the map, so this read is not cached.
      const into = kept
      const found = await load(reference, place)
      if (into.size >= maxKept) into.clear()
      into.set(key, found)
      return found
    },
  }
}

const unknownPrompt = (written: string, known: readonly string[]) =>
  new GatewayError('unknown_prompt', unknownName({ what: 'prompt', written, known }), { param: 'path/id' })

const namedVersions = ['latest', 'published']

function unknownVersion(reference: string, known: readonly string[]): GatewayError {
  const { name, version } = splitReference(reference)
  const guess = guessOf(version, known)
  const message = `The prompt "${name.slice(0, 100)}" has no version "${reference.slice(0, 100)}": use @latest, @published, a version number or a label${guess === '' ? '.' : guess}`
  return new GatewayError('unknown_prompt', message, { param: 'path/id' })
}
