/**
 * Sign-in with an API key, with e-mail and password, or through an identity provider, plus the code of a second factor
 * if the account has one. Entered values are sent and not stored.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError, call, load, urlOf, withQuery } from '../../api.ts'
import type { Answer } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { TextField } from '../../parts/field.tsx'
import { asApiError } from '../../query.tsx'
import { ownPath } from '../../router.tsx'
import { refusalText } from './sign-in-refusals.ts'

interface Props {
  /** Why the last session ended. */
  reason: string | null
  onDone: () => Promise<void>
  /** Whether it is shown in a dialog over a page whose changes must not be lost. */
  isOverPage?: boolean
}

interface Methods {
  hasPassword: boolean
  singleSignOn: readonly { name: string; url: string }[]
}

/** All forms are shown until the available methods are known. */
const allForms: Methods = { hasPassword: true, singleSignOn: [] }

/** Links to identity providers that return to the requested page. */
function singleSignOnOf({ oidc }: Answer<'get', '/v1/auth/methods'>): Methods['singleSignOn'] {
  const returnTo = ownPath(new URLSearchParams(location.search).get('return_to'))
  return oidc.flatMap(({ name, url }) =>
    /^https?:/.test(url) ? [{ name, url: withQuery(url, { return_to: returnTo }) }] : [],
  )
}

/** Six digits are a code of an authenticator app; a longer text is a recovery code. */
const secondFactorOf = (code: string) =>
  code === '' ? {} : /^\d{6}$/.test(code) ? { totp: code } : { recovery_code: code }

export function Login(props: Props) {
  const [isBusy, setBusy] = useState(true)
  useLayoutEffect(() => {
    document.title = 'Sign in · Console'
  }, [])
  return (
    <main id="main" class="alone" aria-busy={isBusy ? 'true' : 'false'}>
      <p class="brand">Gateway</p>
      <h1>Sign in</h1>
      <LoginForm {...props} onBusy={setBusy} />
    </main>
  )
}

/** The ways to sign in that the gateway offers. */
function useMethods({
  onError,
  onLoaded,
}: {
  onError: (error: ApiError) => void
  onLoaded: () => void
}): Methods {
  const [methods, setMethods] = useState(allForms)
  useEffect(() => {
    const control = new AbortController()
    load(urlOf('/v1/auth/methods'), { isSignIn: true, signal: control.signal })
      .then(
        (answer) => setMethods({ hasPassword: answer.password, singleSignOn: singleSignOnOf(answer) }),
        (fault) => {
          if (!control.signal.aborted) onError(asApiError(fault))
        },
      )
      .finally(onLoaded)
    return () => control.abort()
  }, [])
  return methods
}

const nothingEntered = () =>
  new ApiError(0, 'empty', {
    message: 'Enter an API key, or an e-mail address and a password.',
    faults: [],
  })

interface SingleSignOnProps {
  methods: Methods['singleSignOn']
  isOverPage: boolean
  onDone: () => Promise<void>
}

const SingleSignOn = ({ methods, isOverPage, onDone }: SingleSignOnProps) => (
  <ul class="methods" aria-label="Single sign-on">
    {methods.map(({ name, url }) => (
      <li key={url}>
        <a class="button" href={url} target={isOverPage ? '_blank' : undefined}>
          Sign in with {name}
        </a>
      </li>
    ))}
    {isOverPage && (
      <li>
        <button type="button" onClick={() => void onDone()}>
          I have signed in in the other tab
        </button>
      </li>
    )}
  </ul>
)

interface PasswordProps {
  email: string
  setEmail: (email: string) => void
  password: string
  setPassword: (password: string) => void
  fault: string | null
}

const PasswordFields = ({ email, setEmail, password, setPassword, fault }: PasswordProps) => (
  <>
    <p class="or">or</p>
    <TextField label="E-mail" type="email" autocomplete="username" value={email} onChange={setEmail} />
    <TextField
      label="Password"
      type="password"
      autocomplete="current-password"
      value={password}
      onChange={setPassword}
      fault={fault}
    />
  </>
)

export function LoginForm({
  reason,
  onDone,
  isOverPage = false,
  onBusy,
}: Props & { onBusy?: (isBusy: boolean) => void }) {
  const [apiKey, setApiKey] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const [refusal] = useState(() => refusalText(new URLSearchParams(location.search).get('error')))
  // The methods may arrive after the form was sent.
  const [isLoading, setLoading] = useState(true)
  const [isSending, setSending] = useState(false)
  useLayoutEffect(() => onBusy?.(isLoading || isSending), [isLoading, isSending])
  const methods = useMethods({ onError: setError, onLoaded: () => setLoading(false) })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (needsCode) form.current?.querySelector<HTMLInputElement>('[autocomplete="one-time-code"]')?.focus()
  }, [needsCode])
  const signIn = async (event: Event) => {
    event.preventDefault()
    const key = apiKey.trim()
    if (key === '' && email.trim() === '') {
      setError(nothingEntered())
      return
    }
    setSending(true)
    setError(null)
    try {
      const body =
        key === '' ? { email: email.trim(), password, ...secondFactorOf(code.trim()) } : { api_key: key }
      await call('POST', '/v1/auth/login', { body, isSignIn: true })
      setApiKey('')
      setPassword('')
      setCode('')
      await onDone()
    } catch (fault) {
      const known = asApiError(fault)
      if (known.code === 'totp_required') setNeedsCode(true)
      else setError(known)
    }
    setSending(false)
  }
  const message = error?.message ?? reason ?? refusal
  const isRefused = error?.status === 401
  return (
    <>
      {message !== null && <Alert>{message}</Alert>}
      {methods.singleSignOn.length > 0 && (
        <SingleSignOn methods={methods.singleSignOn} isOverPage={isOverPage} onDone={onDone} />
      )}
      <form ref={form} onSubmit={(event) => void signIn(event)} noValidate>
        <TextField
          label="API key"
          type="password"
          value={apiKey}
          onChange={setApiKey}
          fault={isRefused && apiKey !== '' ? error.message : null}
          hint="The gateway prints an admin key when it starts for the first time."
        />
        {methods.hasPassword && (
          <PasswordFields
            {...{ email, setEmail, password, setPassword }}
            fault={isRefused && apiKey === '' ? error.message : null}
          />
        )}
        {needsCode && (
          <TextField
            label="Code"
            autocomplete="one-time-code"
            value={code}
            onChange={setCode}
            hint="From your authenticator app, or a recovery code."
          />
        )}
        <button type="submit" class="primary" disabled={isSending}>
          Sign in
        </button>
      </form>
    </>
  )
}
