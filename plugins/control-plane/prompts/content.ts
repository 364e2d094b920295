/**
 * The content of a prompt's next version: the body merged over the stored content. With `patch: true` omitted fields
 * keep the values of the latest version. Otherwise they get their defaults, and `string`, `parameters` and `model` are
 * required.
 */
import { type Fault, isObject, type JsonObject, type ServiceContext } from '@gateway/contract'
import { isSame, type PromptContent, type PromptData, promptKindOf } from '@gateway/domain'
import type { Write } from '../engine/index.ts'
import { metadataAliases, parametersSchemas, versionFields } from './fields.ts'

type PromptWrite = Write<PromptData>
type VersionField = keyof typeof versionFields

const names = Object.keys(versionFields) as VersionField[]
const required = ['string', 'parameters', 'model'] as const

/** The members of a document's data that belong to its latest version. */
export const contentOf = (data: PromptContent): PromptContent => ({
  string: data.string,
  parameters: data.parameters,
  model: data.model,
  virtual_key: data.virtual_key,
  config: data.config,
  tools: data.tools,
  functions: data.functions,
  tool_choice: data.tool_choice,
  is_raw_template: data.is_raw_template,
  template_metadata: data.template_metadata,
  variables_schema: data.variables_schema,
  version_description: data.version_description,
})

/** Whether two versions have the same content; their descriptions are not compared. */
export const isSameContent = (left: PromptContent, right: PromptContent): boolean =>
  isSame(
    { ...contentOf(left), version_description: null },
    { ...contentOf(right), version_description: null },
  )

/** Whether the caller sent any content. */
export const touchesVersion = ({ isGiven }: PromptWrite): boolean =>
  [...names, ...metadataAliases].some(isGiven)

/** Sets the draft's content. Records errors for missing fields and for parameters that requests must not have. */
export function takeContent(write: PromptWrite): void {
  const { draft, before, body } = write
  const data: Partial<Record<VersionField, unknown>> = draft.data
  takeMetadata(write)
  if (before !== null && body.patch !== true) fallToDefaults(write)
  const parameters = isObject(data.parameters) ? data.parameters : {}
  const { model: inParameters, stream: _, ...rest } = parameters
  const isModelGiven = write.isGiven('model') && body.model !== null
  if (!isModelGiven && inParameters !== undefined) {
    if (typeof inParameters === 'string' && inParameters.trim() !== '') data.model = inParameters.trim()
    else write.fault('/parameters/model', 'must be a string')
  }
  data.parameters = rest
  const isTold = before !== null && body.patch !== true
  if (typeof data.model !== 'string' && !isTold) write.fault('/model', 'is required, here or in `parameters`')
  data.is_raw_template = data.is_raw_template === true || data.is_raw_template === 1 ? 1 : 0
  data.template_metadata = {
    template_type: 'chat',
    ...(isObject(data.template_metadata) ? data.template_metadata : {}),
  }
  for (const fault of parameterFaults(write.call.context, draft.data)) write.fault(fault.param, fault.message)
}

/** `template_metadata` has other names. Several may be sent if their values agree. */
function takeMetadata({ draft, body, isGiven, fault }: PromptWrite): void {
  const given = ['template_metadata', ...metadataAliases].filter(isGiven)
  const [first, ...others] = given
  if (first === undefined) return
  for (const other of others) {
    if (!isSame(body[first], body[other])) fault(`/${other}`, `must equal ${first}`)
  }
  // The body has passed its schema. Null is the default.
  const metadata = (body[first] ?? { template_type: 'chat' }) as PromptContent['template_metadata']
  draft.data.template_metadata = metadata
}

function fallToDefaults({ draft, body, isGiven, fault }: PromptWrite): void {
  const data: JsonObject = draft.data
  const isInParameters = isObject(body.parameters) && body.parameters.model !== undefined
  for (const name of required) {
    if (isGiven(name) || (name === 'model' && isInParameters)) continue
    fault(`/${name}`, 'is required unless patch is true')
  }
  for (const name of names) {
    if (isGiven(name) || (name === 'template_metadata' && metadataAliases.some(isGiven))) continue
    const field = versionFields[name]
    data[name] = 'default' in field ? field.default : null
  }
}

function parameterFaults(context: ServiceContext<'validator'>, data: PromptContent): readonly Fault[] {
  const schema = parametersSchemas[promptKindOf(data).type]
  return context.validator(schema, 'invalid_body', '/parameters')(data.parameters)
}
