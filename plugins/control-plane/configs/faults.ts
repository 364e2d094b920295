/** The faults of a routing config, as far as the caller may know of them. */
import {
  type ErrorCode,
  type Fault,
  isObject,
  type Json,
  type JsonObject,
  type ServiceContext,
} from '@gateway/contract'
import { slugKey, unknownName } from '@gateway/core/domain'
import { type Call, isId } from '../engine/index.ts'

/** A missing reference is a fault of the config, not a 404. */
const asReference: Partial<Record<ErrorCode, ErrorCode>> = {
  unknown_virtual_key: 'invalid_config',
  unknown_config: 'invalid_config',
  not_found: 'invalid_config',
}

const maxProposed = 100

type ReferenceKind = 'provider' | 'guardrail' | 'prompt'

const kindOf: Partial<Record<ErrorCode, ReferenceKind>> = {
  unknown_virtual_key: 'provider',
  unknown_guardrail: 'guardrail',
}

const titles: Readonly<Record<ReferenceKind, string>> = {
  provider: 'stored provider',
  guardrail: 'guardrail',
  prompt: 'prompt',
}

const listScopes: Readonly<Record<ReferenceKind, readonly string[]>> = {
  provider: ['providers.list'],
  guardrail: ['guardrails.list', 'organisation_guardrails.list'],
  prompt: ['prompts.list'],
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
 * The faults that prevent saving a config: of its schema, or else of its references in this workspace. Messages propose
 * only names that the caller may list. Paths begin with `/config`.
 */
export async function configFaults(call: Call, config: JsonObject, workspaceId: string): Promise<Fault[]> {
  const faults = await faultsOf(call.context, config, workspaceId)
  if (faults.length === 0) return faults
  const unlisted = await unlistedBy(call, workspaceId)
  return faults.map(({ kind, ...fault }) =>
    kind === null || !unlisted.has(kind) ? fault : withoutNames(fault, titles[kind], config),
  )
}

/** The same, without those of references to what the caller may not list: each would tell whether such a name exists. */
export async function knowableFaults(call: Call, config: JsonObject, workspaceId: string): Promise<Fault[]> {
  const [faults, unlisted] = await Promise.all([
    faultsOf(call.context, config, workspaceId),
    unlistedBy(call, workspaceId),
  ])
  return faults.flatMap(({ kind, ...fault }) => (kind !== null && unlisted.has(kind) ? [] : [fault]))
}

/** The fault's message without names that were not written. */
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

/** A fault, and what a faulty reference refers to. */
type ConfigFault = Fault & { kind: ReferenceKind | null }

async function faultsOf(
  context: ServiceContext,
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
  return [...found, ...(await promptFaults(context, config, workspaceId))]
}

async function promptFaults(
  context: ServiceContext,
  config: JsonObject,
  workspaceId: string,
): Promise<ConfigFault[]> {
  const missing: ConfigFault[] = []
  for (const { param, name } of promptsOf(config, '/config')) {
    if (await isPrompt(context, name, workspaceId)) continue
    const known = await promptSlugs(context, workspaceId)
    const message = unknownName({ what: titles.prompt, written: name, known })
    missing.push({ param, code: 'invalid_config', message, kind: 'prompt' })
  }
  return missing
}

/** Slugs that a message may suggest. */
async function promptSlugs({ ports }: ServiceContext, workspaceId: string): Promise<string[]> {
  const filter = { workspace_ids: [workspaceId], statuses: ['active'] }
  const order = { sort: 'created_at', order: 'desc' } as const
  const { documents } = await ports.documents.list('prompt', filter, order, { offset: 0, limit: maxProposed })
  return documents.flatMap(({ slug }) => slug ?? [])
}

interface PromptReference {
  param: string
  /** The name without a version suffix. */
  name: string
}

function promptsOf(node: JsonObject, param: string): PromptReference[] {
  const { prompt_id: written, targets } = node
  const own =
    typeof written === 'string' ? [{ param: `${param}/prompt_id`, name: written.replace(/@.*$/, '') }] : []
  const below = (Array.isArray(targets) ? targets : []).flatMap((target, index) =>
    isObject(target) ? promptsOf(target, `${param}/targets/${index}`) : [],
  )
  return [...own, ...below]
}

async function isPrompt({ ports }: ServiceContext, name: string, workspaceId: string): Promise<boolean> {
  const kind = 'prompt'
  const found = isId(name)
    ? await ports.documents.get(kind, name)
    : await ports.documents.findByKey(kind, slugKey(workspaceId, name))
  return found !== null && found.status !== 'archived' && found.workspace_id === workspaceId
}
