/** Additional routes of prompts: versions, their labels, publishing. */
import { type Fault, faultsError, type StoredDocument } from '@gateway/contract'
import {
  type PromptContent,
  type PromptData,
  parsePromptText,
  partialsIn,
  promptKindOf,
  splitReference,
  templatesOf,
  unknownName,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, type ExtraRoute, isId, type Resource, refuseDeclared, writerOf } from '../engine/index.ts'
import { guardedLabel, knownLabels, labelIdByName, labelNames } from './labels.ts'
import { promptVersions } from './prompt-data.ts'
import { requirePublish } from './publish.ts'
import { requireVersion, saveData, versionRoutes } from './version-routes.ts'
import { presentVersions, versionRow } from './version-row.ts'
import { keepReachable } from './versions.ts'

const labelName = Type.String({ minLength: 1, maxLength: 255 })

/** @param resource the prompt resource, once it is declared */
export const promptRoutes = (resource: () => Resource): ExtraRoute<PromptData>[] => [
  ...versionRoutes<PromptContent, PromptData>({
    resource,
    versions: promptVersions,
    operation: 'prompt',
    row: versionRow,
    presentRows: presentVersions,
    published: async ({ data }, { number, content }) => ({
      published_model: content.model,
      used_partials: { ...data.used_partials, [number]: slugsIn(content) },
    }),
    labelled: ({ labels }) => Object.values(labels),
  }),
  {
    method: 'PUT',
    path: '/:id/versions/:versionId',
    operationId: 'promptVersionUpdate',
    summary: 'Moves labels to a version',
    action: 'update',
    auditAction: 'label',
    isBodyOptional: false,
    body: Type.Object(
      {
        label_id: Type.Optional(labelName),
        labels: Type.Optional(Type.Array(labelName, { maxItems: 100, uniqueItems: true })),
      },
      { additionalProperties: false, minProperties: 1, explain: 'must have label_id or labels' },
    ),
    answer: versionRow,
    async handle(call, document) {
      const found = await requireVersion({ resource, versions: promptVersions }, call, document)
      refuseDeclared(resource(), call, document as StoredDocument)
      const labels = await movedLabels(call, document, found.number)
      const data: PromptData = {
        ...document.data,
        labels,
        used_partials: keepReachable(
          { ...document.data.used_partials, [found.number]: slugsIn(found.content) },
          [document.data.latest_version, document.data.published_version, ...Object.values(labels)],
        ),
      }
      Object.assign(data, { updated_by: writerOf(call) })
      const stored = await saveData(call, resource(), { document, data, action: 'label' })
      // The stored document has this data.
      const [row] = await presentVersions(stored as StoredDocument<PromptData>, [found], call)
      return row ?? {}
    },
  },
]

/** The labels of all versions after the named ones are moved to this version. */
async function movedLabels(
  call: Call,
  document: StoredDocument<PromptData>,
  number: number,
): Promise<PromptData['labels']> {
  // The body has passed the route's schema.
  const { label_id: one, labels: list } = call.body as { label_id?: string; labels?: string[] }
  const faults: Fault[] = []
  const named: [param: string, name: string][] = [
    ...(one === undefined ? [] : [['/label_id', one] as [string, string]]),
    ...(list ?? []).map((name, index): [string, string] => [`/labels/${index}`, name]),
  ]
  const ids: string[] = []
  for (const [param, name] of named) {
    const id = await findLabel(call, document, name)
    if (id === null) {
      const known = await knownLabels(call, document.workspace_id)
      faults.push({
        param,
        code: 'invalid_body',
        message: unknownName({ what: 'label', written: name, known }),
      })
    } else ids.push(id)
  }
  if (faults.length > 0) throw faultsError(faults)
  const before = document.data.labels
  // A list is complete: labels that it omits are removed from the version.
  const kept = Object.entries(before).filter(([, on]) => list === undefined || on !== number)
  const after = { ...Object.fromEntries(kept), ...Object.fromEntries(ids.map((id) => [id, number])) }
  const guarded = await findLabel(call, document, guardedLabel)
  if (guarded !== null && before[guarded] !== after[guarded])
    await requirePublish(call, document.workspace_id)
  return after
}

async function findLabel(
  call: Call,
  { organisation_id, workspace_id }: StoredDocument<PromptData>,
  nameOrId: string,
): Promise<string | null> {
  if (!isId(nameOrId)) {
    const place = { organisationId: organisation_id ?? '', workspaceId: workspace_id ?? '' }
    return labelIdByName(call, place, nameOrId)
  }
  const label = await call.documents.get('prompt_label', nameOrId)
  const isHere = label !== null && label.status === 'active' && label.workspace_id === workspace_id
  return isHere || (label === null && (await labelNames(call, [])).has(nameOrId)) ? nameOrId : null
}

/** Slugs of the partials in a version, which was validated when it was saved. */
const slugsIn = (content: PromptContent): string[] => [
  ...new Set(
    partialsIn(templatesOf(parsePromptText(content.string, promptKindOf(content)))).map(
      (reference) => splitReference(reference).name,
    ),
  ),
]
