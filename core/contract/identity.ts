/** The caller. */

export type OrganisationRole = 'owner' | 'admin' | 'member'

/** The owner of an API key: the organisation, a workspace, or a person in a workspace. */
export type KeyClass = 'organisation-service' | 'workspace-service' | 'workspace-user'

export interface Identity {
  /** The kind of credential. The admin key has every scope. */
  type: 'admin' | KeyClass | 'session' | 'jwt' | 'scim' | 'oauth'
  /** The id of the API key; null for every other credential. */
  keyId: string | null
  /** Which secret of the key was used; null for other credentials and keys of the config file. */
  keyVersion: number | null
  /** The id of the session that was used. */
  sessionId?: string
  /** The name of the key, or the person's e-mail address. */
  name: string
  organisationId: string
  /** The workspace that the credential is bound to; null for credentials of the organisation and for sessions. */
  boundWorkspaceId: string | null
  /** The workspace of the request, by slug and id: the bound one, or the one that the request names. */
  workspace: string
  workspaceId: string
  userId: string | null
  /** The person's role in the organisation; null for service keys. */
  role: OrganisationRole | null
  /** Its scopes in its workspace, including those of a person's current role; `*` means every scope. */
  scopes: ReadonlySet<string>
}
