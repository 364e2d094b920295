/** The signed-in user and their scopes. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { load, setCsrfToken, urlOf } from './api.ts'

interface Workspace {
  id: string
  slug: string
  name: string
}

export interface Session {
  name: string
  /** Whether a person is signed in, not an API key. */
  isPerson: boolean
  scopes: ReadonlySet<string>
  /** A person's workspaces. For an API key, they are loaded where they are needed. */
  workspaces: readonly Workspace[]
}

export async function loadSession(): Promise<Session> {
  const self = await load(urlOf('/v1/auth/self'))
  setCsrfToken(self.session?.csrf_token ?? null)
  const workspaces = self.workspaces ?? []
  const scopes = new Set([...(self.scopes ?? []), ...workspaces.flatMap(({ scopes: own }) => own)])
  return {
    name: self.user?.email ?? `API key ${self.api_key?.name ?? ''}`.trim(),
    isPerson: self.user !== null && self.user !== undefined,
    scopes,
    workspaces: workspaces.map(({ id, slug, name }) => ({
      id,
      slug: slug ?? id,
      name: name ?? slug ?? id,
    })),
  }
}

export const SessionContext = createContext<Session>({
  name: '',
  isPerson: false,
  scopes: new Set(),
  workspaces: [],
})

/** Returns whether the session has any of the given scopes. An empty list is always allowed. */
export function useMay(): (scopes: readonly string[]) => boolean {
  const session = useContext(SessionContext)
  return (scopes) => scopes.length === 0 || scopes.some((scope) => session.scopes.has(scope))
}
