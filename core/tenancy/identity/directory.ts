/**
 * The objects that a credential's rights depend on: its organisation, its workspace, its user, and that user's
 * membership. Cached; see document-cache.ts for freshness and behaviour without the store.
 */
import type { DocumentChange, StoredDocument } from '@gateway/contract'
import {
  defaultWorkspaceId,
  firstOrganisationId,
  isOfKind,
  kinds,
  type MemberData,
  type OrganisationData,
  slugKey,
  type TypedDocuments,
  type UserData,
  type WorkspaceData,
} from '@gateway/domain'
import { createDocumentCache, knownForMs } from './document-cache.ts'

/** A document with its data typed by kind. */
export interface Known<Data> {
  document: StoredDocument<Data>
  data: Data
}

/** The objects that a credential's rights depend on; null members do not apply or do not exist. */
export interface Surroundings {
  organisation: Known<OrganisationData> | null
  workspace: Known<WorkspaceData> | null
  user: Known<UserData> | null
  member: Known<MemberData> | null
}

/** The credential whose objects are loaded. */
export interface Place {
  organisationId: string
  workspaceId: string | null
  userId: string | null
}

export interface Directory {
  /** The objects, if they are cached; undefined if the store must be queried. */
  peek(place: Place): Surroundings | undefined
  /** Errors: `store_unavailable`. */
  load(place: Place): Promise<Surroundings>
  /** The objects, if they are cached; undefined if the store must be queried. */
  peekOrganisation(id: string): Known<OrganisationData> | null | undefined
  /** Errors: `store_unavailable`. */
  loadOrganisation(id: string): Promise<Known<OrganisationData> | null>
  /** A workspace of an organisation by id or slug. */
  findWorkspace(organisationId: string, idOrSlug: string): Promise<Known<WorkspaceData> | null>
  /**
   * Slugs of an organisation's workspaces; with `memberId`, of those that the person is a member of.
   * @param most the maximum number; default: as many as fit in a message
   */
  workspaceSlugs(organisationId: string, memberId: string | null, most?: number): Promise<string[]>
  findUser(email: string): Promise<Known<UserData> | null>
  /** All organisations; there are few. */
  organisations(): Promise<readonly Known<OrganisationData>[]>
  forget(changes: readonly DocumentChange[]): void
}

export interface DirectoryOptions {
  documents: TypedDocuments
  /** The objects that the config file declares. */
  declared(): readonly StoredDocument[]
  now(): number
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const maxOrganisations = 1_000
/** The list of organisations is reread after this time, in case a change notification was lost. */
const listedForMs = 30_000
const maxPersons = 100_000
/** The maximum number of names in a message. */
const maxProposed = 100
const maxWorkspaces = 20_000

export function createDirectory({ documents, declared, now }: DirectoryOptions): Directory {
  const cacheOf = <Data>(
    kind: string,
    find: (lookup: string) => Promise<StoredDocument<Data> | null>,
    max: number,
  ) =>
    createDocumentCache({
      kind,
      find,
      make: (document: StoredDocument<Data>): Known<Data> => ({ document, data: document.data }),
      max,
      now,
      keepsAbsent: true,
    })
  const byId = <Kind extends string>(kind: Kind, max: number) =>
    cacheOf(kind, (id) => documents.get(kind, id), max)
  const byKey = <Kind extends string>(kind: Kind, max: number) =>
    cacheOf(kind, (key) => documents.findByKey(kind, key), max)
  const organisations = byId(kinds.organisation, maxOrganisations)
  const workspaces = byId(kinds.workspace, maxWorkspaces)
  const workspacesBySlug = byKey(kinds.workspace, maxWorkspaces)
  const users = byId(kinds.user, maxPersons)
  const usersByEmail = byKey(kinds.user, maxPersons)
  const members = byKey(kinds.member, maxPersons)
  const caches = [organisations, workspaces, workspacesBySlug, users, usersByEmail, members]
  const fileWorkspaces = createFileWorkspaces()
  /** Objects of the config file are not looked up in the store. */
  const peekWorkspace = (id: string) =>
    fileWorkspaces(declared()).get(id) ?? orDefault(id, workspaces.peek(id))
  const loadWorkspace = async (id: string) =>
    fileWorkspaces(declared()).get(id) ?? orDefault(id, await workspaces.load(id)) ?? null

  const listed = createList(now, async () => {
    const page = await documents.list(
      kinds.organisation,
      { statuses: ['active'] },
      { sort: 'created_at', order: 'asc', offset: 0, limit: maxOrganisations },
    )
    return page.documents.map((document) => ({ document, data: document.data }))
  })

  return {
    peek({ organisationId, workspaceId, userId }) {
      const workspace = workspaceId === null ? null : peekWorkspace(workspaceId)
      if (workspace === undefined) return undefined
      if (userId === null) return { organisation: null, workspace, user: null, member: null }
      const organisation = organisations.peek(organisationId)
      const user = users.peek(userId)
      const member = workspaceId === null ? null : members.peek(memberKey(workspaceId, userId))
      if (organisation === undefined || user === undefined || member === undefined) return undefined
      return { organisation, workspace, user, member }
    },
    async load({ organisationId, workspaceId, userId }) {
      const [workspace, organisation, user, member] = await Promise.all([
        workspaceId === null ? null : loadWorkspace(workspaceId),
        userId === null ? null : organisations.load(organisationId),
        userId === null ? null : users.load(userId),
        userId === null || workspaceId === null ? null : members.load(memberKey(workspaceId, userId)),
      ])
      return { organisation, workspace, user, member }
    },
    peekOrganisation: (id) => organisations.peek(id),
    loadOrganisation: (id) => organisations.load(id),
    async findWorkspace(organisationId, idOrSlug) {
      const isOwn = (found: Known<WorkspaceData>) => found.document.organisation_id === organisationId
      for (const found of fileWorkspaces(declared()).values()) {
        if ((found.document.id === idOrSlug || found.document.slug === idOrSlug) && isOwn(found)) return found
      }
      const found =
        (uuid.test(idOrSlug) ? await workspaces.load(idOrSlug) : null) ??
        (await workspacesBySlug.load(slugKey(organisationId, idOrSlug))) ??
        orDefault(idOrSlug === 'default' ? defaultWorkspaceId : idOrSlug, null)
      return found !== null && found !== undefined && isOwn(found) ? found : null
    },
    async workspaceSlugs(organisationId, memberId, most = maxProposed) {
      const range = { offset: 0, limit: most }
      const filter = { organisation_id: organisationId, statuses: ['active'] }
      if (memberId !== null) {
        const own = { ...filter, attributes: { user_id: [memberId] } }
        const { documents: memberships } = await documents.list(kinds.member, own, range)
        const ids = new Set(memberships.flatMap(({ workspace_id }) => workspace_id ?? []))
        const found = await Promise.all([...ids].map(loadWorkspace))
        return found.flatMap((one) => (one?.document.status === 'active' ? (one.document.slug ?? []) : []))
      }
      const stored = await documents.list(kinds.workspace, filter, range)
      const inFile = [...fileWorkspaces(declared()).values()]
        .map(({ document }) => document)
        .filter(({ organisation_id }) => organisation_id === organisationId)
      return [...new Set([...inFile, ...stored.documents].flatMap(({ slug }) => slug ?? []))]
    },
    findUser: (email) => usersByEmail.load(`email:${email.toLowerCase()}`),
    organisations: listed.read,
    forget(changes) {
      for (const cache of caches) cache.forget(changes)
      if (changes.length === 0 || changes.some(({ kind }) => kind === kinds.organisation)) listed.forget()
    },
  }
}

/** A shared list; the last one stays in use when the store does not answer. */
function createList<T>(now: () => number, read: () => Promise<readonly T[]>) {
  let known: { list: readonly T[]; readAt: number } | null = null
  let isCurrent = false
  let reading: Promise<readonly T[]> | null = null

  async function ask(): Promise<readonly T[]> {
    isCurrent = true
    try {
      const list = await read()
      known = { list, readAt: now() }
      return list
    } catch (error) {
      isCurrent = false
      if (known !== null && now() - known.readAt <= knownForMs) return known.list
      throw error
    } finally {
      reading = null
    }
  }

  return {
    read(): Promise<readonly T[]> {
      if (known !== null && isCurrent && now() - known.readAt < listedForMs)
        return Promise.resolve(known.list)
      reading ??= ask()
      return reading
    },
    /** Data read meanwhile may be older than the change. */
    forget() {
      isCurrent = false
    },
  }
}

/** The unique key of a membership. */
const memberKey = (workspaceId: string, userId: string) => `member:${workspaceId}/${userId}`

/** The default workspace exists before anything is stored. */
function orDefault<T extends Known<WorkspaceData> | null | undefined>(
  id: string,
  found: T,
): T | Known<WorkspaceData> {
  return found === null && id === defaultWorkspaceId ? defaultWorkspace : found
}

const defaultWorkspace: Known<WorkspaceData> = (() => {
  const data: WorkspaceData = {
    usage_limits: [],
    rate_limits: [],
    defaults: {
      metadata: null,
      config_id: null,
      allow_config_override: true,
      input_guardrails: null,
      output_guardrails: null,
      user_api_key_config: null,
    },
    settings: {},
    last_reset_at: null,
  }
  return {
    document: {
      kind: kinds.workspace,
      id: defaultWorkspaceId,
      organisation_id: firstOrganisationId,
      workspace_id: null,
      slug: 'default',
      name: 'default',
      status: 'active',
      version: 0,
      created_at: 0,
      last_updated_at: 0,
      keys: [slugKey(firstOrganisationId, 'default')],
      attributes: {},
      data,
    },
    data,
  }
})()

/** Workspaces of the config file by id; created each time that the file is read. */
function createFileWorkspaces() {
  const made = new WeakMap<readonly StoredDocument[], ReadonlyMap<string, Known<WorkspaceData>>>()
  return (documents: readonly StoredDocument[]) => {
    const known = made.get(documents)
    if (known !== undefined) return known
    const map = new Map(
      documents
        .filter((document) => isOfKind(document, kinds.workspace))
        .map((document) => [document.id, { document, data: document.data }]),
    )
    made.set(documents, map)
    return map
  }
}
