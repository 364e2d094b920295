/** The playground's target: a model, a config or a prompt, as form fields and as the resulting call. */
import type { Json, Row } from '../api.ts'
import { AreaField, TextField } from '../parts/field.tsx'

export interface Target {
  model: string
  /** A slug or JSON. */
  config: string
  prompt: string
  /** The variables of the prompt, as JSON. */
  variables: string
  /** Of the model, as JSON. Those of a prompt have lower precedence. */
  parameters: string
}

export const emptyTarget: Target = { model: '', config: '', prompt: '', variables: '', parameters: '' }

export interface Call {
  path: string
  body: Row
  headers: Record<string, string>
}

interface Asked {
  system: string
  message: string
  workspace: string
}

const headersOf = ({ config }: Target, workspace: string): Record<string, string> => ({
  ...(config.trim() === '' ? {} : { 'x-gateway-config': config.trim() }),
  ...(workspace === '' ? {} : { 'x-gateway-workspace-id': workspace }),
})

/** Null if the text is not a JSON object. */
function objectOf(text: string): Row | null {
  if (text.trim() === '') return {}
  try {
    const value: Json = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

const faultOf = (text: string) => (objectOf(text) === null ? 'This is not a JSON object.' : null)

export const isComplete = ({ variables, parameters, prompt }: Target): boolean =>
  objectOf(parameters) !== null && (prompt.trim() === '' || objectOf(variables) !== null)

export function callOf(target: Target, { system, message, workspace }: Asked): Call {
  const headers = headersOf(target, workspace)
  const prompt = target.prompt.trim()
  // A chat request requires a model, even if the config replaces it.
  const name = target.model.trim() || (prompt === '' && target.config.trim() !== '' ? 'any' : '')
  const chosen: Row = { ...objectOf(target.parameters), ...(name === '' ? {} : { model: name }) }
  if (prompt !== '') {
    const path = `/v1/prompts/${encodeURIComponent(prompt)}/completions`
    return { path, headers, body: { ...chosen, variables: objectOf(target.variables) ?? {} } }
  }
  const messages = [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: message },
  ]
  return { path: '/v1/chat/completions', headers, body: { ...chosen, messages } }
}

interface Props {
  title: string
  target: Target
  onChange: (changes: Partial<Target>) => void
}

export const TargetFields = ({ title, target, onChange }: Props) => (
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
      <AreaField
        label="Variables"
        value={target.variables}
        onChange={(variables) => onChange({ variables })}
        fault={faultOf(target.variables)}
        hint='As JSON: {"name": "value"}'
      />
    )}
    <AreaField
      label="Parameters"
      value={target.parameters}
      onChange={(parameters) => onChange({ parameters })}
      rows={2}
      isCode
      fault={faultOf(target.parameters)}
      hint='As JSON: {"temperature": 0.2}'
    />
  </fieldset>
)
