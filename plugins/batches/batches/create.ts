/**
 * `POST /v1/batches`. Order of checks: body, target, file.
 * A managed file is run here for either window; a provider's file with the window `immediate` is fetched first; anything
 * else goes to the provider.
 */
import {
  type BatchHold,
  type BatchNeed,
  type EndpointRequest,
  type EndpointTarget,
  GatewayError,
  isObject,
  type JsonObject,
  type ServiceAnswer,
  type ServiceContext,
} from '@gateway/contract'
import { batchCreate, batchEndpoints } from '@gateway/contract/wire'
import { type DocumentOf, derivedId } from '@gateway/core/domain'
import type { FileLibrary } from '../files/library.ts'
import { blank } from '../files/library.ts'
import type { AuditLog } from '../shared/audit.ts'
import { callerOf, keptCaller } from '../shared/caller.ts'
import type { BatchData, Owner, ProviderBatch } from '../shared/entities.ts'
import { check, invalidBody, invalidFile, noProvider } from '../shared/faults.ts'
import { newId, readId, writeId } from '../shared/ids.ts'
import { estimateBatch } from './estimate.ts'
import { fetchInput, openInputApart } from './fetch-input.ts'
import { holdMs, keepHold, releaseHold } from './hold.ts'
import { readNeeds } from './need.ts'
import { presentBatch } from './present.ts'
import type { BatchDocument } from './store.ts'

export interface CreateParts {
  context: ServiceContext
  files: FileLibrary
  audit: AuditLog
  /** Something is there to be run. */
  nudge(): void
}

type Body = {
  input_file_id: string
  completion_window: 'immediate' | '24h'
  endpoint: string
  metadata?: Record<string, string> | null
  model?: string
  dry_run?: boolean
  output_expires_after?: { seconds: number }
  provider_options?: JsonObject
}

const maxLineBytes = 26_214_400
const windowMs = 86_400_000

const checks = new WeakMap<ServiceContext, ReturnType<ServiceContext['validator']>>()

export async function createBatch(
  parts: CreateParts,
  request: EndpointRequest,
): Promise<ServiceAnswer | null> {
  const { context } = parts
  const isOurs = readId('file', textOf(request.body.input_file_id)) !== null
  const isImmediate = request.body.completion_window === 'immediate'
  const body = readBody(context, request.body, isOurs || isImmediate)
  const targets = await request.targets()
  if (targets.length === 0)
    throw noProvider(
      'No provider specified: send x-gateway-virtual-key, x-gateway-provider or a config; a batch needs one.',
    )
  if (!(isOurs || isImmediate)) return createAtProvider(parts, request, targets, body)
  const target = isImmediate ? null : onlyTarget(targets)
  const file = isOurs ? await findInput(parts, request, body) : await fetchInput(parts, request, body)
  const isRunHere = target === null || target.provider === 'echo'
  if (body.dry_run === true) return dryRun(parts, body, file, { targets, isBatchPriced: !isRunHere })
  const owner = file.data.owner
  if (isRunHere)
    return { status: 200, body: await make(parts, request, { body, file, owner, provider: null }) }
  const provider = providerOf(target, body)
  checkLinesOf(context, target, body)
  const hold = await reserve(parts, request, { body, file })
  try {
    return {
      status: 200,
      body: await make(parts, request, { body, file, owner, provider: { ...provider, hold } }),
    }
  } catch (error) {
    await releaseHold(context, hold)
    throw error
  }
}

/** What all lines may need is held as long as the batch lives. Errors: 412 `usage_limit_exceeded`. */
async function reserve(
  { context, files }: CreateParts,
  request: EndpointRequest,
  { body, file }: { body: Body; file: DocumentOf<'file'> },
): Promise<BatchHold | null> {
  const { endpoint, model = null } = body
  const hold = await request.reserveBatch(endpoint, holdMs, async () =>
    readNeeds(await files.read(file), { endpoint, maxLineBytes, model }),
  )
  return keepHold(context, hold)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Unknown members go on to a provider; here they are faults. */
function readBody(context: ServiceContext, body: JsonObject, isManaged: boolean): Body {
  const known = checks.get(context) ?? context.validator(batchCreate, 'invalid_body')
  checks.set(context, known)
  const names = Object.keys(batchCreate.properties)
  const judged = isManaged
    ? body
    : Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
  const faults = known(judged)
  check(faults)
  // The schema that was just passed is the source of the type.
  const read = judged as Body
  if (read.completion_window === '24h' && !batchEndpoints.some((one) => one === read.endpoint))
    throw invalidBody('/endpoint', `must be one of ${batchEndpoints.join(', ')} for the window 24h`)
  return read
}

function onlyTarget(targets: readonly EndpointTarget[]): EndpointTarget {
  const [target, ...others] = targets
  if (target === undefined || others.length > 0)
    throw noProvider(`The config has ${targets.length} targets, and the window 24h needs exactly one.`)
  return target
}

async function findInput({ files }: CreateParts, request: EndpointRequest, body: Body) {
  const file = await files.find(body.input_file_id, callerOf(request).workspaceId, '/input_file_id')
  if (file.data.purpose !== 'batch')
    throw invalidFile('/input_file_id', `the file has the purpose ${file.data.purpose}, and must have batch`)
  return file
}

async function dryRun(
  { context, files }: CreateParts,
  body: Body,
  file: DocumentOf<'file'>,
  run: { targets: readonly EndpointTarget[]; isBatchPriced: boolean },
): Promise<ServiceAnswer> {
  const estimate = await estimateBatch({
    context,
    source: await files.read(file),
    endpoint: body.endpoint,
    maxLineBytes,
    model: body.model ?? null,
    ...run,
  })
  return { status: 200, body: estimate }
}

async function createAtProvider(
  parts: CreateParts,
  request: EndpointRequest,
  targets: readonly EndpointTarget[],
  body: Body,
): Promise<null> {
  const [target, ...others] = targets
  // What the runner submits is booked as the batch that it is part of; more than one target is refused.
  if (request.isExempt || target === undefined || others.length > 0) {
    await request.forward(request.body)
    return null
  }
  const { endpoint, model = null } = body
  return createWatched(parts, request, {
    target,
    format: formatOf(target, endpoint),
    body,
    need: async () =>
      readNeeds(await openInputApart(parts.context, request, body.input_file_id), {
        endpoint,
        maxLineBytes,
        model,
      }),
  })
}

interface Watched {
  target: EndpointTarget
  /** Null for a provider that will refuse it. */
  format: ProviderBatch['format'] | null
  body: Body
  need(): Promise<BatchNeed[]>
}

/** Creates a batch of the provider's own: its need is held, and it is kept until it ends, so that it is booked once. */
export async function createWatched(
  { context, nudge }: Pick<CreateParts, 'context' | 'nudge'>,
  request: EndpointRequest,
  { target, format, body, need }: Watched,
): Promise<null> {
  const hold =
    format === null ? null : keepHold(context, await request.reserveBatch(body.endpoint, holdMs, need))
  let isKept = false
  try {
    const { status, body: answered } = await request.forward(request.body)
    if (format === null || status >= 300 || !isObject(answered) || typeof answered.id !== 'string')
      return null
    const ids = { batch_id: answered.id, isPrepared: true, isWatched: true, hold }
    const provider = { ...atProvider(target, format, body), ...ids }
    const batch = draftOf(context, request, { body, file: null, owner: 'gateway', provider })
    const document = {
      ...batch,
      status: 'in_progress',
      // In no list: callers ask the provider for it.
      attributes: { owner: ['provider'] },
      data: { ...batch.data, times: { in_progress_at: context.now() } },
    }
    await context.ports.documents.commit([{ op: 'put', document, expected: 0 }])
    isKept = true
    nudge()
    return null
  } finally {
    if (!isKept) await releaseHold(context, hold)
  }
}

/** Errors: 400 `unsupported_endpoint` for a provider that has no batches of this kind. */
function providerOf(target: EndpointTarget, body: Body): ProviderBatch {
  const format = formatOf(target, body.endpoint)
  if (format === null) throw noBatches(target.provider, body.endpoint)
  return atProvider(target, format, body)
}

function formatOf(target: EndpointTarget, endpoint: string): ProviderBatch['format'] | null {
  if (target.has('createFile') && target.has('createBatch')) return 'file'
  return target.has('createMessageBatch') && endpoint === '/v1/chat/completions' ? 'messages' : null
}

const atProvider = (
  { provider: name, slug }: EndpointTarget,
  format: ProviderBatch['format'],
  { provider_options: options }: Body,
): ProviderBatch => ({
  name,
  slug,
  format,
  file_id: null,
  batch_id: null,
  options: options ?? null,
  details: null,
  isPrepared: false,
  isWatched: false,
  hold: null,
})

/**
 * Errors: 400 `unsupported_endpoint` for an endpoint of which the provider has no batches, `invalid_body` at an option that
 * it needs.
 */
function checkLinesOf(
  { batchLinesOf }: ServiceContext,
  { provider }: EndpointTarget,
  { provider_options: options, endpoint }: Body,
): void {
  const lines = batchLinesOf(provider)
  if (lines?.paths?.includes(endpoint) === false) throw noBatches(provider, endpoint)
  const missing = lines?.requiredOptions?.find((name) => typeof options?.[name] !== 'string')
  if (missing !== undefined)
    throw invalidBody(`/provider_options/${missing}`, `is required by the provider ${provider}`)
}

const noBatches = (provider: string, endpoint: string) =>
  new GatewayError(
    'unsupported_endpoint',
    `The provider ${provider} has no batches for ${endpoint}; the window immediate runs on every provider.`,
  )

interface New {
  body: Body
  /** Null where the provider has it. */
  file: DocumentOf<'file'> | null
  owner: Owner
  provider: ProviderBatch | null
  retryOf?: BatchDocument
}

/** Keeps the batch; a process takes it from there. */
export async function make(
  { context, audit, nudge }: Pick<CreateParts, 'context' | 'audit' | 'nudge'>,
  request: EndpointRequest,
  made: New,
): Promise<JsonObject> {
  const batch = draftOf(context, request, made)
  const presented = presentBatch(batch)
  await context.ports.documents.commit([
    { op: 'put', document: batch, expected: 0 },
    audit.write(request, { action: 'create', type: 'batch', id: batch.id, after: presented }),
  ])
  nudge()
  return presented
}

function draftOf(
  context: ServiceContext,
  request: EndpointRequest,
  { body, file, owner, provider, retryOf }: New,
): BatchDocument {
  const { identity, organisationId, workspaceId } = callerOf(request)
  const id = newId()
  const at = context.now()
  const headers = request.laterHeaders()
  const data: BatchData = {
    owner,
    endpoint: body.endpoint,
    input_file_id:
      retryOf === undefined || file === null ? body.input_file_id : writeId('file', file.data.owner, file.id),
    input_document: file?.id ?? null,
    completion_window: body.completion_window,
    model: body.model ?? null,
    metadata: body.metadata ?? null,
    expires_at: at + windowMs,
    times: {},
    errors: null,
    output_file_id: null,
    error_file_id: null,
    counts: { total: 0, completed: 0, failed: 0 },
    usage: null,
    retry_of: retryOf === undefined ? null : writeId('batch', retryOf.data.owner, retryOf.id),
    output_expires_after: body.output_expires_after?.seconds ?? null,
    sealed_headers: context.sealer.seal(JSON.stringify(headers), `batch/${id}`),
    caller: keptCaller(identity),
    client_ip: request.clientIp,
    target: targetKey(headers),
    trace_id: request.traceId,
    provider,
  }
  return {
    ...blank('batch', at),
    id,
    organisation_id: organisationId,
    workspace_id: workspaceId,
    status: 'validating',
    attributes: { owner: [owner], ...(file === null ? {} : { input_file: [file.id] }) },
    data,
    version: 1,
  }
}

/** Which lines may hold each other back: those that go by the same config and credential. A hash, as both may be secret. */
function targetKey(headers: Readonly<Record<string, string>>): string {
  const deciding = /-(?:config|virtual-key|provider|custom-host)$|^authorization$/
  return derivedId(
    JSON.stringify(
      Object.entries(headers)
        .filter(([name]) => deciding.test(name))
        .sort(),
    ),
  )
}
