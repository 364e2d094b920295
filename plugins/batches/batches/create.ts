/**
 * `POST /v1/batches`. Order of checks: body, target, file.
 * A managed file is run here for either window; a provider's file with the window `immediate` is fetched first; anything
 * else goes to the provider.
 */
import type {
  BatchHold,
  EndpointRequest,
  EndpointTarget,
  JsonObject,
  ServiceAnswer,
  ServiceContext,
} from '@gateway/contract'
import { batchCreate, batchEndpoints } from '@gateway/contract/wire'
import type { DocumentOf } from '@gateway/core/domain'
import { maxLineBytes } from '../runner/common.ts'
import { callerOf } from '../shared/caller.ts'
import { check, invalidBody, invalidFile, noProvider } from '../shared/faults.ts'
import { readId } from '../shared/ids.ts'
import { createAtProvider } from './create-watched.ts'
import { estimateBatch } from './estimate.ts'
import { fetchInput } from './fetch-input.ts'
import { holdMs, keepHold, releaseHold } from './hold.ts'
import { type BatchBody, type CreateParts, make } from './make-batch.ts'
import { readNeeds } from './need.ts'
import { checkLinesOf, providerOf } from './provider-of.ts'

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

/** Reserves the estimated usage of all lines for the lifetime of the batch. Errors: 412 `usage_limit_exceeded`. */
async function reserve(
  { context, files }: CreateParts,
  request: EndpointRequest,
  { body, file }: { body: BatchBody; file: DocumentOf<'file'> },
): Promise<BatchHold | null> {
  const { endpoint, model = null } = body
  const hold = await request.reserveBatch(endpoint, holdMs, async () =>
    readNeeds(await files.read(file), { endpoint, maxLineBytes, model }),
  )
  return keepHold(context, hold)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Unknown members are forwarded to a provider; here they are faults. */
function readBody(context: ServiceContext, body: JsonObject, isManaged: boolean): BatchBody {
  const known = checks.get(context) ?? context.validator(batchCreate, 'invalid_body')
  checks.set(context, known)
  const names = Object.keys(batchCreate.properties)
  const judged = isManaged
    ? body
    : Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
  const faults = known(judged)
  check(faults)
  // The schema that was just passed is the source of the type.
  const read = judged as BatchBody
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

async function findInput({ files }: CreateParts, request: EndpointRequest, body: BatchBody) {
  const file = await files.find(body.input_file_id, callerOf(request).workspaceId, '/input_file_id')
  if (file.data.purpose !== 'batch')
    throw invalidFile('/input_file_id', `the file has the purpose ${file.data.purpose}, and must have batch`)
  return file
}

async function dryRun(
  { context, files }: CreateParts,
  body: BatchBody,
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
