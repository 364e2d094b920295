/** Partials (management contract, section 14): texts that templates include, versioned like prompts. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import { kinds, type PromptPartialContent, type PromptPartialData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, defineResource, notFound, type Resource, type Write } from '../engine/index.ts'
import { findUsers } from '../shared/index.ts'
import { checkPartialText } from './check-templates.ts'
import { partialVersions } from './partial-data.ts'
import { partialRoutes } from './partial-routes.ts'
import { suffixOf } from './prompt-data.ts'
import { publishIfAsked } from './publish.ts'
import { showLatest, shownNumber } from './shown-version.ts'
import { addVersion, keepReachable, partialsOf, versionByNumber } from './versions.ts'

export const partials: Resource = defineResource<PromptPartialData>({
  kind: kinds.promptPartial,
  object: 'prompt-partial',
  title: 'partial',
  tag: 'Prompts',
  operation: 'promptPartial',
  path: '/prompts/partials',
  aliases: ['/prompts/partials'],
  level: 'workspace',
  families: [{ family: 'prompts' }],
  slug: { prefix: 'pt-' },
  hasVersions: 'named',
  fields: {
    string: {
      schema: Type.String({ minLength: 1, trim: false }),
      isRequired: true,
      answer: Type.Optional(Type.String()),
    },
    version_description: { schema: Type.String({ maxLength: 1024 }) },
    patch: { schema: Type.Boolean(), isTransient: true, writable: 'update' },
    publish: { schema: Type.Boolean(), isTransient: true, writable: 'update' },
  },
  answers: {
    version: Type.Integer({ minimum: 1 }),
    prompt_partial_version_id: Type.String(),
    published_version: Type.Integer({ minimum: 1 }),
    latest_version: Type.Integer({ minimum: 1 }),
  },
  hooks: {
    prepare,
    attributes: ({ data }) => ({ partials: partialsOf(data) }),
    present: async (document, call, view) => ({
      ...(view === 'list' ? listed(document) : await shown(document, call)),
      published_version: document.data.published_version,
      latest_version: document.data.latest_version,
    }),
    inUse: partialUsers,
    after: ({ call, action }, { id }) => {
      if (action !== 'archive') showLatest(call, id)
    },
  },
  routes: partialRoutes(() => partials),
})

async function prepare(write: Write<PromptPartialData>): Promise<void> {
  const { draft, before, body, action } = write
  if (action === 'archive') return
  const { data } = draft
  if (before === null || touches(write)) {
    if (before !== null && body.patch !== true) fallToDefaults(write)
    const isSame = before !== null && before.data.string === data.string
    if (isSame) {
      data.version_description = before.data.version_description
    } else {
      const used = await checkPartialText(data.string, write.call, { document: draft, fault: write.fault })
      if (used === null) return
      const version = addVersion(partialVersions, write)
      data.used_partials = { ...before?.data.used_partials, [version]: used }
      data.published_version = before?.data.published_version ?? version
    }
  }
  await publishIfAsked(write)
  data.used_partials = keepReachable(data.used_partials, [data.latest_version, data.published_version])
}

const touches = ({ isGiven }: Write<PromptPartialData>) => isGiven('string') || isGiven('version_description')

function fallToDefaults({ draft, isGiven, fault }: Write<PromptPartialData>): void {
  if (!isGiven('string')) fault('/string', 'is required unless patch is true')
  if (!isGiven('version_description')) draft.data.version_description = null
}

const listed = ({ data }: StoredDocument<PromptPartialData>): JsonObject => ({
  string: undefined,
  version_description: undefined,
  version: data.published_version,
})

/** The version in the path, otherwise the published one. After a write: the latest. */
async function shown(document: StoredDocument<PromptPartialData>, call: Call): Promise<JsonObject> {
  const { data } = document
  const suffix = suffixOf(call.request.params.id ?? '')
  const number = await shownNumber(document, suffix, { call, findLabel: async () => null })
  const found = number === null ? null : await contentAt(document, number, call)
  if (found === null) throw notFound('path/id', 'version of this partial')
  return {
    ...found.content,
    version: found.number,
    prompt_partial_version_id: found.number === data.latest_version ? data.version_id : found.id,
  }
}

/** The document itself contains the latest version. */
async function contentAt(
  document: StoredDocument<PromptPartialData>,
  number: number,
  call: Call,
): Promise<{ number: number; id: string; content: PromptPartialContent } | null> {
  const { data } = document
  if (number !== data.latest_version) return versionByNumber(partialVersions, call, { document, number })
  return { number, id: data.version_id, content: partialVersions.contentOf(data) }
}

/** Prompts and partials that include it in a version reachable without its number. */
async function partialUsers(
  { slug, workspace_id: workspaceId }: StoredDocument<PromptPartialData>,
  call: Call,
): Promise<string[]> {
  if (slug === null || workspaceId === null) return []
  const search = (kind: string, title: string) =>
    findUsers(call, {
      kind,
      title,
      filter: { workspace_ids: [workspaceId], attributes: { partials: [slug] } },
      uses: (user) => user.slug !== slug || user.kind !== kinds.promptPartial,
    })
  return [...(await search(kinds.prompt, 'prompt')), ...(await search(kinds.promptPartial, 'partial'))]
}
