/** The page of an invite link. Asks for a name and a password, and signs the user in. */
import { useLayoutEffect, useState } from 'preact/hooks'
import { type ApiError, call } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { TextField } from '../../parts/field.tsx'
import { asApiError } from '../../query.tsx'

export function AcceptInvite({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  // The token is removed from the address bar and the history as soon as it is read.
  const [secret] = useState(token)
  const [firstName, setFirstName] = useState('')
  const [lastName, setLastName] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  useLayoutEffect(() => {
    document.title = 'Accept invite · Console'
    history.replaceState(null, '', location.pathname)
  }, [])
  const faultOf = (param: string) => error?.faults.find((one) => one.param === param)?.message
  const accept = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    const body = {
      token: secret,
      first_name: firstName,
      last_name: lastName === '' ? null : lastName,
      ...(password === '' ? {} : { password }),
    }
    try {
      await call('POST', '/v1/users/invites/accept', { body, isSignIn: true })
      await onDone()
    } catch (fault) {
      setError(asApiError(fault))
    }
    setBusy(false)
  }
  return (
    <main id="main" class="alone" aria-busy={isBusy ? 'true' : 'false'}>
      <h1>Accept invite</h1>
      {error !== null && <Alert>{error.message}</Alert>}
      <form onSubmit={(event) => void accept(event)} noValidate>
        <TextField
          label="First name"
          autocomplete="given-name"
          value={firstName}
          onChange={setFirstName}
          fault={faultOf('/first_name')}
        />
        <TextField
          label="Last name"
          autocomplete="family-name"
          value={lastName}
          onChange={setLastName}
          fault={faultOf('/last_name')}
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="new-password"
          value={password}
          onChange={setPassword}
          fault={faultOf('/password')}
          hint="At least 12 characters."
        />
        <button type="submit" class="primary" disabled={isBusy}>
          Accept invite
        </button>
      </form>
    </main>
  )
}
