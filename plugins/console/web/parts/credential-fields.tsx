/** The fields of a credential, from the provider's schema in the API. */
import type { Fault, Row } from '../api.ts'
import { AreaField, SelectField, TextField } from './field.tsx'
import { fieldsOf, type SchemaField, valueOfText } from './schema-fields.ts'

/** Every provider can be called at another host. */
const host: SchemaField = {
  name: 'custom_host',
  label: 'Custom host',
  kind: 'text',
  options: [],
  hint: 'Only if the provider has a different address. Include the version, for example https://host/v1.',
}

function credentialFields(schema: unknown): readonly SchemaField[] {
  const described = fieldsOf(schema)
  return described.some((field) => field.name === host.name) ? described : [...described, host]
}

/** Parses the entered values. Also returns the fields that cannot be parsed. */
function readCredential(fields: readonly SchemaField[], texts: Readonly<Record<string, string>>) {
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

/** The entered values: the API key, and the others by name. */
export interface Entered {
  key: string
  texts: Readonly<Record<string, string>>
}

export const nothingEntered: Entered = { key: '', texts: {} }

/** @param provider an entry of the list of AI providers */
export function credentialOf(provider: Row | undefined, { key, texts }: Entered) {
  const { configurations, bad } = readCredential(credentialFields(provider?.configurations), texts)
  const written = key.trim()
  return {
    key: written === '' || provider?.credential === 'none' ? {} : { key: written },
    configurations,
    bad,
  }
}

interface FieldsProps {
  provider: Row | undefined
  /** The label of the API key. */
  label: string
  entered: Entered
  onChange: (change: (entered: Entered) => Entered) => void
  faultOf: (param: string) => string | undefined
}

export const CredentialFields = ({ provider, label, entered, onChange, faultOf }: FieldsProps) => (
  <>
    {provider?.credential !== 'none' && (
      <TextField
        label={label}
        type="password"
        autocomplete="new-password"
        value={entered.key}
        onChange={(key) => onChange((old) => ({ ...old, key }))}
        fault={faultOf('/key')}
      />
    )}
    {(provider === undefined ? [] : credentialFields(provider.configurations)).map((field) => (
      <CredentialField
        key={`${String(provider?.id)} ${field.name}`}
        field={field}
        value={entered.texts[field.name] ?? ''}
        onChange={(text) => onChange((old) => ({ ...old, texts: { ...old.texts, [field.name]: text } }))}
        fault={faultOf(`/configurations/${field.name}`)}
      />
    ))}
  </>
)

/** Returns a function that finds the error of a value, or of a part of it. */
export const faultFinder =
  (faults: readonly Fault[]) =>
  (param: string): string | undefined =>
    faults.find((one) => one.param === param || one.param?.startsWith(`${param}/`) === true)?.message

interface FieldProps {
  field: SchemaField
  value: string
  onChange: (text: string) => void
  fault: string | undefined
}

function CredentialField({ field, ...shared }: FieldProps) {
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
