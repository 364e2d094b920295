/** Sign-in by API key, or by e-mail and password. What is typed is sent, and kept nowhere. */
import { useEffect, useState } from 'preact/hooks'
import { call } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { TextField } from '../parts/field.tsx'
import { asApiError } from '../query.tsx'

interface Props {
  /** Why the last session ended. */
  reason: string | null
  onDone: () => Promise<void>
}

export function Login({ reason, onDone }: Props) {
  const [apiKey, setApiKey] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    document.title = 'Sign in · Console'
  }, [])
  const signIn = async (event: Event) => {
    event.preventDefault()
    const key = apiKey.trim()
    if (key === '' && email.trim() === '') {
      setError('Enter an API key, or an e-mail address and a password.')
      return
    }
    setBusy(true)
    setError(null)
    try {
      const body = key === '' ? { email: email.trim(), password } : { api_key: key }
      await call('POST', '/v1/auth/login', body, { isSignIn: true })
      setApiKey('')
      setPassword('')
      await onDone()
    } catch (fault) {
      setError(asApiError(fault).message)
    }
    setBusy(false)
  }
  const shown = error ?? reason
  return (
    <main id="main" class="alone" aria-busy={isBusy ? 'true' : 'false'}>
      <h1>Sign in</h1>
      {shown !== null && <Alert>{shown}</Alert>}
      <form onSubmit={(event) => void signIn(event)} noValidate>
        <TextField
          label="API key"
          type="password"
          value={apiKey}
          onChange={setApiKey}
          fault={error !== null && apiKey !== '' ? error : null}
          hint="The first start of the gateway prints an admin key."
        />
        <p class="or">or</p>
        <TextField label="E-mail" type="email" autocomplete="username" value={email} onChange={setEmail} />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
        />
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  )
}
