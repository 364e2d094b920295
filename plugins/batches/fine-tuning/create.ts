/**
 * `POST /v1/fine_tuning/jobs`. Order of checks: body, target, file. A job on a managed file runs on the embedded
 * provider, or the file is uploaded to the specified provider; everything else is forwarded.
 */
import { randomInt } from 'node:crypto'
import {
  type EndpointRequest,
  type EndpointTarget,
  type Fault,
  GatewayError,
  isObject,
  type JsonObject,
  type ServiceAnswer,
  type ServiceContext,
} from '@gateway/contract'
import { jobCreate } from '@gateway/contract/wire'
import type { DocumentOf } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { blank, type FileLibrary } from '../files/library.ts'
import { passOn } from '../files/routes.ts'
import type { AuditLog } from '../shared/audit.ts'
import { callerOf, keptCaller } from '../shared/caller.ts'
import { check, noProvider } from '../shared/faults.ts'
import { newId, readId } from '../shared/ids.ts'
import { checkTrainingFile } from './check-file.ts'
import type { JobData, JobDocument, ProviderJob } from './entities.ts'
import { presentJob } from './timeline.ts'

export interface JobParts {
  context: ServiceContext<'now' | 'sealer' | 'validator'>
  files: FileLibrary
  audit: AuditLog
  /** Wakes the poller of providers' jobs. */
  nudge(): void
}

/** The approximate bytes of text per token. */
const bytesPerToken = 4

export async function createJob(parts: JobParts, request: EndpointRequest): Promise<ServiceAnswer | null> {
  const { body } = request
  const { training_file: written } = body
  const isManaged = typeof written === 'string' && readId('file', written) !== null
  checkBody(parts.context, body, isManaged)
  const training = String(written)
  const targets = await request.targets()
  if (targets.length === 0)
    throw noProvider('No provider specified: send x-gateway-virtual-key, x-gateway-provider or a config.')
  if (!isManaged) return passOn(request)
  const [target, ...others] = targets
  if (target === undefined || others.length > 0)
    throw noProvider(`The config has ${targets.length} targets, and a job needs exactly one.`)
  if (target.provider !== 'echo' && !(target.has('createFile') && target.has('createFinetune')))
    throw new GatewayError(
      'unsupported_endpoint',
      `The provider ${target.provider} does not support fine-tuning.`,
    )
  return { status: 200, body: await make(parts, request, { training, target }) }
}

/** The provider validates the rest of the body; these two members are always required. */
const leastBody = Type.Object(
  { model: jobCreate.properties.model, training_file: jobCreate.properties.training_file },
  { additionalProperties: true },
)

/** Unlike a provider's job, a job of the gateway requires `suffix` and `method`. */
function checkBody(context: ServiceContext<'validator'>, body: JsonObject, isManaged: boolean): void {
  const faults: Fault[] = [...context.validator(isManaged ? jobCreate : leastBody, 'invalid_body')(body)]
  for (const name of isManaged ? (['suffix', 'method'] as const) : []) {
    if (body[name] === undefined || body[name] === null)
      faults.push({ param: `/${name}`, code: 'invalid_body', message: 'is required' })
  }
  check(faults)
}

interface Chosen {
  training: string
  target: EndpointTarget
}

async function make(
  parts: JobParts,
  request: EndpointRequest,
  { training, target }: Chosen,
): Promise<JsonObject> {
  const { context, files, audit } = parts
  const { body } = request
  const { organisationId, workspaceId } = callerOf(request)
  const file = await files.find(training, workspaceId, '/training_file')
  const validation = typeof body.validation_file === 'string' ? body.validation_file : null
  const second = validation === null ? null : await files.find(validation, workspaceId, '/validation_file')
  const nowMs = context.now()
  const id = newId()
  const provider = target.provider === 'echo' ? null : providerOf(parts, request, { target, id })
  const data: JobData = {
    owner: file.data.owner,
    model: String(body.model),
    suffix: String(body.suffix),
    method: isObject(body.method) ? body.method : {},
    hyperparameters: hyperparametersOf(body.method),
    seed: typeof body.seed === 'number' ? body.seed : randomInt(2 ** 31 - 1),
    integrations: Array.isArray(body.integrations) ? body.integrations.filter(isObject) : null,
    training_file: training,
    validation_file: validation,
    trained_tokens: Math.ceil(file.data.bytes / bytesPerToken),
    fault: await faultOf(files, file, second),
    cancelled_at: null,
    provider,
  }
  const job: JobDocument = {
    ...blank('fine_tuning_job', nowMs),
    id,
    ...(provider === null ? {} : { status: provider.status }),
    organisation_id: organisationId,
    workspace_id: workspaceId,
    attributes: { owner: [data.owner], live: ['true'] },
    data,
    version: 1,
  }
  const shown = presentJob(job, nowMs)
  await files.documents.commit([
    { op: 'put', document: job, expected: 0 },
    audit.write(request, { action: 'create', type: 'fine_tuning_job', id: job.id, after: shown }),
  ])
  if (provider !== null) parts.nudge()
  return shown
}

function providerOf(
  { context }: JobParts,
  request: EndpointRequest,
  { target: { provider: name, slug }, id }: { target: EndpointTarget; id: string },
): ProviderJob {
  const { identity } = callerOf(request)
  const { provider_options: options } = request.body
  return {
    name,
    slug,
    options: isObject(options) ? options : null,
    sealed_headers: context.sealer.seal(JSON.stringify(request.laterHeaders()), `fine-tuning/${id}`),
    caller: keptCaller(identity),
    client_ip: request.clientIp,
    status: 'validating_files',
    training_id: null,
    validation_id: null,
    job_id: null,
    submitting_at: null,
    details: null,
    events: [],
    checkpoints: [],
    error: null,
    polled_at: null,
    ended_at: null,
    is_cancelling: false,
    is_cancelled: false,
  }
}

async function faultOf(
  files: FileLibrary,
  training: DocumentOf<'file'>,
  validation: DocumentOf<'file'> | null,
) {
  const fault = await checkTrainingFile(files, training, 'training_file')
  if (fault !== null || validation === null) return fault
  return checkTrainingFile(files, validation, 'validation_file')
}

const names = ['n_epochs', 'batch_size', 'learning_rate_multiplier'] as const

/** The method's hyperparameters; the provider chooses missing ones. */
function hyperparametersOf(method: JsonObject[string]): JsonObject {
  const type = isObject(method) ? method.type : undefined
  const settings = isObject(method) && typeof type === 'string' ? method[type] : undefined
  const given = isObject(settings) && isObject(settings.hyperparameters) ? settings.hyperparameters : {}
  return Object.fromEntries(names.map((name) => [name, given[name] ?? 'auto']))
}
