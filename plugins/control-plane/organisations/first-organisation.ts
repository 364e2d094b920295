/**
 * The first organisation and its default workspace: created by the first replica that finds the store without one.
 * Their ids are known before anything is stored: keys of the config file and the admin key belong to them from the
 * beginning.
 */

import { type DocumentDraft, isGatewayError, type Job, type ServiceContext } from '@gateway/contract'
import {
  defaultWorkspaceId,
  firstOrganisationId,
  kinds,
  type OrganisationData,
  slugKey,
  type WorkspaceData,
} from '@gateway/domain'
import { commitAsSystem } from '../engine/index.ts'
import { atOpening, noDefaults } from '../shared/index.ts'
import { workspaceNameKey } from '../workspaces/index.ts'

interface NewOrganisation {
  organisationId: string
  workspaceId: string
  name: string
  slug: string
  nowMs: number
}

/** An organisation with its default workspace. */
export function organisationDrafts(made: NewOrganisation): {
  organisation: DocumentDraft
  workspace: DocumentDraft
} {
  const { organisationId, workspaceId, name, slug, nowMs } = made
  const organisation: OrganisationData = {
    settings: {},
    auth_settings: {},
    defaults: noDefaults,
    default_workspace_id: workspaceId,
    input_guardrail_exclusions: [],
    output_guardrail_exclusions: [],
  }
  const workspace: WorkspaceData = {
    defaults: { ...noDefaults, user_api_key_config: null },
    settings: {},
    usage_limits: [],
    rate_limits: [],
    last_reset_at: null,
  }
  const draft = (kind: string, id: string, own: Pick<DocumentDraft, 'slug' | 'name' | 'keys' | 'data'>) => ({
    kind,
    id,
    organisation_id: organisationId,
    workspace_id: null,
    status: 'active',
    created_at: nowMs,
    last_updated_at: nowMs,
    attributes: {},
    ...own,
  })
  return {
    organisation: draft(kinds.organisation, organisationId, {
      slug,
      name,
      // The slug of an organisation is unique among all organisations.
      keys: [slugKey(organisationId, slug), slugKey('organisations', slug)],
      data: { ...organisation },
    }),
    workspace: {
      ...draft(kinds.workspace, workspaceId, {
        slug: 'default',
        name: 'Default',
        keys: [slugKey(organisationId, 'default'), workspaceNameKey(organisationId, 'Default')],
        data: { ...workspace, description: null, icon: null },
      }),
      attributes: { name: ['Default'] },
    },
  }
}

/** Creates what is missing. Several replicas may run this at the same time. */
async function openFirstOrganisation(context: ServiceContext<'documents' | 'now'>): Promise<void> {
  const { documents } = context
  const { organisation, workspace } = organisationDrafts({
    organisationId: firstOrganisationId,
    workspaceId: defaultWorkspaceId,
    name: 'Default organisation',
    slug: 'default',
    nowMs: context.now(),
  })
  for (const draft of [organisation, workspace]) {
    if ((await documents.get(draft.kind, draft.id)) !== null) continue
    try {
      await commitAsSystem(context, firstOrganisationId, {
        writes: [{ op: 'put', document: draft, expected: 0 }],
        note: {
          action: 'create',
          resource_type: draft.kind,
          resource_id: draft.id,
        },
      })
    } catch (error) {
      // Another replica was faster.
      const isThere =
        isGatewayError(error) && (error.code === 'precondition_failed' || error.code === 'conflict')
      if (!isThere || (await documents.get(draft.kind, draft.id)) === null) throw error
    }
  }
}

/** Creates what is missing now, or returns a job that does so as soon as the store is reachable. */
export const beginFirstOrganisation = (context: ServiceContext<'documents' | 'now'>): Promise<Job[]> =>
  atOpening('first-organisation', () => openFirstOrganisation(context))
