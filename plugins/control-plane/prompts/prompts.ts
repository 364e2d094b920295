/**
 * Prompts (management contract, section 14): versioned templates of requests. The document contains the latest version;
 * earlier versions are separate documents. GET shows the published version unless its path names another.
 */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import { kinds, type PromptContent, type PromptData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  defineResource,
  type Field,
  notFound,
  nullable,
  type Resource,
  unknownInBody,
  type Write,
} from '../engine/index.ts'
import { configsUsing } from '../shared/index.ts'
import { checkPromptText, partialReaderOf } from './check-templates.ts'
import { ensureDefault, findCollection } from './collections.ts'
import { isSameContent, takeContent, touchesVersion } from './content.ts'
import { instructions, versionFields } from './fields.ts'
import { createFindPartial } from './find-partial.ts'
import { labelIdByName } from './labels.ts'
import { promptVersions, suffixOf } from './prompt-data.ts'
import { promptRoutes } from './prompt-routes.ts'
import { publishIfAsked } from './publish.ts'
import { checkReferences } from './references.ts'
import { showLatest, shownNumber } from './shown-version.ts'
import { checkTestCases, testCases } from './test-cases.ts'
import { variablesOf } from './variables.ts'
import { checkVariablesSchema } from './variables-schema.ts'
import { labelsOn } from './version-row.ts'
import { addVersion, type FoundVersion, keepReachable, partialsOf, versionByNumber } from './versions.ts'

const reference = Type.String({ minLength: 1, maxLength: 255 })

/** Lists omit these fields. */
const optionalInAnswers = (fields: Readonly<Record<string, Field>>): Record<string, Field> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { ...field, answer: Type.Optional(field.answer ?? nullable(field.schema)) },
    ]),
  )

/** Reserved because paths below `/prompts` use these words. */
const reservedSlugs = ['partials', 'render']

export const prompts: Resource = defineResource<PromptData>({
  kind: kinds.prompt,
  object: 'prompt',
  title: 'prompt',
  tag: 'Prompts',
  operation: 'prompt',
  path: '/prompts',
  aliases: ['/prompts'],
  level: 'workspace',
  families: [{ family: 'prompts' }],
  slug: { prefix: 'pr-' },
  hasVersions: 'named',
  missingCode: 'unknown_prompt',
  fields: {
    collection_id: { schema: reference, answer: nullable(Type.String()) },
    test_cases: {
      schema: testCases,
      default: [],
      isNullable: true,
      answer: Type.Optional(nullable(testCases)),
    },
    ...optionalInAnswers(versionFields),
    ...instructions,
  },
  answers: {
    published_version: Type.Integer({ minimum: 1 }),
    latest_version: Type.Integer({ minimum: 1 }),
    version_id: Type.String({ description: 'The id of the created version, in the answer to the creation.' }),
    prompt_version: Type.Integer({ minimum: 1 }),
    prompt_version_id: Type.String(),
    prompt_version_status: Type.Union([Type.Literal('active'), Type.Literal('archived')]),
    prompt_version_description: nullable(Type.String()),
    labels: Type.Array(Type.String()),
    variables: Type.Array(Type.String()),
  },
  filters: {
    collection_id: {
      schema: reference,
      async apply(value, filter, call) {
        const workspaceId = call.request.query.workspace_id ?? call.identity.workspaceId
        const place = workspaceId === '' ? null : await call.workspace(workspaceId)
        const found = place === null ? null : await findCollection(call, value, place.id)
        filter.attributes = { ...filter.attributes, collection_id: [found?.id ?? value] }
      },
    },
  },
  hooks: {
    prepare,
    attributes: ({ data }) => ({
      collection_id: data.collection_id === null ? [] : [data.collection_id],
      partials: partialsOf(data),
    }),
    present: (document, call, view) =>
      view === 'list' ? Promise.resolve(listed(document)) : shown(document, call),
    inUse: promptUsers,
    after: ({ call, action }, { id }) => {
      if (action !== 'archive') showLatest(call, id)
    },
  },
  routes: promptRoutes(() => prompts),
})

async function prepare(write: Write<PromptData>): Promise<void> {
  const { draft, before, action } = write
  if (action === 'archive') return
  if (draft.slug !== null && reservedSlugs.includes(draft.slug))
    write.fault('/slug', `"${draft.slug}" is reserved`)
  checkTestCases(write)
  await takeCollection(write)
  if (before === null || touchesVersion(write)) await takeVersion(write)
  await publishIfAsked(write)
  const { data } = draft
  if (data.published_version === data.latest_version) data.published_model = data.model
  const labelled = Object.values(data.labels ?? {})
  data.used_partials = keepReachable(data.used_partials ?? {}, [
    data.latest_version,
    data.published_version,
    ...labelled,
  ])
}

async function takeCollection({ draft, before, call, isGiven }: Write<PromptData>): Promise<void> {
  const workspaceId = draft.workspace_id ?? ''
  const named = draft.data.collection_id
  if (named === null) {
    draft.data.collection_id = await ensureDefault(call, workspaceId)
  } else if (before === null || isGiven('collection_id')) {
    const found = await findCollection(call, named, workspaceId)
    if (found === null) {
      const reference = { kind: kinds.collection, written: named, workspaceId }
      throw await unknownInBody(call, '/collection_id', reference)
    }
    draft.data.collection_id = found.id
  }
}

async function takeVersion(write: Write<PromptData>): Promise<void> {
  const { draft, before, call } = write
  const { data } = draft
  let isFaulty = false
  const noting: Write<PromptData> = {
    ...write,
    fault: (...fault) => {
      isFaulty = true
      write.fault(...fault)
    },
  }
  takeContent(noting)
  if (isFaulty) return
  if (before !== null && isSameContent(before.data, data)) {
    data.version_description = before.data.version_description
    return
  }
  checkVariablesSchema(noting)
  await checkReferences(noting)
  const find = createFindPartial(partialReaderOf(call, draft.workspace_id))
  const used = await checkPromptText(data, find, noting.fault)
  if (used === null || isFaulty) return
  const version = addVersion(promptVersions, write)
  data.used_partials = { ...before?.data.used_partials, [version]: used }
  data.labels = before?.data.labels ?? {}
  data.published_version = before?.data.published_version ?? version
  data.published_model = before?.data.published_model ?? data.model
  if (before === null) write.shown.version_id = data.version_id
}

const listed = ({ data }: StoredDocument<PromptData>): JsonObject => ({
  ...Object.fromEntries(Object.keys(versionFields).map((name) => [name, undefined])),
  test_cases: undefined,
  model: data.published_model,
  published_version: data.published_version,
  latest_version: data.latest_version,
})

async function shown(document: StoredDocument<PromptData>, call: Call): Promise<JsonObject> {
  const { data, organisation_id: organisationId, workspace_id } = document
  const workspaceId = workspace_id ?? call.identity.workspaceId
  const suffix = suffixOf(call.request.params.id ?? '')
  const findLabel = (name: string) =>
    labelIdByName(call, { organisationId: organisationId ?? '', workspaceId }, name)
  const number = await shownNumber(document, suffix, { call, findLabel })
  const found = number === null ? null : await versionAt(document, number, call)
  if (found === null) throw notFound('path/id', 'version of this prompt', 'unknown_prompt')
  const { content } = found
  return {
    ...content,
    test_cases: data.test_cases ?? [],
    published_version: data.published_version,
    latest_version: data.latest_version,
    prompt_version: found.number,
    prompt_version_id: found.id,
    prompt_version_status: found.number === data.published_version ? 'active' : 'archived',
    prompt_version_description: content.version_description,
    labels: await labelsOn(document, found.number, call),
    variables: await variablesOf(content, partialReaderOf(call, workspaceId)),
  }
}

/** The document itself contains the latest version. */
async function versionAt(
  document: StoredDocument<PromptData>,
  number: number,
  call: Call,
): Promise<Pick<FoundVersion<PromptContent>, 'number' | 'id' | 'content'> | null> {
  const { data } = document
  return number === data.latest_version
    ? { number, id: data.version_id, content: promptVersions.contentOf(data) }
    : versionByNumber(promptVersions, call, { document, number })
}

/** Configs that run it, including those of the config file. */
function promptUsers(
  { id, slug, workspace_id: workspaceId }: StoredDocument<PromptData>,
  call: Call,
): Promise<string[]> {
  return configsUsing(call, { as: 'prompts', names: slug === null ? [id] : [id, slug], workspaceId })
}
