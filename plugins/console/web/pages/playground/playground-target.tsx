/** The playground's target: a model, a config or a prompt, as form fields and as the resulting call. */
import { type Json, type Row, urlOf } from '../../api.ts'
import { AreaField, TextField } from '../../parts/field.tsx'
import { VariableFields } from '../../parts/variable-fields.tsx'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'

export interface Target {
  model: string
  /** A slug or a config in JSON. */
  config: string
  prompt: string
  /** The variables of the prompt, as JSON. */
  variables: string
  /** Parameters of the model, as JSON. Those of a prompt have lower precedence. */
  parameters: string
  /** The metadata, as JSON. */
  metadata: string
  /** Further headers of the request, as JSON. */
  headers: string
}

export const emptyTarget: Target = {
  model: '',
  config: '',
  prompt: '',
  variables: '',
  parameters: '',
  metadata: '',
  headers: '',
}

export interface Call {
  path: string
  body: Row
  headers: Record<string, string>
}

export interface Asked {
  system: string
  /** The messages between the system message and the last one, as JSON. */
  turns: string
  message: string
  workspace: string
}

/** JSON on one line that contains only characters allowed in headers. */
const headerText = (value: Row): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A slug, or a config in JSON. */
const configText = (text: string): string => {
  const config = text.startsWith('{') ? objectOf(text) : null
  return config === null ? text : headerText(config)
}

function headersOf(target: Target, workspace: string): Record<string, string> {
  const config = target.config.trim()
  const metadata = objectOf(target.metadata) ?? {}
  const others = Object.entries(objectOf(target.headers) ?? {})
  return {
    ...Object.fromEntries(others.map(([name, value]) => [name.toLowerCase(), String(value)])),
    ...(config === '' ? {} : { 'x-gateway-config': configText(config) }),
    ...(workspace === '' ? {} : { 'x-gateway-workspace-id': workspace }),
    ...(Object.keys(metadata).length === 0 ? {} : { 'x-gateway-metadata': headerText(metadata) }),
  }
}

/** Null if the text is not a JSON object. */
function objectOf(text: string): Row | null {
  if (text.trim() === '') return {}
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const faultOf = (text: string) => (objectOf(text) === null ? 'This is not a JSON object.' : null)

export const isComplete = ({ variables, prompt, ...target }: Target): boolean =>
  [target.parameters, target.metadata, target.headers].every((text) => objectOf(text) !== null) &&
  (prompt.trim() === '' || objectOf(variables) !== null)

/** Null if the text is not a JSON list of messages. */
export function turnsOf(text: string): Row[] | null {
  if (text.trim() === '') return []
  try {
    const value: Json = JSON.parse(text)
    return Array.isArray(value) && value.every(isObject) ? value : null
  } catch {
    return null
  }
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function callOf(target: Target, { system, turns, message, workspace }: Asked): Call {
  const headers = headersOf(target, workspace)
  const prompt = target.prompt.trim()
  // A chat request requires a model, even if the config replaces it.
  const name = target.model.trim() || (prompt === '' && target.config.trim() !== '' ? 'any' : '')
  const chosen: Row = { ...objectOf(target.parameters), ...(name === '' ? {} : { model: name }) }
  if (prompt !== '') {
    const path = `/v1/prompts/${encodeURIComponent(prompt)}/completions`
    return { path, headers, body: { ...chosen, variables: objectOf(target.variables) ?? {} } }
  }
  const earlier = turnsOf(turns) ?? []
  const messages = [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
    ...earlier,
    // The earlier turns may end with the message to answer, such as a tool result.
    ...(message === '' && earlier.length > 0 ? [] : [{ role: 'user', content: message }]),
  ]
  return { path: '/v1/chat/completions', headers, body: { ...chosen, messages } }
}

interface Props {
  title: string
  target: Target
  onChange: (changes: Partial<Target>) => void
  workspace: string
}

/** The variables of a readable prompt, as fields; nothing while they are unknown. */
function KnownVariables({ target, onChange, workspace }: Omit<Props, 'title'>) {
  const prompt = target.prompt.trim()
  const may = useMay()
  const headers = workspace === '' ? {} : { 'x-gateway-workspace-id': workspace }
  const { data } = useQuery(
    may(['prompts.read']) ? urlOf('/v1/prompts/{id}', { path: { id: prompt } }) : null,
    headers,
  )
  const values = objectOf(target.variables)
  if (data === null || values === null) return null
  return (
    <VariableFields
      names={data.variables ?? []}
      schema={data.variables_schema}
      values={values}
      onChange={(next) => onChange({ variables: JSON.stringify(next, null, 2) })}
    />
  )
}

/** The fields of the request that are written as JSON. */
const JsonFields = ({ target, onChange }: Pick<Props, 'target' | 'onChange'>) => (
  <>
    <AreaField
      label="Parameters"
      value={target.parameters}
      onChange={(parameters) => onChange({ parameters })}
      rows={2}
      isCode
      fault={faultOf(target.parameters)}
      hint='As JSON: {"temperature": 0.2}'
    />
    <AreaField
      label="Metadata"
      value={target.metadata}
      onChange={(metadata) => onChange({ metadata })}
      rows={2}
      isCode
      fault={faultOf(target.metadata)}
      hint='As JSON: {"team": "shop"}. Conditions of configs and policies can use it.'
    />
    {target.headers !== '' && (
      <AreaField
        label="Other headers"
        value={target.headers}
        onChange={(headers) => onChange({ headers })}
        rows={2}
        isCode
        fault={faultOf(target.headers)}
        hint="Those of the logged request that select its route, as JSON."
      />
    )}
  </>
)

export const TargetFields = ({ title, target, onChange, workspace }: Props) => (
  <fieldset>
    <legend>{title}</legend>
    <TextField
      label="Model"
      value={target.model}
      onChange={(model) => onChange({ model })}
      placeholder="@provider/model"
      list="playground-models"
      hint="Leave empty if the config or the prompt sets one."
    />
    <div class="pair">
      <TextField
        label="Config"
        value={target.config}
        onChange={(config) => onChange({ config })}
        list="playground-configs"
        hint="The slug of a config, or a config as JSON."
      />
      <TextField
        label="Prompt"
        value={target.prompt}
        onChange={(prompt) => onChange({ prompt })}
        list="playground-prompts"
        hint="The slug of a prompt, which replaces the messages."
      />
    </div>
    {target.prompt.trim() !== '' && (
      <>
        <KnownVariables {...{ target, onChange, workspace }} />
        <AreaField
          label="Variables"
          value={target.variables}
          onChange={(variables) => onChange({ variables })}
          fault={faultOf(target.variables)}
          hint='As JSON: {"name": "value"}'
        />
      </>
    )}
    <JsonFields target={target} onChange={onChange} />
  </fieldset>
)
