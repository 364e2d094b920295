/** The sessions of a person, with buttons to end one or all of them. */
import { useState } from 'preact/hooks'
import { call, urlOf } from '../api.ts'
import type { Item } from '../api-types.ts'
import { useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'
import { Alert } from './alert.tsx'
import { Badge, formatMinute, textOf } from './cells.tsx'
import { useChange } from './change.tsx'
import { Confirm } from './dialog.tsx'
import { type Column, Table } from './table.tsx'

type Session = Item<'/v1/sessions'>

const most = 100

/** Which sessions to end: one, or all of the person. */
type Asked = { kind: 'one'; session: Session } | { kind: 'all' } | null

/** The product and the system of a browser; the first word for other programs. */
function programOf(agent: unknown): string {
  if (typeof agent !== 'string') return '–'
  const [, product] =
    /(Firefox|Edg|OPR|Chrome|Safari)\/[\d.]+/.exec(agent.replace('HeadlessChrome', 'Chrome')) ?? []
  const [, system] = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(agent) ?? []
  const name = product === 'Edg' ? 'Edge' : product === 'OPR' ? 'Opera' : product
  return [name ?? agent.split(/[\s/]/, 1)[0], system].filter(Boolean).join(', ')
}

const columns: readonly Column<Session>[] = [
  { name: 'program', label: 'Program', render: (one) => programOf(one.user_agent) },
  { name: 'ip', label: 'Address', render: (one) => textOf(one.ip) },
  { name: 'created_at', label: 'Signed in', render: (one) => formatMinute(one.created_at) },
  { name: 'last_seen_at', label: 'Last seen', render: (one) => formatMinute(one.last_seen_at) },
  { name: 'expires_at', label: 'Expires', render: (one) => formatMinute(one.expires_at) },
]

export function Sessions({ user }: { user: string }) {
  const may = useMay()
  const sessions = useQuery(
    may(['sessions.list']) ? urlOf('/v1/sessions', { query: { user_id: user, page_size: most } }) : null,
  )
  const { data, error, isBusy, reload } = sessions
  const [asked, setAsked] = useState<Asked>(null)
  const { error: failure, change } = useChange(sessions)
  const end = (what: NonNullable<Asked>) => {
    setAsked(null)
    if (what.kind === 'all')
      change({
        expect: (list) => ({ ...list, data: [], total: 0 }),
        send: () => call('DELETE', '/v1/sessions', { query: { user_id: user } }),
        said: ({ count }) => ({
          text: count === 1 ? 'One session was ended.' : `${count} sessions were ended.`,
        }),
        refused: 'The sessions were not ended',
      })
    else
      change({
        expect: (list) => ({ ...list, data: list.data.filter(({ id }) => id !== what.session.id) }),
        send: () => call('DELETE', '/v1/sessions/{id}', { path: { id: what.session.id } }),
        said: () => ({ text: 'The session was ended.' }),
        refused: 'The session was not ended',
      })
  }
  const rows = data?.data ?? []
  const mayEnd = may(['sessions.delete'])
  const shown = failure ?? error
  if (data === null && shown === null) return null
  const actions: Column<Session> = {
    name: 'actions',
    label: 'Actions',
    render: (session) =>
      session.current === true ? (
        <Badge tone="good">this one</Badge>
      ) : (
        <button type="button" onClick={() => setAsked({ kind: 'one', session })}>
          End
        </button>
      ),
  }
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <div class="head">
        <h2>Sessions</h2>
        {mayEnd && rows.length > 0 && (
          <button type="button" class="danger" onClick={() => setAsked({ kind: 'all' })}>
            End all
          </button>
        )}
      </div>
      {shown !== null && <Alert onRetry={reload}>{shown.message}</Alert>}
      <Table
        caption="Sessions"
        rows={rows}
        empty="Not signed in anywhere."
        columns={mayEnd ? [...columns, actions] : columns}
      />
      {asked !== null && (
        <Confirm
          title={asked.kind === 'all' ? 'End all sessions?' : 'End this session?'}
          action={asked.kind === 'all' ? 'End all' : 'End'}
          onConfirm={() => end(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked.kind === 'all'
              ? `Signs out everywhere${rows.some(({ current }) => current === true) ? ', also here' : ''}. API keys go on working.`
              : `Signs out ${programOf(asked.session.user_agent)} at ${textOf(asked.session.ip)}.`}
          </p>
        </Confirm>
      )}
    </section>
  )
}
