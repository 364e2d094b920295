/**
 * Renders a prompt into a request body: the version's parameters, then its text with the variables inserted, then the
 * members of the call, which have precedence. Rendering pauses regularly so that no template blocks other requests.
 * Errors: `invalid_template`, `invalid_body` at `/variables/…`.
 */
import { setImmediate as pause } from 'node:timers/promises'
import {
  type ErrorCode,
  faultsError,
  GatewayError,
  type InferencePrompt,
  type Json,
  type JsonObject,
  runInTurns,
  type ServiceContext,
  wellFormed,
} from '@gateway/contract'
import { chatCompleteRequest, completeRequest } from '@gateway/contract/wire'
import { type PromptContent, PromptTextError } from '@gateway/domain'
import { type Fits, isTooComplex } from '@gateway/plugin-kit/json-schema'
import type { Renderable, RunnablePrompt } from './catalogue.ts'
import { createRendering, RenderError } from './templates/render.ts'
import { escapeFor, renderPromptText } from './templates/render-text.ts'

export interface RenderedBody {
  body: JsonObject
  /** The same body as JSON. */
  text: string
  /** Names of missing variables, in order of first use. */
  missing: readonly string[]
}

type Request = Pick<PromptContent, 'parameters' | 'tools' | 'functions' | 'tool_choice'> & {
  model: string | null
}

export interface RenderBodyOptions {
  variables: JsonObject
  /** The root members of the call's body. */
  given: JsonObject
  /** The limit for the rendered body. */
  maxBytes: number
}

export async function renderBody(
  renderable: Renderable,
  request: Request,
  { variables, given, maxBytes }: RenderBodyOptions,
): Promise<RenderedBody> {
  const { kind, text: template, partials } = renderable
  const insert = escapeFor(kind)
  const rendering = createRendering({ variables, partials, insert, maxLength: maxBytes })
  const rendered = await run(renderPromptText(template, kind, rendering))
  const body: JsonObject = { ...request.parameters }
  for (const name of ['model', 'tools', 'functions', 'tool_choice'] as const) {
    const value = request[name]
    if (value !== null) body[name] = value
  }
  body[kind.type === 'chat' ? 'messages' : 'prompt'] = rendered
  Object.assign(body, given)
  const text = JSON.stringify(body)
  if (Buffer.byteLength(text) > maxBytes)
    throw invalidTemplate(`The rendered body is larger than ${maxBytes} bytes.`)
  return { body, text, missing: [...rendering.missing] }
}

async function run(steps: Generator<void, Json, void>): Promise<Json> {
  try {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value
      await pause()
    }
  } catch (error) {
    if (error instanceof RenderError || error instanceof PromptTextError) throw invalidTemplate(error.message)
    throw error
  }
}

const invalidTemplate = (message: string) => new GatewayError('invalid_template', message)

/** Errors: `invalid_body` at the first invalid variable; `schema_too_complex`. */
export async function checkVariables(
  fits: Fits | null,
  variables: JsonObject,
  io: { readonly signal: AbortSignal },
): Promise<void> {
  const fault = fits === null ? null : await faultOf(fits, variables, io)
  if (fault === null) return
  const param = `/variables${fault.path}`
  throw faultsError([{ param, code: fault.code, message: fault.message }])
}

async function faultOf(
  fits: Fits,
  variables: JsonObject,
  io: { readonly signal: AbortSignal },
): Promise<{ path: string; code: ErrorCode; message: string } | null> {
  try {
    const fault = await runInTurns(fits(variables), io)
    return fault === null ? null : { path: fault.path, code: 'invalid_body', message: fault.message }
  } catch (error) {
    if (!isTooComplex(error)) throw error
    return {
      path: '',
      code: 'schema_too_complex',
      message: 'take too many steps to validate: simplify variables_schema or send fewer variables',
    }
  }
}

/**
 * Checks that the endpoint of the prompt's kind accepts a rendered body. A prompt may leave the model to a config.
 * Errors: `invalid_body` with all validation errors.
 */
export function checkRendered(
  context: ServiceContext<'validator'>,
  { kind }: Pick<Renderable, 'kind'>,
  body: JsonObject,
): void {
  const request = kind.type === 'chat' ? chatCompleteRequest : completeRequest
  // Whether the body is sent as a stream is decided after it was rendered.
  const { stream_options: _, ...rest } = body
  const checked = body.stream === undefined ? rest : body
  const faults = context.validator(request, 'invalid_body')({ model: 'unset', ...checked })
  if (faults.length > 0) throw faultsError(faults)
}

const maxHeaderChars = 1024

/** The names as a header value, percent-encoded. Null if no variable is missing. */
export function missingHeader(missing: readonly string[]): string | null {
  let text = ''
  for (const name of missing) {
    const encoded = encodeURIComponent(wellFormed(name))
    const next = text === '' ? encoded : `${text},${encoded}`
    if (next.length > maxHeaderChars) break
    text = next
  }
  return text === '' ? null : text
}

/** The prompt of a request, for log entries and policies. */
export function promptOf(
  { id, slug, version, content }: RunnablePrompt,
  { variables, given, missing }: { variables: JsonObject; given: JsonObject; missing: readonly string[] },
): InferencePrompt {
  return {
    id,
    slug,
    version,
    config: content.config,
    virtual_key: content.virtual_key?.replace(/^@/, '') ?? null,
    variables,
    given,
    missing: missingHeader(missing),
  }
}
