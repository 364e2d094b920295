/**
 * `POST /v1/batches`. Order of checks: body, target, file. A managed file is run by the gateway for either window; a
 * provider's file with the window `immediate` is fetched first; anything else is forwarded to the provider.
 */
import type {
  BatchHold,
  Capabilities,
  EndpointRequest,
  EndpointTarget,
  JsonObject,
  ServiceAnswer,
  ServiceContext,
} from '@gateway/contract'
import { batchCreate, batchEndpoints } from '@gateway/contract/wire'
import type { DocumentOf } from '@gateway/domain'
import { callerOf } from '../shared/caller.ts'
import type { ProviderBatch } from '../shared/entities.ts'
import { check, invalidBody, invalidFile, noProvider } from '../shared/faults.ts'
import { readId } from '../shared/ids.ts'
import { createAtProvider } from './create-watched.ts'
import { estimateBatch } from './estimate.ts'
import { fetchInput, openInputApart } from './fetch-input.ts'
import { holdMs, keepHold, releaseHold } from './hold.ts'
import { type BatchBody, type CreateParts, make } from './make-batch.ts'
import { readNeeds } from './need.ts'
import { checkLinesOf, providerOf } from './provider-of.ts'

const checks = new WeakMap<object, ReturnType<Capabilities['validator']>>()

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
  if (body.dry_run === true) return dryRun(parts, request, { body, targets, isOurs })
  if (!(isOurs || isImmediate || isEcho(targets))) return createAtProvider(parts, request, { targets, body })
  const provider = runnerOf(context, targets, body)
  const file =
    isOurs || isEcho(targets) ? await findInput(parts, request, body) : await fetchInput(parts, request, body)
  const owner = file.data.owner
  if (provider === null)
    return { status: 200, body: await make(parts, request, { body, file, owner, provider }) }
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

/** The embedded provider has only the files that the gateway stores for it. */
const isEcho = ([target, ...others]: readonly EndpointTarget[]): boolean =>
  target?.provider === 'echo' && others.length === 0

/** The provider that runs the lines as its own batch; null when the gateway runs them. */
function runnerOf(
  context: ServiceContext<'batchLinesOf'>,
  targets: readonly EndpointTarget[],
  body: BatchBody,
): ProviderBatch | null {
  if (body.completion_window === 'immediate') return null
  const target = onlyTarget(targets)
  if (target.provider === 'echo') return null
  const provider = providerOf(target, body)
  checkLinesOf(context, target, body)
  return provider
}

/** Reserves the estimated usage of all lines for the lifetime of the batch. Errors: 412 `usage_limit_exceeded`. */
async function reserve(
  { context, files }: CreateParts,
  request: EndpointRequest,
  { body, file }: { body: BatchBody; file: DocumentOf<'file'> },
): Promise<BatchHold | null> {
  const { endpoint, model = null } = body
  const hold = await request.reserveBatch(endpoint, holdMs, async () =>
    readNeeds(await files.read(file), { endpoint, maxLineBytes: context.bodyLimitBytes(), model }),
  )
  return keepHold(context, hold)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Unknown members are forwarded to a provider, but are errors of a batch that the gateway runs. */
function readBody(context: ServiceContext<'validator'>, body: JsonObject, isManaged: boolean): BatchBody {
  const known = checks.get(context) ?? context.validator(batchCreate, 'invalid_body')
  checks.set(context, known)
  const names = Object.keys(batchCreate.properties)
  const judged = isManaged
    ? body
    : Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
  const faults = known(judged)
  check(faults)
  // The type follows from the schema that the body has passed.
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
    throw invalidFile(
      '/input_file_id',
      `the file has the purpose ${file.data.purpose} but must have the purpose batch`,
    )
  return file
}

interface DryRun {
  body: BatchBody
  targets: readonly EndpointTarget[]
  /** Whether the gateway stores the file; otherwise it is read from its provider and not stored. */
  isOurs: boolean
}

async function dryRun(
  parts: CreateParts,
  request: EndpointRequest,
  { body, targets, isOurs }: DryRun,
): Promise<ServiceAnswer> {
  const { context, files } = parts
  const provider = runnerOf(context, targets, body)
  const estimate = await estimateBatch({
    context,
    source:
      isOurs || isEcho(targets)
        ? await files.read(await findInput(parts, request, body))
        : await openInputApart(context, request, body.input_file_id),
    endpoint: body.endpoint,
    maxLineBytes: context.bodyLimitBytes(),
    model: body.model ?? null,
    targets,
    isBatchPriced: provider !== null,
  })
  return { status: 200, body: estimate }
}
