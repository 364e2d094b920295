/** The errors of a routing config that the caller may see. */
import {
  type ErrorCode,
  type Fault,
  isObject,
  type Json,
  type JsonObject,
  type ServiceContext,
} from '@gateway/contract'
import { slugKey, unknownName } from '@gateway/domain'
import { type Call, isId } from '../engine/index.ts'
import { shadowOf } from '../shared/index.ts'

/** A missing reference is an error of the config, not a 404. */
const asReference: Partial<Record<ErrorCode, ErrorCode>> = {
  unknown_virtual_key: 'invalid_config',
  unknown_config: 'invalid_config',
  not_found: 'invalid_config',
}

const maxProposed = 100

type ReferenceKind = 'provider' | 'guardrail' | 'prompt' | 'config'

const kindOf: Partial<Record<ErrorCode, ReferenceKind>> = {
  unknown_virtual_key: 'provider',
  unknown_guardrail: 'guardrail',
}

const titles: Readonly<Record<ReferenceKind, string>> = {
  provider: 'stored provider',
  guardrail: 'guardrail',
  prompt: 'prompt',
  config: 'saved config',
}

const listScopes: Readonly<Record<ReferenceKind, readonly string[]>> = {
  provider: ['providers.list'],
  guardrail: ['guardrails.list', 'organisation_guardrails.list'],
  prompt: ['prompts.list'],
  config: ['configs.list'],
}

/** The kinds of objects in the workspace that the caller may not list. */
async function unlistedBy(call: Call, workspaceId: string): Promise<ReadonlySet<ReferenceKind>> {
  const place = workspaceId === '' ? null : workspaceId
  const kinds = await Promise.all(
    (Object.keys(listScopes) as ReferenceKind[]).map(async (kind) => {
      const held = await Promise.all(listScopes[kind].map((scope) => call.holds(scope, place)))
      return held.includes(true) ? [] : [kind]
    }),
  )
  return new Set(kinds.flat())
}

/**
 * The errors that prevent saving a config: those of its schema, otherwise those of its references in this workspace.
 * Messages suggest only names that the caller may list. Paths begin with `/config`.
 */
export async function configFaults(
  call: Call<'checkConfig'>,
  config: JsonObject,
  workspaceId: string,
): Promise<Fault[]> {
  const faults = await faultsOf(call.context, config, workspaceId)
  if (faults.length === 0) return faults
  const unlisted = await unlistedBy(call, workspaceId)
  return faults.map(({ kind, ...fault }) =>
    kind === null || !unlisted.has(kind) ? fault : withoutNames(fault, titles[kind], config),
  )
}

/**
 * The same, without errors of references to objects that the caller may not list: each would reveal whether such a name
 * exists.
 */
export async function knowableFaults(
  call: Call<'checkConfig'>,
  config: JsonObject,
  workspaceId: string,
): Promise<Fault[]> {
  const [faults, unlisted] = await Promise.all([
    faultsOf(call.context, config, workspaceId),
    unlistedBy(call, workspaceId),
  ])
  return faults.flatMap(({ kind, ...fault }) => (kind !== null && unlisted.has(kind) ? [] : [fault]))
}

/** The error's message without names that are not in the config. */
function withoutNames(fault: Fault, what: string, config: JsonObject): Fault {
  const keys = fault.param.split('/').slice(2)
  const written = keys.reduce<Json | undefined>(
    (node, key) => (isObject(node) || Array.isArray(node) ? (node as JsonObject)[key] : undefined),
    config,
  )
  // A stored provider may be written as `@slug`, or as `@slug/model`.
  const name = String(written).replace(/^@([^/]*).*$/, '$1')
  return { ...fault, message: unknownName({ what, written: name, known: null }) }
}

/** An error, and the object that an invalid reference refers to. */
type ConfigFault = Fault & { kind: ReferenceKind | null }

async function faultsOf(
  context: ServiceContext<'checkConfig' | 'documents' | 'fileDocuments'>,
  config: JsonObject,
  workspaceId: string,
): Promise<ConfigFault[]> {
  const faults = await context.checkConfig(config, workspaceId)
  const found = faults.map((fault) => ({
    ...fault,
    code: asReference[fault.code] ?? fault.code,
    kind: kindOf[fault.code] ?? null,
  }))
  if (found.some(({ kind }) => kind === null)) return found
  return [...found, ...(await referenceFaults(context, config, workspaceId))]
}

/** Errors in references to prompts and to the configs of shadows. */
async function referenceFaults(
  context: ServiceContext<'documents' | 'fileDocuments'>,
  config: JsonObject,
  workspaceId: string,
): Promise<ConfigFault[]> {
  const missing: ConfigFault[] = []
  for (const reference of namesOf(config, '/config')) {
    const { param, name, kind } = reference
    if (await exists(context, reference, workspaceId)) continue
    const known = await slugsOf(context, kind, workspaceId)
    const message = unknownName({ what: titles[kind], written: name, known })
    missing.push({ param, code: 'invalid_config', message, kind })
  }
  return missing
}

/** Slugs that a message may suggest. */
async function slugsOf(
  context: ServiceContext<'documents' | 'fileDocuments'>,
  kind: Named['kind'],
  workspaceId: string,
): Promise<string[]> {
  const filter = { workspace_ids: [workspaceId], statuses: ['active'] }
  const order = { sort: 'created_at', order: 'desc' } as const
  const page = { offset: 0, limit: maxProposed }
  const { documents } = await context.documents.list(kind, filter, { ...order, ...page })
  return [...documents, ...declared(context, kind)].flatMap(({ slug }) => slug ?? [])
}

/** A reference to an object that only the control plane knows. */
interface Named {
  param: string
  kind: 'prompt' | 'config'
  /** The reference without its version. */
  name: string
}

function namesOf(node: JsonObject, param: string): Named[] {
  const { prompt_id: written, targets } = node
  const shadow = shadowOf(node)
  const below = (Array.isArray(targets) ? targets : []).flatMap((target, index) =>
    isObject(target) ? namesOf(target, `${param}/targets/${index}`) : [],
  )
  return [
    ...(typeof written === 'string'
      ? [{ param: `${param}/prompt_id`, kind: 'prompt' as const, name: written.replace(/@.*$/, '') }]
      : []),
    ...(typeof shadow === 'string'
      ? [{ param: `${param}/shadow/config`, kind: 'config' as const, name: shadow }]
      : []),
    ...(isObject(shadow) ? namesOf(shadow, `${param}/shadow/config`) : []),
    ...below,
  ]
}

const declared = (context: ServiceContext<'fileDocuments'>, kind: Named['kind']) =>
  context.fileDocuments().filter((document) => document.kind === kind)

async function exists(
  context: ServiceContext<'documents' | 'fileDocuments'>,
  { kind, name }: Named,
  workspaceId: string,
): Promise<boolean> {
  const { documents } = context
  if (declared(context, kind).some(({ id, slug }) => id === name || slug === name)) return true
  const found = isId(name)
    ? await documents.get(kind, name)
    : await documents.findByKey(kind, slugKey(workspaceId, name))
  return found !== null && found.status !== 'archived' && found.workspace_id === workspaceId
}
