/** Invites a person. The link is shown once. */

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { WorkspaceField } from '../../parts/object-form.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { workspaceRoles } from '../../parts/workspace-roles.ts'

interface LinkProps {
  email: string
  link: string
  onClose: () => void
}

/** The only place that shows the link of an invite. */
export const InviteLink = ({ email, link, onClose }: LinkProps) => (
  <SecretDialog title="Invite created" label="Invite link" secret={link} onClose={onClose}>
    Send this link to {email}. It is shown this once, and is valid for 7 days.
  </SecretDialog>
)

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('member')
  const [workspace, setWorkspace] = useState('')
  const [workspaceRole, setWorkspaceRole] = useState('member')
  const [link, setLink] = useState<string | null>(null)
  const [isLoading, setLoading] = useState(false)
  const invite = async () => {
    const workspaces = workspace === '' ? [] : [{ id: workspace, role: workspaceRole }]
    const made = await call('POST', '/v1/users/invites', { body: { email, role, workspaces } })
    setLink(made.invite_link ?? null)
  }
  if (link !== null) return <InviteLink email={email} link={link} onClose={onClose} />
  return (
    <FormDialog
      title="Invite a person"
      action="Create"
      onSend={invite}
      onClose={onClose}
      canSend={!isLoading}
    >
      {(error) => (
        <>
          <TextField
            label="E-mail"
            type="email"
            value={email}
            onChange={setEmail}
            fault={error?.faults.find(({ param }) => param === '/email')?.message}
          />
          <SelectField
            label="Role"
            value={role}
            onChange={setRole}
            options={[
              ['member', 'Member'],
              ['admin', 'Admin of the organisation'],
            ]}
          />
          <WorkspaceField value={workspace} onChange={setWorkspace} onLoading={setLoading} />
          <SelectField
            label="Role in the workspace"
            value={workspaceRole}
            onChange={setWorkspaceRole}
            options={workspaceRoles}
          />
        </>
      )}
    </FormDialog>
  )
}
