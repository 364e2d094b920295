/** Additional routes of partials. */

import { type Fault, faultsError } from '@gateway/contract'
import type { PromptPartialContent, PromptPartialData } from '@gateway/domain'
import { parsePartialText, partialsIn, splitReference } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type ExtraRoute, nullable, type Resource, timestamp, toIso } from '../engine/index.ts'
import { checkPartialText } from './check-templates.ts'
import { partialVersions } from './partial-data.ts'
import { versionRoutes } from './version-routes.ts'

const row = Type.Object(
  {
    object: Type.Literal('prompt-partial-version'),
    version: Type.Integer({ minimum: 1 }),
    prompt_partial_version_id: Type.String(),
    status: Type.Union([Type.Literal('active'), Type.Literal('archived')]),
    string: Type.String(),
    version_description: nullable(Type.String()),
    updated_by: nullable(Type.String()),
    created_at: timestamp,
  },
  { title: 'PromptPartialVersion' },
)

/** @param resource the partial resource, once it is declared */
export const partialRoutes = (resource: () => Resource): ExtraRoute<PromptPartialData>[] =>
  versionRoutes<PromptPartialContent, PromptPartialData>({
    resource,
    versions: partialVersions,
    operation: 'promptPartial',
    row,
    presentRows: async ({ data }, found) =>
      found.map(({ number, id, content, created_at, updated_by }) => ({
        object: 'prompt-partial-version',
        version: number,
        prompt_partial_version_id: id,
        status: number === data.published_version ? 'active' : 'archived',
        ...content,
        updated_by,
        created_at: toIso(created_at),
      })),
    /**
     * Publishing may close a cycle that did not exist when the version was saved, because other partials were published
     * since.
     */
    async published({ data, slug, workspace_id }, { number, content }, call) {
      const faults: Fault[] = []
      await checkPartialText(content.string, call, {
        document: { slug, workspace_id },
        fault: (param, message, code) => {
          faults.push({
            param: param === '/string' ? '/version' : param,
            message,
            code: code ?? 'invalid_template',
          })
        },
      })
      if (faults.length > 0) throw faultsError(faults)
      const used = partialsIn([parsePartialText(content.string)]).map((name) => splitReference(name).name)
      return { used_partials: { ...data.used_partials, [number]: [...new Set(used)] } }
    },
    labelled: () => [],
  })
