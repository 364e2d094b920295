/**
 * POST `/dry-run` (management contract, section 22): how the gateway would handle an inference request. No model is
 * called and nothing is counted, cached or logged. Errors in the request or its config are part of the
 * answer.
 */
import {
  GatewayError,
  type Identity,
  type InferencePlan,
  isObject,
  type JsonObject,
  parseJson,
  type Route,
  type ServiceContext,
  type ServiceRequest,
} from '@gateway/contract'
import { nullable } from '@gateway/control-plane/engine'
import { findVersion } from '@gateway/control-plane/shared'
import { kinds, maskContent, recordOf, typedDocuments, unknownName } from '@gateway/domain'
import { type Static, Type } from '@sinclair/typebox'
import { dryRunAnswer } from './answer.ts'
import { present } from './present.ts'
import { type DryCall, promptCall } from './prompt-call.ts'

const body = Type.Object(
  {
    endpoint: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'A path, such as /v1/chat/completions, or an endpoint id, such as chatComplete.',
    }),
    method: Type.Optional(Type.Literal('POST', { default: 'POST' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          'The headers of the call, including x-gateway-…. The headers of the dry run itself are ignored.',
      }),
    ),
    body: Type.Object({}, { additionalProperties: true, description: 'The body of the call.' }),
    tokens: Type.Optional(
      Type.Object(
        { input: Type.Integer({ minimum: 0 }), output: Type.Integer({ minimum: 0 }) },
        {
          additionalProperties: false,
          description:
            'Tokens that each target is priced for, such as those of a logged request. Default: an estimate from the body.',
        },
      ),
    ),
    workspace_id: Type.Optional(
      nullable(Type.String({ description: 'Accepted when it names the workspace of the credential.' })),
    ),
  },
  { additionalProperties: false },
)

export const dryRunNeeds = ['documents', 'fileDocuments', 'renderPrompt', 'sealer'] as const

type DryRunContext = ServiceContext<(typeof dryRunNeeds)[number]>

export const dryRunRoute = (context: DryRunContext): Route => ({
  method: 'POST',
  path: '/v1/dry-run',
  operationId: 'dryRun',
  summary: 'Shows how a request would be handled: config, targets, limits, guardrails, cache',
  tag: 'Routing',
  scope: 'completions.write',
  body,
  bodyLimit: 'server.body_limit',
  answer: dryRunAnswer,
  handle: async (request) => ({ status: 200, body: await answer(context, request) }),
})

async function answer(context: DryRunContext, request: ServiceRequest): Promise<JsonObject> {
  // The body has passed its schema.
  const asked = request.body as Static<typeof body>
  const identity = callerOf(request, asked.workspace_id)
  const plan = await request.plan(await promptCall(context, identity, callOf(asked)))
  return present({ identity, plan, tokens: asked.tokens, resolved: await resolved(context, plan.config) })
}

/** A session names its workspace in a header or the query, as for inference requests. */
function callerOf({ identity, prefix }: ServiceRequest, named: unknown): Identity {
  if (identity === null) throw new GatewayError('missing_api_key', 'Send a gateway key.')
  if (identity.workspaceId === '') {
    const param = `header/${prefix}workspace-id`
    throw new GatewayError('invalid_header', `${param}: a session must specify its workspace.`, {
      param,
    })
  }
  if (named != null && named !== identity.workspaceId && named !== identity.workspace)
    throw new GatewayError(
      'not_found',
      unknownName({ what: 'workspace', written: String(named), known: [identity.workspace] }),
      { param: '/workspace_id' },
    )
  return identity
}

/** The body was parsed from JSON. Header names are compared in lower case. */
const callOf = ({
  endpoint,
  method = 'POST',
  headers = {},
  body: sent,
  tokens,
}: Static<typeof body>): DryCall => ({
  path: endpoint,
  method,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body: sent as JsonObject,
  tokens,
})

/** The config as stored or sent, with its secrets masked. */
async function resolved(
  context: DryRunContext,
  { saved, inline }: InferencePlan['config'],
): Promise<JsonObject | null> {
  if (inline !== null) {
    const written = parseJson(inline)
    return isObject(written) ? maskContent(written as JsonObject, context.sealer, 'inline') : null
  }
  if (saved === null) return null
  const documents = typedDocuments(context.documents)
  const declared = context.fileDocuments().find(({ kind, id }) => kind === kinds.config && id === saved.id)
  const stored = declared ?? (await documents.get(kinds.config, saved.id))
  if (stored === null) return null
  const { config: content, config_version: newest } = stored.data
  if (saved.version === null || saved.version === newest) return masked(context, content, recordOf(stored))
  const version = await findVersion(
    { documents },
    { kind: kinds.configVersion, documentId: stored.id, version: saved.version },
  )
  return version === null ? null : masked(context, version.data.content.config, recordOf(version))
}

const masked = (context: ServiceContext<'sealer'>, content: unknown, record: string): JsonObject | null =>
  isObject(content) ? maskContent(content as JsonObject, context.sealer, record) : null
