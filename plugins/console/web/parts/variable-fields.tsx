/** The variables of a prompt as fields, typed by their JSON Schema. */
import type { Row } from '../api.ts'
import { rowOf } from '../json.ts'
import { AreaField, SelectField, TextField } from './field.tsx'

interface Props {
  /** Names in the order of the template. */
  names: readonly string[]
  /** A JSON Schema; null if all variables are strings. */
  schema: unknown
  values: Row
  onChange: (values: Row) => void
}

export function VariableFields({ names, schema, values, onChange }: Props) {
  const properties = rowOf(rowOf(schema).properties)
  const required = rowOf(schema).required
  const all = [...new Set([...names, ...Object.keys(properties), ...Object.keys(values)])]
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values
    onChange(value === undefined ? others : { ...others, [name]: value })
  }
  return (
    <div class="members">
      {all.map((name) => (
        <VariableField
          key={name}
          name={name}
          spec={rowOf(properties[name])}
          isRequired={Array.isArray(required) && required.includes(name)}
          value={values[name]}
          onChange={(value) => set(name, value)}
        />
      ))}
    </div>
  )
}

interface OneProps {
  name: string
  spec: Row
  isRequired: boolean
  value: unknown
  onChange: (value: unknown) => void
}

const textIn = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** Text that is not valid JSON yet is kept as text. */
function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function VariableField({ name, spec, isRequired, value, onChange }: OneProps) {
  const { type, enum: choices, description } = spec
  const shared = {
    label: isRequired ? `${name} (required)` : name,
    hint: typeof description === 'string' ? description : undefined,
    value: textIn(value),
  }
  const change = (text: string) => onChange(text === '' ? undefined : text)
  if (Array.isArray(choices))
    return (
      <SelectField
        {...shared}
        onChange={(text) => onChange(choices.find((one) => textIn(one) === text))}
        options={[['', 'None'], ...choices.map((one) => [textIn(one), textIn(one)] as const)]}
      />
    )
  if (type === 'boolean')
    return (
      <SelectField
        {...shared}
        onChange={(text) => onChange(text === '' ? undefined : text === 'true')}
        options={[
          ['', 'None'],
          ['true', 'Yes'],
          ['false', 'No'],
        ]}
      />
    )
  if (type === 'number' || type === 'integer')
    return (
      <TextField
        {...shared}
        type="number"
        onChange={(text) => onChange(text === '' ? undefined : Number(text))}
      />
    )
  if (type === 'object' || type === 'array')
    return (
      <AreaField {...shared} isCode onChange={(text) => onChange(text === '' ? undefined : parsedOr(text))} />
    )
  return shared.value.includes('\n') || shared.value.length > 60 ? (
    <AreaField {...shared} rows={4} onChange={change} />
  ) : (
    <TextField {...shared} onChange={change} />
  )
}
