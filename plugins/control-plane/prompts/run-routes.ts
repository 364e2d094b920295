/**
 * Runs prompts: `/prompts/{id}/completions` sends the rendered request through the pipeline, `/prompts/{id}/render`
 * returns it. Applications make these calls, so they create no audit records.
 */
import {
  GatewayError,
  type Identity,
  isObject,
  type JsonObject,
  type RewrittenRequest,
  type Route,
  type ServiceContext,
  type ServiceRequest,
} from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { catalogueOf, type RunnablePrompt } from './catalogue.ts'
import {
  checkRendered,
  checkVariables,
  missingHeader,
  promptOf,
  type RenderedBody,
  renderBody,
} from './render.ts'

const bodySchema = Type.Object(
  {
    variables: Type.Object({}, { additionalProperties: true, description: 'The variables’ values by name.' }),
    stream: Type.Optional(Type.Boolean()),
  },
  {
    additionalProperties: true,
    description: 'Parameters of the request are members of the root and override those of the prompt.',
  },
)

const anyObject = Type.Object({}, { additionalProperties: true })

/** A chunk of a chat completion or a text completion. */
const completionChunk = Type.Object(
  {
    id: Type.String(),
    object: Type.String({ description: '`chat.completion.chunk` or `text_completion`.' }),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(anyObject),
    usage: Type.Optional(Type.Union([anyObject, Type.Null()])),
  },
  { title: 'PromptCompletionChunk', additionalProperties: true },
)

const common = {
  method: 'POST',
  tag: 'Prompts',
  body: bodySchema,
  checksInput: true,
  bodyLimit: 'server.body_limit',
} as const

const at = (path: string) => ({ path: `/v1${path}`, aliases: [path] })

export const runRoutes = (
  context: ServiceContext<'bodyLimitBytes' | 'documents' | 'fileDocuments' | 'stopping' | 'validator'>,
): Route[] => [
  {
    ...common,
    ...at('/prompts/:id/completions'),
    operationId: 'promptCompletion',
    summary: 'Runs a prompt',
    scope: 'completions.write',
    query: Type.Object({
      envelope: Type.Optional(
        Type.Boolean({
          default: true,
          description: 'false: the answer is the completion without an envelope.',
        }),
      ),
    }),
    media: { answer: ['application/json', 'text/event-stream'] },
    event: completionChunk,
    answer: Type.Union([
      Type.Object({ status: Type.Literal('success'), headers: anyObject, body: anyObject }),
      Type.Object({ id: Type.String(), choices: Type.Array(anyObject) }, { additionalProperties: true }),
    ]),
    handle: (request) => complete(context, request),
  },
  {
    ...common,
    ...at('/prompts/:id/render'),
    operationId: 'promptRender',
    summary: 'Renders the request of a prompt without sending it',
    scope: ['prompts.render', 'completions.write'],
    answer: Type.Object({ success: Type.Literal(true), data: anyObject }),
    async handle(request) {
      const { prompt, body, missing } = await render(context, request)
      checkRendered(context, prompt, body)
      return {
        status: 200,
        headers: missingHeaders(request, missing),
        body: { success: true, data: body },
      }
    },
  },
]

interface Rendered extends RenderedBody {
  prompt: RunnablePrompt
  variables: JsonObject
  given: JsonObject
}

async function render(
  context: ServiceContext<'bodyLimitBytes' | 'documents' | 'fileDocuments' | 'stopping'>,
  request: ServiceRequest,
): Promise<Rendered> {
  const prompt = await catalogueOf(context).find(request.params.id ?? '', placeOf(request))
  const { variables, given } = readBody(request.body)
  await checkVariables(prompt.fits, variables, request)
  const { body, text, missing } = await renderBody(prompt, prompt.content, {
    variables,
    given,
    maxBytes: context.bodyLimitBytes(),
  })
  return { prompt, body, text, missing, variables, given }
}

/** The workspace in which prompts are searched. Errors: `invalid_header` for a session without a workspace. */
function placeOf({ identity }: ServiceRequest): Identity {
  if (identity === null) throw new GatewayError('missing_api_key', 'Send a gateway key.')
  if (identity.workspaceId !== '') return identity
  const param = 'header/x-gateway-workspace-id'
  throw new GatewayError('invalid_header', `${param}: a session must specify its workspace.`, {
    param,
  })
}

function readBody(body: unknown): { variables: JsonObject; given: JsonObject } {
  if (!isObject(body))
    throw new GatewayError('invalid_body', 'The body must be a JSON object.', { param: '/' })
  // The body was parsed from JSON. The official client of another gateway names the prompt in it as well.
  const { variables, promptID: _named, prompt_id: _sent, ...given } = body as JsonObject
  if (!isObject(variables)) {
    const message = variables === undefined ? 'is required' : 'must be object'
    throw new GatewayError('invalid_body', `/variables: ${message}`, {
      param: '/variables',
      details: [{ param: '/variables', code: 'invalid_body', message }],
    })
  }
  return { variables, given }
}

async function complete(
  context: ServiceContext<'bodyLimitBytes' | 'documents' | 'fileDocuments' | 'stopping'>,
  request: ServiceRequest,
): Promise<RewrittenRequest> {
  const hasEnvelope = readEnvelope(request)
  const { prompt, body, text, missing, variables, given } = await render(context, request)
  return {
    path: prompt.kind.type === 'chat' ? '/v1/chat/completions' : '/v1/completions',
    body,
    text,
    prompt: promptOf(prompt, { variables, given, missing }),
    ...(hasEnvelope
      ? { rewriteText: (head: Head, completion: string) => envelope(request, head, completion) }
      : {}),
  }
}

type Head = Parameters<NonNullable<RewrittenRequest['rewriteText']>>[0]

function readEnvelope({ query }: ServiceRequest): boolean {
  const { envelope: written = 'true' } = query
  if (written === 'true' || written === 'false') return written === 'true'
  const param = 'query/envelope'
  throw new GatewayError('invalid_query', `${param}: must be true or false`, { param })
}

/** Wraps a successful completion as text, without parsing it, because it may be large. */
function envelope({ prefix }: ServiceRequest, { status, headers }: Head, body: string): string {
  if (status < 200 || status >= 300) return body
  const own: Record<string, string> = {}
  for (const name in headers) if (name.startsWith(prefix)) own[name] = headers[name] as string
  return `{"status":"success","headers":${JSON.stringify(own)},"body":${body}}`
}

function missingHeaders({ prefix }: ServiceRequest, missing: readonly string[]): Record<string, string> {
  const names = missingHeader(missing)
  return names === null ? {} : { [`${prefix}prompt-missing-variables`]: names }
}
