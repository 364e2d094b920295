/** Loads the session and shows the page of the URL, or the sign-in page if there is no session. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, listenSignedOut, setCsrfToken, withQuery } from './api.ts'
import { AcceptInvite } from './pages/sign-in/accept-invite.tsx'
import { Login, LoginForm } from './pages/sign-in/login.tsx'
import { Alert } from './parts/alert.tsx'
import { Dialog } from './parts/dialog.tsx'
import { Skeleton } from './parts/skeleton.tsx'
import { asApiError } from './query.tsx'
import { navigate, ownPath, root, useLocation, visit } from './router.tsx'
import { Routes } from './routes.tsx'
import { loadSession, type Session, SessionContext } from './session.tsx'
import { Shell } from './shell.tsx'
import { dropUnsaved, hasUnsaved } from './unsaved.tsx'

const loginPath = `${root}/login`
const isSignInPath = (path: string) => path === loginPath || path === `${root}/sign-in`
const sessionEnded = 'Your session has ended. Sign in again to continue.'

export function App() {
  const { segments, query, url } = useLocation()
  const [session, setSession] = useState<Session | null>(null)
  const [reason, setReason] = useState<string | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  /** Whether the session has ended on a page with unsaved changes, which stays open. */
  const [isExpired, setExpired] = useState(false)
  const [page] = segments
  const isSignIn = page === 'login' || page === 'sign-in'
  const isOpen = isSignIn || page === 'accept-invite'

  const load = useCallback(async () => {
    setError(null)
    try {
      setSession(await loadSession())
      return true
    } catch (fault) {
      const known = asApiError(fault)
      if (known.status !== 401) setError(known)
      return false
    }
  }, [])
  const toLogin = (why: string | null) => {
    setCsrfToken(null)
    dropUnsaved()
    setExpired(false)
    setSession(null)
    setReason(why)
    const here = location.pathname + location.search
    visit(isSignInPath(location.pathname) ? here : withQuery(loginPath, { return_to: here }), true)
  }
  const wasSignedIn = useRef(false)
  wasSignedIn.current = session !== null
  useEffect(
    () =>
      listenSignedOut(() => {
        if (wasSignedIn.current && hasUnsaved()) setExpired(true)
        else toLogin(wasSignedIn.current ? sessionEnded : null)
      }),
    [],
  )
  useEffect(() => {
    if (!isOpen && session === null) void load()
  }, [isOpen])

  const signedIn = async () => {
    setReason(null)
    await load()
    navigate(ownPath(new URLSearchParams(location.search).get('return_to')), true)
  }
  if (isSignIn) return <Login reason={reason} onDone={signedIn} />
  if (page === 'accept-invite') return <AcceptInvite token={query.get('token') ?? ''} onDone={signedIn} />
  if (session === null) {
    return (
      <main id="main" aria-busy={error === null ? 'true' : 'false'}>
        <h1>Console</h1>
        {error === null && <Skeleton />}
        {error !== null && <Alert onRetry={() => void load()}>{error.message}</Alert>}
      </main>
    )
  }
  return (
    <SessionContext.Provider value={session}>
      <Shell segments={segments} onSignedOut={() => toLogin(null)}>
        <Routes key={keyOf(url)} segments={segments} />
      </Shell>
      {isExpired && (
        <Dialog title="Sign in again" onClose={() => setExpired(false)}>
          <LoginForm
            reason="Your session has ended. Your changes are still on the page: sign in, then save them."
            isOverPage
            onDone={async () => {
              if (await load()) setExpired(false)
            }}
          />
        </Dialog>
      )}
    </SessionContext.Provider>
  )
}

/** A page is kept as long as its path stays the same; filters change it in place. */
const keyOf = (url: string) => url.split('?', 1)[0]
