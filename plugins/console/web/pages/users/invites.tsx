/** The invites of the organisation. Resending one creates a new link; cancelling one invalidates its link. */
import { useState } from 'preact/hooks'
import { call, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatMinute, StatusBadge, textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Table } from '../../parts/table.tsx'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import { InviteLink } from './invite.tsx'

type Invite = Item<'/v1/users/invites'>

/** The maximum number of invites, newest first. */
const most = 100

export function Invites() {
  const may = useMay()
  const invites = useQuery(urlOf('/v1/users/invites', { query: { page_size: most } }))
  const { data, error, isBusy, reload } = invites
  const [link, setLink] = useState<{ email: string; url: string } | null>(null)
  const [asked, setAsked] = useState<Invite | null>(null)
  const { error: failure, change } = useChange(invites)
  const resend = ({ id, email }: Invite) =>
    change({
      async send() {
        const { invite_link: url } = await call('POST', '/v1/users/invites/{id}/resend', { path: { id } })
        setLink({ email: textOf(email), url: textOf(url) })
      },
      refused: `The invite of ${email} was not sent again`,
    })
  const cancel = ({ id, email }: Invite) => {
    setAsked(null)
    change({
      expect: (list) => ({
        ...list,
        data: list.data.map((one) => (one.id === id ? { ...one, status: 'cancelled' } : one)),
      }),
      send: () => call('DELETE', '/v1/users/invites/{id}', { path: { id } }),
      said: () => ({ text: `The invite of ${email} was cancelled.` }),
      refused: `The invite of ${email} was not cancelled`,
    })
  }
  const rows = data?.data ?? []
  const shown = failure ?? error
  if (rows.length === 0 && shown === null) return null
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <h2>Invites</h2>
      {shown !== null && <Alert onRetry={failure === null ? reload : undefined}>{shown.message}</Alert>}
      {rows.length > 0 && (
        <Table
          caption="Invites"
          rows={rows}
          columns={[
            { name: 'email', label: 'E-mail', render: (one) => textOf(one.email) },
            { name: 'role', label: 'Role', render: (one) => textOf(one.role) },
            { name: 'status', label: 'Status', render: (one) => <StatusBadge value={one.status} /> },
            { name: 'created_at', label: 'Created', render: (one) => formatMinute(one.created_at) },
            { name: 'expires_at', label: 'Expires', render: (one) => formatMinute(one.expires_at) },
            {
              name: 'actions',
              label: 'Actions',
              render: (one) => (
                <div class="buttons">
                  {['pending', 'expired'].includes(textOf(one.status)) &&
                    may(['organisation_users.create']) && (
                      <button type="button" onClick={() => resend(one)}>
                        Resend
                      </button>
                    )}
                  {one.status === 'pending' && may(['organisation_users.delete']) && (
                    <button type="button" onClick={() => setAsked(one)}>
                      Cancel invite
                    </button>
                  )}
                </div>
              ),
            },
          ]}
        />
      )}
      {link !== null && <InviteLink email={link.email} link={link.url} onClose={() => setLink(null)} />}
      {asked !== null && (
        <Confirm
          title={`Cancel the invite of ${asked.email}?`}
          action="Cancel invite"
          onConfirm={() => cancel(asked)}
          onClose={() => setAsked(null)}
        >
          <p>Its link no longer works. You can invite this person again.</p>
        </Confirm>
      )}
    </section>
  )
}
