/** A server with the tools, prompts and resources that the official conformance suite expects, behind the gateway. */
import { setTimeout as wait } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'

/** One red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** A header without samples. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='
const stepMs = 50

type Content = CallToolResult['content'][number]
type Notify = (method: string, params: Record<string, unknown>) => Promise<void>

const text = (value: string): Content => ({ type: 'text', text: value })
const image: Content = { type: 'image', data: png, mimeType: 'image/png' }
const embedded = (uri: string, mimeType: string, value: string): Content => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
})

type Tool = (notify: Notify, progressToken: string | number | undefined) => Promise<Content[]>

async function logged(notify: Notify): Promise<Content[]> {
  const steps = ['Tool execution started', 'Tool processing data', 'Tool execution completed']
  for (const [index, data] of steps.entries()) {
    if (index > 0) await wait(stepMs)
    await notify('notifications/message', { level: 'info', data })
  }
  return [text('done')]
}

const tools: Readonly<Record<string, Tool>> = {
  test_simple_text: async () => [text('This is a simple text response for testing.')],
  test_image_content: async () => [image],
  test_audio_content: async () => [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  test_embedded_resource: async () => [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: async () => [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  test_tool_with_logging: logged,
  test_logging_tool: logged,
  async test_tool_with_progress(notify, progressToken) {
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await wait(stepMs)
      if (progressToken !== undefined)
        await notify('notifications/progress', { progressToken, progress, total: 100 })
    }
    return [text('done')]
  },
  json_schema_2020_12_tool: async () => [text('done')],
  test_header_tool: async () => [text('done')],
}

const schema202012 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** Its argument is repeated in the header `Mcp-Param-Region`. */
const headerSchema = {
  type: 'object' as const,
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
}

const schemas: Readonly<Record<string, typeof schema202012 | typeof headerSchema>> = {
  json_schema_2020_12_tool: schema202012,
  test_header_tool: headerSchema,
}

const prompts = [
  { name: 'test_simple_prompt', description: 'A prompt' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with arguments',
    arguments: [
      { name: 'arg1', description: 'First', required: true },
      { name: 'arg2', description: 'Second', required: true },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource',
    arguments: [{ name: 'resourceUri', description: 'Which', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with an image' },
]

function promptOf(name: string, given: Readonly<Record<string, string>>) {
  const user = (content: Content) => ({ role: 'user' as const, content })
  switch (name) {
    case 'test_simple_prompt':
      return [user(text('This is a simple prompt for testing.'))]
    case 'test_prompt_with_arguments':
      return [user(text(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`))]
    case 'test_prompt_with_embedded_resource':
      return [
        user(embedded(given.resourceUri ?? '', 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ]
    case 'test_prompt_with_image':
      return [user(image), user(text('Please analyze the image above.'))]
    default:
      throw new McpError(ErrorCode.InvalidParams, `Unknown prompt ${name}`)
  }
}

function resourceOf(uri: string) {
  if (uri === 'test://static-text')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: png }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw new McpError(-32002, 'Resource not found', { uri })
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  return { uri, mimeType: 'application/json', text: data }
}

export function createConformanceServer(): Server {
  const server = new Server(
    { name: 'conformance', version: '1.0.0' },
    { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {}, completions: {} } },
  )
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [...Object.keys(tools), 'test_error_handling'].map((name) => ({
      name,
      description: `The tool ${name}`,
      inputSchema: schemas[name] ?? { type: 'object' as const },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
    if (params.name === 'test_error_handling')
      return { isError: true, content: [text('This tool intentionally returns an error for testing')] }
    const tool = tools[params.name]
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${params.name}`)
    const notify: Notify = (method, given) =>
      sendNotification({ method, params: given } as Parameters<typeof sendNotification>[0])
    return { content: await tool(notify, params._meta?.progressToken) }
  })
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => ({
    messages: promptOf(params.name, params.arguments ?? {}),
  }))
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: [
      { uri: 'test://static-text', name: 'Text', mimeType: 'text/plain' },
      { uri: 'test://static-binary', name: 'Binary', mimeType: 'image/png' },
    ],
  }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'Template', mimeType: 'application/json' },
    ],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => ({
    contents: [resourceOf(params.uri)],
  }))
  server.setRequestHandler(CompleteRequestSchema, async () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }))
  server.setRequestHandler(SetLevelRequestSchema, async () => ({}))
  return server
}
