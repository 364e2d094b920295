/** Which scope family applies to a document, and which families the caller has in which workspaces. */
import type { DocumentFilter, StoredDocument } from '@gateway/contract'
import type { Reach } from '@gateway/domain'
import type { Call } from './call.ts'
import { listAll } from './create-call.ts'
import { forbidden, missingScope } from './errors.ts'
import { isDeclared } from './present.ts'
import type { FamilyRule, Resource } from './resource.ts'

type Placed = Pick<StoredDocument, 'workspace_id' | 'attributes' | 'data'>

/**
 * The family of a document. Objects that the config file declares for every workspace belong to the workspaces' family.
 */
function ruleOf(resource: Resource, document: Placed): FamilyRule | null {
  const isShared = resource.level === 'workspace' || isDeclared(document)
  const level = document.workspace_id === null && !isShared ? 'organisation' : 'workspace'
  const fits = (rule: FamilyRule) =>
    Object.entries(rule.attribute ?? {}).every(([name, value]) => document.attributes[name]?.includes(value))
  const rules = resource.families.filter((rule) => rule.isListOnly !== true && fits(rule))
  return (
    rules.find((rule) => (rule.level ?? level) === level) ??
    (isDeclared(document) ? (rules[0] ?? null) : null)
  )
}

export const scopesFor = (resource: Resource, actions: readonly string[]): string[] =>
  resource.families.flatMap(({ family }) => actions.map((action) => `${family}.${action}`))

/** Throws `missing_scope` before anything is looked up, unless the caller has the action of some family somewhere. */
export async function requireSomewhere(call: Call, scopes: readonly string[]): Promise<void> {
  const visible = await call.visibleWorkspaces()
  for (const scope of scopes) {
    if (await call.holds(scope, null)) return
    for (const id of visible ?? []) if (await call.holds(scope, id)) return
  }
  throw missingScope(scopes)
}

/** Throws unless the caller may perform one of the actions on this document. */
export async function requireFor(
  resource: Resource,
  call: Call,
  { actions, document }: { actions: readonly string[]; document: StoredDocument },
): Promise<void> {
  const rule = ruleOf(resource, document)
  const scopes = rule === null ? [] : actions.map((action) => `${rule.family}.${action}`)
  const best = await bestReach(call, scopes, placeOf(resource, document))
  if (best === null) throw missingScope(scopes)
  if (best === 'own' && resource.hooks?.ownerId?.(document) !== call.identity.userId) {
    throw forbidden(`This ${resource.title} belongs to another user.`, 'path/id')
  }
}

/** The workspace whose rights apply to a document. */
export const placeOf = ({ hooks }: Resource, document: StoredDocument): string | null =>
  hooks?.placeOf === undefined ? document.workspace_id : hooks.placeOf(document)

async function bestReach(
  call: Call,
  scopes: readonly string[],
  workspaceId: string | null,
): Promise<Reach | null> {
  let best: Reach | null = null
  for (const scope of scopes) {
    if (best === 'all') break
    best = (await call.reach(scope, workspaceId)) ?? best
  }
  return best
}

interface Allowed {
  rule: FamilyRule
  /** The filter for the organisation's documents; null: none of them. `all`: documents of every workspace. */
  workspaces: readonly string[] | 'all'
  isOrganisation: boolean
  isOwn: boolean
}

/**
 * Disjoint filters that together cover what the caller may list. Throws `missing_scope` when the caller may list
 * nothing.
 */
export async function listFilters(
  resource: Resource,
  call: Call,
  workspaceId: string | null,
): Promise<DocumentFilter[]> {
  const allowed: Allowed[] = []
  for (const rule of resource.families)
    allowed.push(...(await allowedBy(resource, rule, { call, workspaceId })))
  if (allowed.length === 0) throw missingScope(scopesFor(resource, ['list']))
  if (workspaceId === null && isEverything(resource, allowed))
    return [{ organisation_id: call.organisationId }]
  const groups = new Map<string, { filter: DocumentFilter; rules: FamilyRule[] }>()
  for (const one of allowed) {
    const filter = await filterOf(resource, one, call)
    const key = JSON.stringify([
      filter.workspace_ids ?? null,
      one.isOwn,
      Object.keys(one.rule.attribute ?? {}),
    ])
    const group = groups.get(key) ?? { filter, rules: [] }
    group.rules.push(one.rule)
    groups.set(key, group)
  }
  return joined([...groups.values()].map(({ filter, rules }) => withAttributes(filter, rules)))
}

/** Whether the caller may list every family completely; one filter then suffices. */
function isEverything({ families, level }: Resource, allowed: readonly Allowed[]): boolean {
  return families.every((rule) => {
    const mine = allowed.filter((one) => one.rule === rule && !one.isOwn)
    const ruled = rule.level ?? level
    const hasOrganisation = ruled === 'workspace' || mine.some(({ isOrganisation }) => isOrganisation)
    return (
      hasOrganisation && (ruled === 'organisation' || mine.some(({ workspaces }) => workspaces === 'all'))
    )
  })
}

async function allowedBy(
  resource: Resource,
  rule: FamilyRule,
  { call, workspaceId }: { call: Call; workspaceId: string | null },
): Promise<Allowed[]> {
  const scope = `${rule.family}.list`
  const level = rule.level ?? (resource.level === 'either' ? undefined : resource.level)
  const found: Allowed[] = []
  if (level !== 'workspace' && (workspaceId === null || rule.isShared === true || level === 'organisation')) {
    const isListed = resource.level === 'organisation' || workspaceId === null || rule.isShared === true
    const reach = isListed ? await call.reach(scope, null) : null
    if (reach !== null) found.push({ rule, workspaces: [], isOrganisation: true, isOwn: reach === 'own' })
  }
  if (level === 'organisation' || resource.level === 'organisation') return found
  const visible = workspaceId === null ? await call.visibleWorkspaces() : [workspaceId]
  if (visible === null) {
    const reach = await call.reach(scope, null)
    if (reach !== null) {
      found.push({ rule, workspaces: 'all', isOrganisation: false, isOwn: reach === 'own' })
    }
    return found
  }
  const byReach: Record<Reach, string[]> = { all: [], own: [] }
  for (const id of visible) {
    const reach = await call.reach(scope, id)
    if (reach !== null) byReach[reach].push(id)
  }
  for (const reach of ['all', 'own'] as const) {
    if (byReach[reach].length === 0) continue
    found.push({ rule, workspaces: byReach[reach], isOrganisation: false, isOwn: reach === 'own' })
  }
  return found
}

async function filterOf(
  resource: Resource,
  { rule, workspaces, isOrganisation, isOwn }: Allowed,
  call: Call,
): Promise<DocumentFilter> {
  const filter: DocumentFilter = { organisation_id: call.organisationId }
  if (isOwn) filter.attributes = { user_id: [call.identity.userId ?? ''] }
  if (resource.level === 'organisation') return filter
  if (isOrganisation) filter.workspace_ids = [null]
  else if (workspaces !== 'all') filter.workspace_ids = workspaces
  // A filter cannot express "in any workspace". Where no attribute restricts the documents, the workspaces are listed.
  else if (resource.level === 'either' && rule.attribute === undefined)
    filter.workspace_ids = await allWorkspaceIds(call)
  return filter
}

/** Merges rules that differ in one attribute into one filter with all of its values. */
function withAttributes(filter: DocumentFilter, rules: readonly FamilyRule[]): DocumentFilter {
  const attributes: Record<string, readonly string[]> = { ...filter.attributes }
  for (const rule of rules) {
    for (const [name, value] of Object.entries(rule.attribute ?? {})) {
      attributes[name] = [...(attributes[name] ?? []), value]
    }
  }
  return Object.keys(attributes).length === 0 ? filter : { ...filter, attributes }
}

/**
 * Merges the filter for the organisation's documents and the one for named workspaces when their attributes are the
 * same.
 */
function joined(filters: readonly DocumentFilter[]): DocumentFilter[] {
  const found: DocumentFilter[] = []
  for (const filter of filters) {
    const same = found.find(
      (one) =>
        one.workspace_ids !== undefined &&
        filter.workspace_ids !== undefined &&
        JSON.stringify(one.attributes ?? {}) === JSON.stringify(filter.attributes ?? {}),
    )
    if (same === undefined) found.push({ ...filter })
    else same.workspace_ids = [...new Set([...(same.workspace_ids ?? []), ...(filter.workspace_ids ?? [])])]
  }
  return found
}

/** Handles a filter for every workspace without the organisation's own documents. */
async function allWorkspaceIds(call: Call): Promise<string[]> {
  const stored = await listAll(call, 'workspace', { organisation_id: call.organisationId })
  return stored.map(({ id }) => id)
}
