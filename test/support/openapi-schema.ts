/**
 * The parts of OpenAPI 3.1 that our document uses, as a JSON Schema of its objects. Schemas in it are checked against
 * the meta-schema of JSON Schema 2020-12 by the validator itself.
 * Reference: https://spec.openapis.org/oas/v3.1.1.html
 */
const text = { type: 'string' }
const flag = { type: 'boolean' }
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const listOf = (items: object) => ({ type: 'array', items })
const mapOf = (values: object, names?: object) => ({
  type: 'object',
  additionalProperties: values,
  ...(names === undefined ? {} : { propertyNames: names }),
})

/** An object of the specification with only these members and extensions. */
const object = (properties: Record<string, object>, required: string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  patternProperties: { '^x-': true },
  additionalProperties: false,
  required,
  ...more,
})

/** Itself, or a reference to one among the components. */
const orReference = (name: string) => ({
  if: { type: 'object', required: ['$ref'] },
  then: object({ $ref: text, summary: text, description: text }, ['$ref']),
  else: ref(name),
})

const schema = { type: ['object', 'boolean'] }
const componentName = { pattern: '^[a-zA-Z0-9._-]+$' }
const content = mapOf(ref('media'), { pattern: '^[^/ ]+/[^/ ]+$' })
const headers = mapOf(orReference('header'))
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export const openapiSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...object(
    {
      openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
      info: ref('info'),
      jsonSchemaDialect: text,
      servers: listOf(object({ url: text, description: text }, ['url'])),
      paths: { type: 'object', patternProperties: { '^/': ref('path') }, additionalProperties: false },
      components: ref('components'),
      security: listOf(ref('security')),
      tags: listOf(object({ name: text, description: text }, ['name'])),
    },
    ['openapi', 'info', 'paths'],
  ),
  $defs: {
    info: object(
      {
        title: text,
        summary: text,
        description: text,
        version: text,
        license: object({ name: text, identifier: text, url: text }, ['name'], {
          not: { required: ['identifier', 'url'] },
        }),
      },
      ['title', 'version'],
    ),
    path: object({
      summary: text,
      description: text,
      parameters: listOf(orReference('parameter')),
      ...Object.fromEntries(methods.map((method) => [method, ref('operation')])),
    }),
    operation: object(
      {
        tags: listOf(text),
        summary: text,
        description: text,
        operationId: text,
        parameters: listOf(orReference('parameter')),
        requestBody: orReference('body'),
        responses: {
          type: 'object',
          minProperties: 1,
          patternProperties: { '^([1-5][0-9]{2}|[1-5]XX|default)$': orReference('response') },
          additionalProperties: false,
        },
        deprecated: flag,
        security: listOf(ref('security')),
      },
      ['responses'],
    ),
    parameter: object(
      {
        name: text,
        in: { enum: ['query', 'header', 'path', 'cookie'] },
        description: text,
        required: flag,
        deprecated: flag,
        schema,
        style: text,
        explode: flag,
        example: {},
      },
      ['name', 'in', 'schema'],
      {
        if: { properties: { in: { const: 'path' } } },
        then: { required: ['required'], properties: { required: { const: true } } },
      },
    ),
    body: object({ description: text, content, required: flag }, ['content']),
    media: object({ schema, example: {}, examples: { type: 'object' }, encoding: { type: 'object' } }),
    response: object({ description: text, headers, content, links: { type: 'object' } }, ['description']),
    header: object({ description: text, required: flag, schema }, ['schema']),
    security: mapOf(listOf(text)),
    scheme: object(
      {
        type: { enum: ['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect'] },
        description: text,
        name: text,
        in: { enum: ['query', 'header', 'cookie'] },
        scheme: text,
        bearerFormat: text,
      },
      ['type'],
      {
        allOf: [
          { if: { properties: { type: { const: 'apiKey' } } }, then: { required: ['name', 'in'] } },
          { if: { properties: { type: { const: 'http' } } }, then: { required: ['scheme'] } },
        ],
      },
    ),
    components: object({
      schemas: mapOf(schema, componentName),
      responses: mapOf(orReference('response'), componentName),
      parameters: mapOf(orReference('parameter'), componentName),
      headers: mapOf(orReference('header'), componentName),
      requestBodies: mapOf(orReference('body'), componentName),
      securitySchemes: mapOf(orReference('scheme'), componentName),
    }),
  },
} as const
