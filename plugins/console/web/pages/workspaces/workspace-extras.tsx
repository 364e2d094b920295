/** Members of a workspace and their roles. */
import { useState } from 'preact/hooks'
import { call, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { StatusBadge, textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Table } from '../../parts/table.tsx'
import { cannotBeUndone } from '../../parts/undo.ts'
import { UsageBars } from '../../parts/usage-bars.tsx'
import { workspaceRoles } from '../../parts/workspace-roles.ts'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'

type Member = Item<'/v1/workspaces/{id}/users'>
type Role = (typeof workspaceRoles)[number][0]
const roleOf = (text: string): Role => workspaceRoles.find(([role]) => role === text)?.[0] ?? 'member'

/** A person who is being added to a workspace; unknown values are empty. */
const addedMember = (workspace: string, email: string, role: Role): Member => ({
  ...{ object: 'workspace-user', id: '', workspace_id: workspace, email, role },
  ...{ first_name: null, last_name: null, org_role: null, status: 'active', scopes: [], source_group: null },
  ...{ created_at: '', last_updated_at: '' },
})

export function WorkspaceExtras({ row }: ExtrasProps) {
  const may = useMay()
  const { id } = row
  const members = useQuery(
    may(['workspace_users.list'])
      ? urlOf('/v1/workspaces/{id}/users', { path: { id }, query: { page_size: 100 } })
      : null,
  )
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [asked, setAsked] = useState<Member | null>(null)
  const { error, change } = useChange(members)
  const add = (one: { email: string; role: Role }) =>
    call('POST', '/v1/workspaces/{id}/users', { path: { id }, body: { users: [one] } })
  const setRoleOf = (userId: string, next: Role) =>
    call('PUT', '/v1/workspaces/{id}/users/{userId}', { path: { id, userId }, body: { role: next } })
  const drop = (userId: string) =>
    call('DELETE', '/v1/workspaces/{id}/users/{userId}', { path: { id, userId } })
  const canAdd = may(['workspace_users.create'])
  const addMember = (event: Event) => {
    event.preventDefault()
    const added = email.trim()
    change({
      expect: (list) => ({ ...list, data: [...list.data, addedMember(String(id), added, role)] }),
      async send() {
        const { data } = await add({ email: added, role })
        setEmail('')
        return data[0]?.id
      },
      said: (userId) => ({
        text: `${added} was added.`,
        undo: userId !== undefined && may(['workspace_users.delete']) ? () => drop(userId) : undefined,
      }),
      refused: `${added === '' ? 'The member' : added} was not added`,
    })
  }
  const changeRole = (one: Member, next: Role) =>
    change({
      expect: (list) => ({
        ...list,
        data: list.data.map((member) => (member.id === one.id ? { ...member, role: next } : member)),
      }),
      send: () => setRoleOf(one.id, next),
      said: () => ({
        text: `${textOf(one.email)} is now ${next}.`,
        undo: () => setRoleOf(one.id, roleOf(textOf(one.role))),
      }),
      refused: `The role of ${textOf(one.email)} was not changed`,
    })
  const remove = (one: Member) => {
    setAsked(null)
    const back = () => add({ email: textOf(one.email), role: roleOf(textOf(one.role)) })
    change({
      expect: (list) => ({ ...list, data: list.data.filter(({ id: other }) => other !== one.id) }),
      send: () => drop(one.id),
      said: () => ({ text: `${textOf(one.email)} was removed.`, undo: canAdd ? back : undefined }),
      refused: `${textOf(one.email)} was not removed`,
    })
  }
  const canChange = may(['workspace_users.update'])
  const shownError = error ?? members.error
  return (
    <section aria-busy={members.isBusy ? 'true' : 'false'}>
      <UsageBars limits={row.usage_limits} />
      <h2>Members</h2>
      {shownError !== null && <Alert>{shownError.message}</Alert>}
      <Table
        caption="Members"
        rows={members.data?.data ?? []}
        empty="Nobody is a member yet. Add people of the organisation below."
        columns={[
          { name: 'email', label: 'E-mail', render: (one) => textOf(one.email) },
          { name: 'first_name', label: 'First name', render: (one) => textOf(one.first_name) },
          {
            name: 'role',
            label: 'Role',
            render: (one) => (
              <select
                aria-label={`Role of ${textOf(one.email)}`}
                value={textOf(one.role)}
                // Without an id it is shown before the API has answered.
                disabled={!canChange || textOf(one.id) === ''}
                onChange={(event) => changeRole(one, roleOf(event.currentTarget.value))}
              >
                {workspaceRoles.map(([value, text]) => (
                  <option key={value} value={value} selected={value === one.role}>
                    {text}
                  </option>
                ))}
              </select>
            ),
          },
          { name: 'status', label: 'Status', render: (one) => <StatusBadge value={one.status} /> },
          {
            name: 'actions',
            label: 'Actions',
            render: (one) =>
              may(['workspace_users.delete']) && (
                <button type="button" onClick={() => setAsked(one)}>
                  Remove
                </button>
              ),
          },
        ]}
      />
      {canAdd && (
        <form class="filters" onSubmit={addMember}>
          <TextField label="E-mail" type="email" value={email} onChange={setEmail} />
          <SelectField
            label="Role"
            value={role}
            onChange={(next) => setRole(roleOf(next))}
            options={workspaceRoles}
          />
          <button type="submit">Add member</button>
        </form>
      )}
      {asked !== null && (
        <Confirm
          title={`Remove ${textOf(asked.email)}?`}
          action="Remove"
          onConfirm={() => remove(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            Their API keys for this workspace are revoked.{' '}
            {canAdd ? 'You can undo this for a moment afterwards; the keys stay revoked.' : cannotBeUndone}
          </p>
        </Confirm>
      )}
    </section>
  )
}
