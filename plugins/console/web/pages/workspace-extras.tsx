/** Members of a workspace and their roles. */
import { useState } from 'preact/hooks'
import { type ApiError, call, urlOf } from '../api.ts'
import type { Item } from '../api-types.ts'
import { Alert } from '../parts/alert.tsx'
import { StatusBadge, textOf } from '../parts/cells.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { Table } from '../parts/table.tsx'
import { UsageBars } from '../parts/usage-bars.tsx'
import { asApiError, useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'
import type { ExtrasProps } from './extras.ts'

const roles = [
  ['member', 'Member'],
  ['manager', 'Manager'],
  ['admin', 'Admin'],
] as const

type Role = (typeof roles)[number][0]
const roleOf = (text: string): Role => roles.find(([role]) => role === text)?.[0] ?? 'member'

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
  const [asked, setAsked] = useState<Item<'/v1/workspaces/{id}/users'> | null>(null)
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
  const add = () =>
    call('POST', '/v1/workspaces/{id}/users', { path: { id }, body: { users: [{ email, role }] } })
  const setRoleOf = (userId: string, next: Role) =>
    call('PUT', '/v1/workspaces/{id}/users/{userId}', { path: { id, userId }, body: { role: next } })
  const remove = (userId: string) =>
    call('DELETE', '/v1/workspaces/{id}/users/{userId}', { path: { id, userId } })
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
                disabled={!canChange}
                onChange={(event) => {
                  const next = roleOf(event.currentTarget.value)
                  void change(() => setRoleOf(one.id, next))
                }}
              >
                {roles.map(([value, text]) => (
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
      {may(['workspace_users.create']) && (
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            void change(add)
          }}
        >
          <TextField label="E-mail" type="email" value={email} onChange={setEmail} />
          <SelectField label="Role" value={role} onChange={(next) => setRole(roleOf(next))} options={roles} />
          <button type="submit">Add member</button>
        </form>
      )}
      {asked !== null && (
        <Confirm
          title={`Remove ${textOf(asked.email)}?`}
          action="Remove"
          onConfirm={() => void change(() => remove(asked.id))}
          onClose={() => setAsked(null)}
        >
          <p>Their keys of this workspace stop working.</p>
        </Confirm>
      )}
    </section>
  )
}
