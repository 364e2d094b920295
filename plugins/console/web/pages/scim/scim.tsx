/** SCIM: the tokens of identity providers, and the mapping of their groups to workspace roles. */

import { useState } from 'preact/hooks'
import { call, urlOf } from '../../api.ts'
import type { Answer, Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatMinute, formatNumber, textOf } from '../../parts/cells.tsx'
import { type Changeable, useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { bodyOf, initialTexts } from '../../parts/field-text.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { faultsOf, ObjectFields, WorkspaceField } from '../../parts/object-form.tsx'
import { Page } from '../../parts/page.tsx'
import { Search } from '../../parts/search.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Table } from '../../parts/table.tsx'
import { workspaceRoles } from '../../parts/workspace-roles.ts'
import { useQuery } from '../../query.tsx'
import type { FieldSpec } from '../../resources/declare.ts'
import { useFilters, useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'

type Token = Item<'/v1/scim/tokens'>
type Group = Item<'/v1/scim/groups'>
type GroupList = Answer<'get', '/v1/scim/groups'>
type Mapping = Group['mappings'][number]

const most = 100
const scopes = ['scim_mappings.list']

export function ScimPage() {
  const may = useMay()
  const tokens = useQuery(may(scopes) ? urlOf('/v1/scim/tokens', { query: { page_size: most } }) : null)
  const [query] = useFilters()
  const groups = useQuery(
    may(scopes)
      ? urlOf('/v1/scim/groups', { query: { search: query.get('search'), page_size: most } })
      : null,
  )
  return (
    <Page
      title="SCIM"
      isBusy={(tokens.isBusy && tokens.data === null) || (groups.isBusy && groups.data === null)}
      error={tokens.error ?? groups.error}
      onRetry={() => {
        tokens.reload()
        groups.reload()
      }}
      scopes={scopes}
    >
      <p class="about">
        An identity provider creates and removes people here, and its groups give them roles in workspaces.
        Its base URL is <code>{`${location.origin}/v1/scim/v2`}</code>
      </p>
      {tokens.data === null && tokens.isBusy && <Skeleton />}
      {tokens.data !== null && <Tokens tokens={tokens} rows={tokens.data.data} />}
      {groups.data !== null && <Groups groups={groups} rows={groups.data.data} total={groups.data.total} />}
    </Page>
  )
}

interface TokensProps {
  tokens: Changeable<Answer<'get', '/v1/scim/tokens'>>
  rows: readonly Token[]
}

function Tokens({ tokens, rows }: TokensProps) {
  const may = useMay()
  const { error, change } = useChange(tokens)
  const [asked, setAsked] = useState<Token | null>(null)
  const creation = useOpened('create')
  return (
    <section>
      <div class="head">
        <h2>Tokens</h2>
        {may(['scim_mappings.create']) && (
          <button type="button" class="primary" onClick={() => creation.open()}>
            Create token
          </button>
        )}
      </div>
      {error !== null && <Alert>{error.message}</Alert>}
      <Table
        caption="Tokens"
        rows={rows}
        empty="There is no token yet. Create one, then paste it into the identity provider."
        columns={[
          { name: 'name', label: 'Name', render: (one) => textOf(one.name) },
          { name: 'masked_key', label: 'Token', render: (one) => textOf(one.masked_key) },
          { name: 'created_at', label: 'Created', render: (one) => formatMinute(one.created_at) },
          { name: 'expires_at', label: 'Expires', render: (one) => formatMinute(one.expires_at) },
          {
            name: 'actions',
            label: 'Actions',
            render: (one) =>
              may(['scim_mappings.delete']) &&
              one.source !== 'file' && (
                <button type="button" onClick={() => setAsked(one)}>
                  Revoke
                </button>
              ),
          },
        ]}
      />
      {creation.opened !== null && may(['scim_mappings.create']) && (
        <NewToken
          onClose={() => {
            creation.close()
            tokens.reload()
          }}
        />
      )}
      {asked !== null && (
        <Confirm
          title={`Revoke ${textOf(asked.name)}?`}
          action="Revoke"
          onClose={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null)
            change({
              expect: (list) => ({ ...list, data: list.data.filter(({ id }) => id !== asked.id) }),
              send: () => call('DELETE', '/v1/scim/tokens/{id}', { path: { id: asked.id } }),
              said: () => ({ text: `${textOf(asked.name)} was revoked.` }),
              refused: `${textOf(asked.name)} was not revoked`,
            })
          }}
        >
          <p>The identity provider can no longer change people here. This cannot be undone.</p>
        </Confirm>
      )}
    </section>
  )
}

const tokenFields: readonly FieldSpec[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true },
  { name: 'expires_at', label: 'Expires at', kind: 'time', hint: 'Leave empty for never.' },
]

/** Creates a token, which is shown once. */
function NewToken({ onClose }: { onClose: () => void }) {
  const [texts, setTexts] = useState(initialTexts(tokenFields))
  const [own, setOwn] = useState(faultsOf(null))
  const [token, setToken] = useState<string | null>(null)
  const create = async () => {
    const { body, faults } = bodyOf(tokenFields, texts, null)
    const missing = 'name' in body ? [] : [{ param: '/name', message: 'Enter a name.' }]
    setOwn([...faults, ...missing])
    if (faults.length + missing.length > 0) return
    const made = await call('POST', '/v1/scim/tokens', {
      body: { ...body, name: String(body.name) },
    })
    setToken(made.token ?? '')
  }
  if (token !== null)
    return (
      <SecretDialog title="Your new token" label="Your token" secret={token} onClose={onClose}>
        Copy it into the identity provider now. You cannot see it again.
      </SecretDialog>
    )
  return (
    <FormDialog title="Create token" action="Create" onSend={create} onClose={onClose}>
      {(error) => (
        <>
          <ObjectFields
            fields={tokenFields}
            texts={texts}
            onChange={setTexts}
            faults={faultsOf(error, own)}
          />
        </>
      )}
    </FormDialog>
  )
}

interface GroupsProps {
  groups: Changeable<GroupList>
  rows: readonly Group[]
  total: number
}

/** Replaces the roles of one of the groups. */
const withMappings = (
  list: GroupList,
  group: string,
  map: (mappings: readonly Mapping[]) => Mapping[],
): GroupList => ({
  ...list,
  data: list.data.map((one) => (one.id === group ? { ...one, mappings: map(one.mappings) } : one)),
})

/** The mapping of a role that is being assigned; unknown values are empty. */
const givenMapping = ({ id, display_name }: Group, workspace: string, role: string): Mapping => ({
  ...{
    id: '',
    object: 'scim-mapping',
    name: null,
    slug: null,
    organisation_id: null,
    workspace_id: workspace,
  },
  ...{ scim_group: display_name, scim_group_id: id, role, status: 'active', source: 'file', owner_id: null },
  ...{ updated_by: null, created_at: '', last_updated_at: '' },
})

const give = (group: string, workspace: string, role: string) =>
  call('POST', '/v1/scim/workspaces', {
    body: { workspace_id: workspace, role, scim_group_id: group },
  })

const takeAway = (id: string) => call('DELETE', '/v1/scim/workspaces/{id}', { path: { id } })

function Groups({ groups, rows, total }: GroupsProps) {
  const may = useMay()
  const [query] = useFilters()
  const { error, change } = useChange(groups)
  const giving = useOpened('group')
  const mapped = rows.find(({ id }) => id === giving.opened)
  const workspaces = useQuery(
    may(['workspaces.list']) ? urlOf('/v1/workspaces', { query: { page_size: 200 } }) : null,
  )
  const nameOf = (id: string) => workspaces.data?.data.find((one) => one.id === id)?.name ?? id
  const mayGive = may(['scim_mappings.create'])
  const remove = (group: Group, { id, workspace_id: workspace, role }: Mapping) =>
    change({
      expect: (list) =>
        withMappings(list, group.id, (mappings) => mappings.filter((mapping) => mapping.id !== id)),
      send: () => takeAway(id),
      said: () => ({
        text: `${group.display_name} no longer gives the role ${role}. Members that it added stay.`,
        undo: mayGive ? () => give(group.id, workspace, role) : undefined,
      }),
      refused: `The role of ${group.display_name} was not removed`,
    })
  return (
    <section>
      <h2>Groups</h2>
      {error !== null && <Alert>{error.message}</Alert>}
      <div class="filters">
        <Search placeholder="Name of a group" />
      </div>
      <Table
        caption="Groups"
        rows={rows}
        empty={
          query.get('search') === null
            ? 'There is no group yet. Assign one to this application in the identity provider, which then sends it.'
            : 'No group matches this search.'
        }
        columns={[
          { name: 'display_name', label: 'Group', render: (one) => one.display_name },
          {
            name: 'member_count',
            label: 'Members',
            isNumber: true,
            render: (one) => formatNumber(one.member_count),
          },
          {
            name: 'mappings',
            label: 'Roles in workspaces',
            render: (group) =>
              group.mappings.length === 0 ? (
                'none'
              ) : (
                <ul class="left">
                  {group.mappings.map((mapping) => (
                    <li key={mapping.id}>
                      {mapping.role} in {nameOf(mapping.workspace_id)}{' '}
                      {may(['scim_mappings.delete']) && mapping.source !== 'file' && (
                        <button
                          type="button"
                          class="link"
                          aria-label={`Remove the role ${mapping.role} in ${nameOf(mapping.workspace_id)} of ${group.display_name}`}
                          onClick={() => remove(group, mapping)}
                        >
                          Remove
                        </button>
                      )}
                    </li>
                  ))}
                </ul>
              ),
          },
          {
            name: 'actions',
            label: 'Actions',
            render: (one) =>
              mayGive && (
                <button type="button" onClick={() => giving.open(one.id)}>
                  Give a role
                </button>
              ),
          },
        ]}
      />
      {total > rows.length && (
        <p class="note">
          The first {rows.length} of {formatNumber(total)} groups. Search to find others.
        </p>
      )}
      {mapped !== undefined && mayGive && <MapGroup groups={groups} group={mapped} onClose={giving.close} />}
    </section>
  )
}

interface MapProps {
  groups: Changeable<GroupList>
  group: Group
  onClose: () => void
}

function MapGroup({ groups, group, onClose }: MapProps) {
  const [workspace, setWorkspace] = useState('')
  const [isLoading, setLoading] = useState(false)
  const [role, setRole] = useState('member')
  const may = useMay()
  const { attempt } = useChange(groups)
  const map = async () => {
    await attempt({
      expect: (list) =>
        withMappings(list, group.id, (mappings) => [...mappings, givenMapping(group, workspace, role)]),
      send: () => give(group.id, workspace, role),
      said: ({ id }) => ({
        text: `The members of ${group.display_name} have the role ${role}.`,
        undo: may(['scim_mappings.delete']) ? () => takeAway(id) : undefined,
      }),
      refused: 'The role was not given',
    })
    onClose()
  }
  return (
    <FormDialog
      title={`Give ${group.display_name} a role`}
      action="Give the role"
      onSend={map}
      onClose={onClose}
      canSend={!isLoading}
      isShownAtOnce
    >
      {() => (
        <>
          <p>
            Its members join the workspace at once; later members join when the identity provider adds them.
          </p>
          <WorkspaceField value={workspace} onChange={setWorkspace} onLoading={setLoading} />
          <SelectField label="Role" value={role} onChange={setRole} options={workspaceRoles} />
        </>
      )}
    </FormDialog>
  )
}
