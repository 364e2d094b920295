/** Members of a workspace and their roles. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type List, type Row } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { StatusBadge, textOf } from '../parts/cells.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { Table } from '../parts/table.tsx'
import { asApiError, useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'
import type { ExtrasProps } from './extras.ts'

const roles = [
  ['member', 'Member'],
  ['manager', 'Manager'],
  ['admin', 'Admin'],
] as const

export function WorkspaceExtras({ row }: ExtrasProps) {
  const may = useMay()
  const path = `/v1/workspaces/${encodeURIComponent(String(row.id))}/users`
  const members = useQuery<List>(may(['workspace_users.list']) ? `${path}?page_size=100` : null)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('member')
  const [asked, setAsked] = useState<Row | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const change = async (method: string, to: string, body?: Row) => {
    setError(null)
    setAsked(null)
    try {
      await call(method, to, body)
      setEmail('')
      members.reload()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const member = (one: Row) => `${path}/${encodeURIComponent(String(one.id))}`
  const canChange = may(['workspace_users.update'])
  const shownError = error ?? members.error
  return (
    <section aria-busy={members.isBusy ? 'true' : 'false'}>
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
                onChange={(event) => void change('PUT', member(one), { role: event.currentTarget.value })}
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
            void change('POST', path, { users: [{ email, role }] })
          }}
        >
          <TextField label="E-mail" type="email" value={email} onChange={setEmail} />
          <SelectField label="Role" value={role} onChange={setRole} options={roles} />
          <button type="submit">Add member</button>
        </form>
      )}
      {asked !== null && (
        <Confirm
          title={`Remove ${textOf(asked.email)}?`}
          action="Remove"
          onConfirm={() => void change('DELETE', member(asked))}
          onClose={() => setAsked(null)}
        >
          <p>Their keys of this workspace stop working.</p>
        </Confirm>
      )}
    </section>
  )
}
