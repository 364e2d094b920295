/** Who is signed in, and what they may do. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { call, setCsrfToken } from './api.ts'
import { rowOf, rowsOf, textsOf } from './json.ts'

interface Workspace {
  id: string
  slug: string
  name: string
}

export interface Session {
  name: string
  scopes: ReadonlySet<string>
  /** Of a person; an API key's are asked for where they are needed. */
  workspaces: readonly Workspace[]
}

export async function loadSession(): Promise<Session> {
  const self = await call('GET', '/v1/auth/self')
  const { csrf_token: token } = rowOf(self.session)
  setCsrfToken(typeof token === 'string' ? token : null)
  const workspaces = rowsOf(self.workspaces)
  const scopes = new Set([
    ...textsOf(self.scopes),
    ...workspaces.flatMap(({ scopes: own }) => textsOf(own)),
    ...rowsOf(self.organisations).flatMap(({ scopes: own }) => textsOf(own)),
  ])
  const { email } = rowOf(self.user)
  const { name } = rowOf(self.api_key)
  return {
    name: typeof email === 'string' ? email : `API key ${typeof name === 'string' ? name : ''}`.trim(),
    scopes,
    workspaces: workspaces.map((one) => ({
      id: String(one.id),
      slug: String(one.slug ?? one.id),
      name: String(one.name ?? one.slug ?? one.id),
    })),
  }
}

export const SessionContext = createContext<Session>({ name: '', scopes: new Set(), workspaces: [] })

/** Whether any of the scopes is held; no scope at all is held by everybody. */
export function useMay(): (scopes: readonly string[]) => boolean {
  const session = useContext(SessionContext)
  return (scopes) => scopes.length === 0 || scopes.some((scope) => session.scopes.has(scope))
}
