/** Inviting a person: the link is shown once. */
import { useState } from 'preact/hooks'
import { type ApiError, call } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { WorkspaceField } from '../parts/object-form.tsx'
import { asApiError } from '../query.tsx'

interface LinkProps {
  email: string
  link: string
  onClose: () => void
}

/** The only place that shows the link of an invite. */
export const InviteLink = ({ email, link, onClose }: LinkProps) => (
  <Dialog title="Invite created" onClose={onClose}>
    <p>Send this link to {email}. It is shown this once, and is valid for 7 days.</p>
    <TextField label="Invite link" value={link} onChange={() => undefined} isReadOnly />
    <div class="buttons">
      <CopyButton text={link} />
      <button type="button" class="primary" onClick={onClose}>
        Done
      </button>
    </div>
  </Dialog>
)

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('member')
  const [workspace, setWorkspace] = useState('')
  const [workspaceRole, setWorkspaceRole] = useState('member')
  const [link, setLink] = useState<string | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const faultOf = (param: string) => error?.faults.find((one) => one.param === param)?.message
  const invite = async (event: Event) => {
    event.preventDefault()
    const workspaces = workspace === '' ? [] : [{ id: workspace, role: workspaceRole }]
    try {
      const made = await call('POST', '/v1/users/invites', { body: { email, role, workspaces } })
      setLink(made.invite_link ?? null)
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  if (link !== null) return <InviteLink email={email} link={link} onClose={onClose} />
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      {error !== null && <Alert>{error.message}</Alert>}
      <form onSubmit={(event) => void invite(event)} noValidate>
        <TextField label="E-mail" type="email" value={email} onChange={setEmail} fault={faultOf('/email')} />
        <SelectField
          label="Role"
          value={role}
          onChange={setRole}
          options={[
            ['member', 'Member'],
            ['admin', 'Admin of the organisation'],
          ]}
        />
        <WorkspaceField value={workspace} onChange={setWorkspace} />
        <SelectField
          label="Role in the workspace"
          value={workspaceRole}
          onChange={setWorkspaceRole}
          options={[
            ['member', 'Member'],
            ['manager', 'Manager'],
            ['admin', 'Admin'],
          ]}
        />
        <div class="buttons">
          <button type="submit" class="primary">
            Create
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
