/**
 * Shows who is signed in and what they may do. A person can set up or remove a second factor with an authenticator app.
 */
import { useContext, useState } from 'preact/hooks'
import { call, urlOf } from '../../api.ts'
import type { Answer } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { Facts, textOf } from '../../parts/cells.tsx'
import { type Changeable, useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Page } from '../../parts/page.tsx'
import { Sessions } from '../../parts/sessions.tsx'
import { notify } from '../../parts/toast.tsx'
import { useQuery } from '../../query.tsx'
import { SessionContext } from '../../session.tsx'
import { Enrolment } from './enrolment.tsx'

export function AccountPage() {
  const self = useQuery(urlOf('/v1/auth/self'))
  const { data, error, isBusy, reload } = self
  const session = useContext(SessionContext)
  const user = data?.user ?? null
  return (
    <Page title="Account" isBusy={isBusy} error={error} onRetry={reload}>
      {data !== null && (
        <Facts
          rows={[
            ...(user === null
              ? [['API key', textOf(data.api_key?.name)] as const]
              : [
                  ['E-mail', textOf(user.email)] as const,
                  ['Name', [user.first_name, user.last_name].filter(Boolean).join(' ')] as const,
                  ['Role', textOf(user.role)] as const,
                  ['Organisation', namesOf(data.organisations)] as const,
                  ['Workspaces', namesOf(data.workspaces)] as const,
                ]),
          ]}
        />
      )}
      {data !== null && user === null && (
        <p class="about">
          You are signed in with an API key. A second factor belongs to a person: sign in with a password to
          set one up.
        </p>
      )}
      {user !== null && <SecondFactor isOn={user.totp_enabled} self={self} />}
      {user !== null && <Sessions user={user.id} />}
      {data !== null && <Rights scopes={session.scopes} />}
    </Page>
  )
}

/** Without a name, the slug or the id is shown. */
const namesOf = (
  found: readonly { id: string; name: string | null; slug: string | null; role: string | null }[] = [],
): string =>
  found
    .map(({ id, name, slug, role }) => `${name ?? slug ?? id}${role === null ? '' : ` (${role})`}`)
    .join(', ') || '–'

/** The scopes of the session: one line for each kind of object. */
function Rights({ scopes }: { scopes: ReadonlySet<string> }) {
  const actions = new Map<string, string[]>()
  for (const scope of [...scopes].sort()) {
    const [kind = scope, action = ''] = scope.split('.')
    actions.set(kind, [...(actions.get(kind) ?? []), action])
  }
  return (
    <section>
      <h2>What you may do</h2>
      {actions.size === 0 ? (
        <p class="about">Nothing yet: ask an administrator for a role in a workspace.</p>
      ) : (
        <ul class="rights">
          {[...actions].map(([kind, own]) => (
            <li key={kind}>
              <code>{kind}</code> {own.join(', ')}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

type Self = Answer<'get', '/v1/auth/self'>

function SecondFactor({ isOn, self }: { isOn: boolean; self: Changeable<Self> }) {
  const [made, setMade] = useState<Answer<'post', '/v1/auth/totp/enroll'> | null>(null)
  const [isAsked, setAsked] = useState(false)
  const { error, change } = useChange(self)
  const enrol = () =>
    change({
      send: async () => setMade(await call('POST', '/v1/auth/totp/enroll', {})),
      refused: 'The second factor was not set up',
    })
  const remove = () => {
    setAsked(false)
    change({
      expect: ({ user, ...shown }) => ({
        ...shown,
        user: user === null || user === undefined ? null : { ...user, totp_enabled: false },
      }),
      send: () => call('DELETE', '/v1/auth/totp', {}),
      said: () => ({ text: 'The second factor was removed.' }),
      refused: 'The second factor was not removed',
    })
  }
  return (
    <section>
      <h2>Second factor</h2>
      {error !== null && <Alert>{error.message}</Alert>}
      {made !== null ? (
        <Enrolment
          made={made}
          onDone={() => {
            setMade(null)
            notify('The second factor is on.')
            self.reload()
          }}
        />
      ) : (
        <>
          <p>
            {isOn
              ? 'It is on: a sign-in with your password asks for a code of your authenticator app.'
              : 'It is off. With a second factor a sign-in asks for a code of your authenticator app beside the password.'}
          </p>
          <div class="buttons">
            {isOn ? (
              <button type="button" class="danger" onClick={() => setAsked(true)}>
                Remove the second factor
              </button>
            ) : (
              <button type="button" class="primary" onClick={enrol}>
                Set up a second factor
              </button>
            )}
          </div>
        </>
      )}
      {isAsked && (
        <Confirm
          title="Remove your second factor?"
          action="Remove"
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>
            Your password alone will sign you in, and the recovery codes stop working. This cannot be undone:
            when you set up a second factor again, you get a new secret and new codes.
          </p>
        </Confirm>
      )}
    </section>
  )
}
