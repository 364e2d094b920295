/** SCIM: the tokens of identity providers, and which of their groups has which role in which workspace. */

import { useState } from 'preact/hooks'
import { type ApiError, call, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatMinute, formatNumber, textOf } from '../../parts/cells.tsx'
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
import { notify } from '../../parts/toast.tsx'
import { workspaceRoles } from '../../parts/workspace-roles.ts'
import { asApiError, useQuery } from '../../query.tsx'
import type { FieldSpec } from '../../resources/declare.ts'
import { useFilters } from '../../router.tsx'
import { useMay } from '../../session.tsx'

type Token = Item<'/v1/scim/tokens'>
type Group = Item<'/v1/scim/groups'>

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
      {tokens.data !== null && <Tokens rows={tokens.data.data} onChanged={tokens.reload} />}
      {groups.data !== null && (
        <Groups rows={groups.data.data} total={groups.data.total} onChanged={groups.reload} />
      )}
    </Page>
  )
}

/** Runs a change, and keeps its error. */
function useChange(onChanged: () => void) {
  const [error, setError] = useState<ApiError | null>(null)
  const change = async (work: () => Promise<unknown>, said: string) => {
    setError(null)
    try {
      await work()
      notify(said)
      onChanged()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  return { error, change }
}

function Tokens({ rows, onChanged }: { rows: readonly Token[]; onChanged: () => void }) {
  const may = useMay()
  const { error, change } = useChange(onChanged)
  const [asked, setAsked] = useState<Token | null>(null)
  const [isNew, setNew] = useState(false)
  return (
    <section>
      <div class="head">
        <h2>Tokens</h2>
        {may(['scim_mappings.create']) && (
          <button type="button" class="primary" onClick={() => setNew(true)}>
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
      {isNew && (
        <NewToken
          onClose={() => {
            setNew(false)
            onChanged()
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
            void change(
              () => call('DELETE', '/v1/scim/tokens/{id}', { path: { id: asked.id } }),
              'The token was revoked.',
            )
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

/** The token is shown once. */
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
  rows: readonly Group[]
  total: number
  onChanged: () => void
}

function Groups({ rows, total, onChanged }: GroupsProps) {
  const may = useMay()
  const { error, change } = useChange(onChanged)
  const [mapped, setMapped] = useState<Group | null>(null)
  const workspaces = useQuery(
    may(['workspaces.list']) ? urlOf('/v1/workspaces', { query: { page_size: 200 } }) : null,
  )
  const nameOf = (id: string) => workspaces.data?.data.find((one) => one.id === id)?.name ?? id
  const remove = (id: string) =>
    void change(
      () => call('DELETE', '/v1/scim/workspaces/{id}', { path: { id } }),
      'The mapping was removed. Members that it added stay.',
    )
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
        empty="The identity provider has sent no group, or none matches."
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
            render: ({ mappings }) =>
              mappings.length === 0 ? (
                'none'
              ) : (
                <ul class="left">
                  {mappings.map(({ id, workspace_id: workspace, role, source }) => (
                    <li key={id}>
                      {role} in {nameOf(workspace)}{' '}
                      {may(['scim_mappings.delete']) && source !== 'file' && (
                        <button type="button" class="link" onClick={() => remove(id)}>
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
              may(['scim_mappings.create']) && (
                <button type="button" onClick={() => setMapped(one)}>
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
      {mapped !== null && (
        <MapGroup
          group={mapped}
          onClose={() => setMapped(null)}
          onDone={() => {
            setMapped(null)
            onChanged()
          }}
        />
      )}
    </section>
  )
}

interface MapProps {
  group: Group
  onClose: () => void
  onDone: () => void
}

function MapGroup({ group, onClose, onDone }: MapProps) {
  const [workspace, setWorkspace] = useState('')
  const [role, setRole] = useState('member')
  const map = async () => {
    await call('POST', '/v1/scim/workspaces', {
      body: { workspace_id: workspace, role, scim_group_id: group.id },
    })
    notify(`The members of ${group.display_name} have the role ${role}.`)
    onDone()
  }
  return (
    <FormDialog
      title={`Give ${group.display_name} a role`}
      action="Give the role"
      onSend={map}
      onClose={onClose}
    >
      {() => (
        <>
          <p>
            Its members join the workspace at once; later members join when the identity provider adds them.
          </p>
          <WorkspaceField value={workspace} onChange={setWorkspace} />
          <SelectField label="Role" value={role} onChange={setRole} options={workspaceRoles} />
        </>
      )}
    </FormDialog>
  )
}
