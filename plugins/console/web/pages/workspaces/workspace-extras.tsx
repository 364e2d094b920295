/** Members of a workspace and their roles. */
import { useState } from 'preact/hooks'
import { call, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { StatusBadge, textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { emptyOf, Table } from '../../parts/table.tsx'
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

/** The members of a workspace, and the changes to them. */
function useMembers(id: string) {
  const may = useMay()
  const canList = may(['workspace_users.list'])
  const members = useQuery(
    canList ? urlOf('/v1/workspaces/{id}/users', { path: { id }, query: { page_size: 100 } }) : null,
  )
  const { error, change } = useChange(members)
  const put = (one: { email: string; role: Role }) =>
    call('POST', '/v1/workspaces/{id}/users', { path: { id }, body: { users: [one] } })
  const setRoleOf = (userId: string, next: Role) =>
    call('PUT', '/v1/workspaces/{id}/users/{userId}', { path: { id, userId }, body: { role: next } })
  const drop = (userId: string) =>
    call('DELETE', '/v1/workspaces/{id}/users/{userId}', { path: { id, userId } })
  const canAdd = may(['workspace_users.create'])
  return {
    rows: members.data?.data ?? [],
    known: canList ? members : { data: [], error: null },
    isBusy: members.isBusy,
    error: error ?? members.error,
    add(added: string, role: Role, onAdded: () => void) {
      change({
        expect: (list) => ({
          ...list,
          // A list that was loaded in the meantime may already contain the person.
          data: [...list.data.filter(({ email }) => email !== added), addedMember(id, added, role)],
        }),
        async send() {
          const { data } = await put({ email: added, role })
          onAdded()
          return data[0]?.id
        },
        said: (userId) => ({
          text: `${added} was added.`,
          undo: userId !== undefined && may(['workspace_users.delete']) ? () => drop(userId) : undefined,
        }),
        refused: `${added === '' ? 'The member' : added} was not added`,
      })
    },
    changeRole(one: Member, next: Role) {
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
    },
    remove(one: Member) {
      const back = () => put({ email: textOf(one.email), role: roleOf(textOf(one.role)) })
      change({
        expect: (list) => ({ ...list, data: list.data.filter(({ id: other }) => other !== one.id) }),
        send: () => drop(one.id),
        said: () => ({ text: `${textOf(one.email)} was removed.`, undo: canAdd ? back : undefined }),
        refused: `${textOf(one.email)} was not removed`,
      })
    },
  }
}

type Members = ReturnType<typeof useMembers>

export function WorkspaceExtras({ row }: ExtrasProps) {
  const may = useMay()
  const members = useMembers(String(row.id))
  const [asked, setAsked] = useState<Member | null>(null)
  const canAdd = may(['workspace_users.create'])
  return (
    <section aria-busy={members.isBusy ? 'true' : 'false'}>
      <UsageBars limits={row.usage_limits} />
      <h2>Members</h2>
      {members.error !== null && <Alert>{members.error.message}</Alert>}
      <Table
        caption="Members"
        rows={members.rows}
        empty={emptyOf(members.known, 'Nobody is a member yet. Add people of the organisation below.')}
        columns={[
          { name: 'email', label: 'E-mail', render: (one) => textOf(one.email) },
          { name: 'first_name', label: 'First name', render: (one) => textOf(one.first_name) },
          {
            name: 'role',
            label: 'Role',
            render: (one) => <RoleChoice one={one} onChange={(next) => members.changeRole(one, next)} />,
          },
          { name: 'status', label: 'Status', render: (one) => <StatusBadge value={one.status} /> },
          {
            name: 'actions',
            label: 'Actions',
            render: (one) =>
              may(['workspace_users.delete']) && (
                <button type="button" disabled={isUnanswered(one)} onClick={() => setAsked(one)}>
                  Remove
                </button>
              ),
          },
        ]}
      />
      {canAdd && <AddMember add={members.add} />}
      {asked !== null && (
        <Confirm
          title={`Remove ${textOf(asked.email)}?`}
          action="Remove"
          onConfirm={() => {
            setAsked(null)
            members.remove(asked)
          }}
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

/** Whether a new member is shown before the API has answered with the id. */
const isUnanswered = ({ id }: Member): boolean => id === ''

function RoleChoice({ one, onChange }: { one: Member; onChange: (role: Role) => void }) {
  const may = useMay()
  return (
    <select
      aria-label={`Role of ${textOf(one.email)}`}
      value={textOf(one.role)}
      disabled={!may(['workspace_users.update']) || isUnanswered(one)}
      onChange={(event) => onChange(roleOf(event.currentTarget.value))}
    >
      {workspaceRoles.map(([value, text]) => (
        <option key={value} value={value} selected={value === one.role}>
          {text}
        </option>
      ))}
    </select>
  )
}

function AddMember({ add }: Pick<Members, 'add'>) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        add(email.trim(), role, () => setEmail(''))
      }}
    >
      <TextField label="E-mail" type="email" value={email} onChange={setEmail} />
      <SelectField
        label="Role"
        value={role}
        onChange={(next) => setRole(roleOf(next))}
        options={workspaceRoles}
      />
      <button type="submit">Add member</button>
    </form>
  )
}
