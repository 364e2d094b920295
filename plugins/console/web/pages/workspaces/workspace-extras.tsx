/** Members of a workspace and their roles. */
import { useState } from 'preact/hooks'
import { type ApiError, call, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { StatusBadge, textOf } from '../../parts/cells.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Table } from '../../parts/table.tsx'
import { notify } from '../../parts/toast.tsx'
import { cannotBeUndone } from '../../parts/undo.ts'
import { UsageBars } from '../../parts/usage-bars.tsx'
import { workspaceRoles } from '../../parts/workspace-roles.ts'
import { asApiError, useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'

type Member = Item<'/v1/workspaces/{id}/users'>
type Role = (typeof workspaceRoles)[number][0]
const roleOf = (text: string): Role => workspaceRoles.find(([role]) => role === text)?.[0] ?? 'member'

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
  const [error, setError] = useState<ApiError | null>(null)
  const change = async (work: () => Promise<unknown>) => {
    setError(null)
    setAsked(null)
    try {
      await work()
      setEmail('')
      members.reload()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const add = (one: { email: string; role: Role }) =>
    call('POST', '/v1/workspaces/{id}/users', { path: { id }, body: { users: [one] } })
  const setRoleOf = (userId: string, next: Role) =>
    call('PUT', '/v1/workspaces/{id}/users/{userId}', { path: { id, userId }, body: { role: next } })
  const canAdd = may(['workspace_users.create'])
  const changeRole = async (one: Member, next: Role) => {
    const takeBack = members.expect((data) => ({
      ...data,
      data: data.data.map((member) => (member.id === one.id ? { ...member, role: next } : member)),
    }))
    await setRoleOf(one.id, next).catch((fault: unknown) => {
      takeBack()
      throw fault
    })
    notify(`${textOf(one.email)} is now ${next}.`, async () => {
      await setRoleOf(one.id, roleOf(textOf(one.role)))
      members.reload()
    })
  }
  const remove = async (one: Member) => {
    await call('DELETE', '/v1/workspaces/{id}/users/{userId}', { path: { id, userId: one.id } })
    const back = async () => {
      await add({ email: textOf(one.email), role: roleOf(textOf(one.role)) })
      members.reload()
    }
    notify(`${textOf(one.email)} was removed.`, canAdd ? back : undefined)
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
        empty="Nobody is a member yet. Add people from the organisation below."
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
                disabled={!canChange}
                onChange={(event) => {
                  const next = roleOf(event.currentTarget.value)
                  void change(() => changeRole(one, next))
                }}
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
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            void change(() => add({ email, role }))
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
      )}
      {asked !== null && (
        <Confirm
          title={`Remove ${textOf(asked.email)}?`}
          action="Remove"
          onConfirm={() => void change(() => remove(asked))}
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
