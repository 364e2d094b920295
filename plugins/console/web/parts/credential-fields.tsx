/** The fields of a credential, from the schema that the API has of each provider. */
import type { Fault, Row } from '../api.ts'
import { AreaField, SelectField, TextField } from './field.tsx'
import { fieldsOf, type SchemaField, valueOfText } from './schema-fields.ts'

/** Every provider may be reached at another host. */
const host: SchemaField = {
  name: 'custom_host',
  label: 'Custom host',
  kind: 'text',
  options: [],
  hint: 'Only if the provider has a different address. Include the version, for example https://host/v1.',
}

export function credentialFields(schema: unknown): readonly SchemaField[] {
  const described = fieldsOf(schema)
  return described.some((field) => field.name === host.name) ? described : [...described, host]
}

/** The entered values, and the fields that cannot be parsed. */
export function readCredential(fields: readonly SchemaField[], texts: Readonly<Record<string, string>>) {
  const configurations: Row = {}
  const bad: Fault[] = []
  for (const field of fields) {
    const text = (texts[field.name] ?? '').trim()
    if (text === '') continue
    try {
      configurations[field.name] = valueOfText(field, text)
    } catch {
      bad.push({ param: `/configurations/${field.name}`, message: 'This is not JSON.' })
    }
  }
  return { configurations, bad }
}

interface FieldProps {
  field: SchemaField
  value: string
  onChange: (text: string) => void
  fault: string | undefined
}

export function CredentialField({ field, ...shared }: FieldProps) {
  const { label, kind, options, hint } = field
  if (kind === 'choice') {
    const choices = [['', '–'] as const, ...options.map((one) => [one, one] as const)]
    return <SelectField {...shared} label={label} hint={hint} options={choices} />
  }
  if (kind === 'json') return <AreaField {...shared} label={label} hint={hint} />
  return (
    <TextField
      {...shared}
      label={label}
      hint={hint}
      type={kind === 'secret' ? 'password' : 'text'}
      autocomplete={kind === 'secret' ? 'new-password' : 'off'}
    />
  )
}
