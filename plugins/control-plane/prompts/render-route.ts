/** `POST /prompts/render`: the request that an unsaved text would send. Nothing is stored. */
import { GatewayError, isObject, type JsonObject, type Route, type ServiceContext } from '@gateway/contract'
import { type PromptContent, PromptTextError, TemplateError } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, type ManagementContext, plainRoute } from '../engine/index.ts'
import { catalogueOf, type Renderable } from './catalogue.ts'
import { versionFields } from './fields.ts'
import { checkRendered, missingHeader, renderBody } from './render.ts'

const anyObject = Type.Object({}, { additionalProperties: true })
const scope = 'prompts.render'

export const renderRoute = (context: ManagementContext<'bodyLimitBytes' | 'stopping'>): Route[] => [
  plainRoute(context, {
    method: 'POST',
    path: '/v1/prompts/render',
    aliases: ['/prompts/render'],
    operationId: 'promptRenderText',
    summary: 'Renders the request of an unsaved prompt',
    tag: 'Prompts',
    scope,
    bodyLimit: 'server.body_limit',
    body: Type.Object(
      {
        string: versionFields.string.schema,
        template_metadata: Type.Optional(versionFields.template_metadata.schema),
        is_raw_template: Type.Optional(versionFields.is_raw_template.schema),
        parameters: Type.Optional(anyObject),
        model: Type.Optional(versionFields.model.schema),
        variables: anyObject,
        workspace_id: Type.Optional(Type.String()),
      },
      { additionalProperties: false },
    ),
    answer: Type.Object({ success: Type.Literal(true), data: anyObject }),
    audit: { action: 'render', resource_type: 'prompt' },
    async handle(call) {
      const workspaceId = await workspaceOf(call)
      await call.require([scope], workspaceId)
      const { body: sent } = call
      const content = contentOf(sent)
      const renderable = await prepare(context, content, { ...call.identity, workspaceId })
      const parameters: JsonObject = isObject(sent.parameters) ? sent.parameters : {}
      const { stream: _, model: inParameters, ...rest } = parameters
      const model = typeof sent.model === 'string' ? sent.model : inParameters
      const { body, missing } = await renderBody(
        renderable,
        {
          parameters: rest,
          model: typeof model === 'string' ? model : null,
          tools: null,
          functions: null,
          tool_choice: null,
        },
        {
          variables: isObject(sent.variables) ? sent.variables : {},
          given: {},
          maxBytes: context.bodyLimitBytes(),
        },
      )
      checkRendered(context, renderable, body)
      const names = missingHeader(missing)
      return {
        status: 200,
        headers: names === null ? {} : { [`${call.request.prefix}prompt-missing-variables`]: names },
        body: { success: true, data: body },
      }
    },
  }),
]

async function workspaceOf(call: Call): Promise<string> {
  const { workspace_id: named } = call.body
  if (typeof named === 'string') return (await call.workspace(named, '/workspace_id')).id
  const { workspaceId } = call.identity
  if (workspaceId !== '') return workspaceId
  throw new GatewayError('invalid_body', '/workspace_id: is required', { param: '/workspace_id' })
}

const contentOf = (
  sent: JsonObject,
): Pick<PromptContent, 'string' | 'is_raw_template' | 'template_metadata'> => ({
  string: String(sent.string),
  is_raw_template: sent.is_raw_template === true || sent.is_raw_template === 1 ? 1 : 0,
  // The body has passed the route's schema.
  template_metadata: {
    template_type: 'chat',
    ...(isObject(sent.template_metadata) ? sent.template_metadata : {}),
  },
})

async function prepare(
  context: ServiceContext<'documents' | 'fileDocuments' | 'stopping'>,
  content: Pick<PromptContent, 'string' | 'is_raw_template' | 'template_metadata'>,
  place: { organisationId: string; workspaceId: string },
): Promise<Renderable> {
  try {
    return await catalogueOf(context).prepare(content, place)
  } catch (error) {
    if (!(error instanceof TemplateError || error instanceof PromptTextError)) throw error
    throw new GatewayError('invalid_template', `/string: ${error.message}`, { param: '/string' })
  }
}
