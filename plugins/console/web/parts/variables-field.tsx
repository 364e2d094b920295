/** Edits the variables of a prompt: one row of fields for each, next to the resulting JSON Schema. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Fault } from '../api.ts'
import { AreaField, SelectField, TextField } from './field.tsx'
import { JsonField } from './json-field.tsx'
import {
  namesInTemplate,
  newVariable,
  schemaOfText,
  textOfVariables,
  type Variable,
  variablesOf,
  variableTypes,
} from './variables-text.ts'

interface Props {
  label: string
  hint?: string | undefined
  /** A JSON Schema, or an empty string. */
  value: string
  onChange: (value: string) => void
  /** Errors with pointers below this field. */
  faults: readonly Fault[]
  /** The template whose variables are suggested. */
  template: string
}

const yesNo = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const

export function VariablesField({ label, hint, value, onChange, faults, template }: Props) {
  const schema = schemaOfText(value)
  const [rows, setRows] = useState<readonly Variable[]>(() => variablesOf(schema ?? {}))
  /** The text made from the rows. Any other text was typed as JSON or loaded. */
  const own = useRef(value)
  const list = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    if (value !== own.current && schema !== null) setRows(variablesOf(schema))
    own.current = value
  }, [value])
  const change = (next: readonly Variable[]) => {
    setRows(next)
    own.current = textOfVariables(schema ?? {}, next)
    onChange(own.current)
  }
  const missing = namesInTemplate(template).filter((name) => rows.every((one) => one.name !== name))
  return (
    <fieldset ref={list} class="rows">
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {schema === null ? (
        <p class="note">The JSON Schema below cannot be read. Mend it to see its variables as fields.</p>
      ) : (
        <>
          {rows.map((one, index) => (
            <VariableRow
              key={index}
              index={index}
              one={one}
              fault={
                one.name !== '' && rows.findIndex(({ name }) => name === one.name) < index
                  ? 'Another variable has this name.'
                  : null
              }
              onChange={(changes) =>
                change(rows.map((old, at) => (at === index ? { ...old, ...changes } : old)))
              }
              onRemove={() => {
                change(rows.filter((_, at) => at !== index))
                list.current?.querySelector<HTMLElement>('.add')?.focus()
              }}
            />
          ))}
          <div class="buttons">
            <button type="button" class="add" onClick={() => change([...rows, newVariable()])}>
              Add variable
            </button>
            {missing.length > 0 && (
              <button
                type="button"
                onClick={() => change([...rows, ...missing.map((name) => newVariable(name))])}
              >
                Add from the template: {missing.join(', ')}
              </button>
            )}
          </div>
        </>
      )}
      <details open={schema === null || faults.length > 0}>
        <summary>As a JSON Schema</summary>
        <JsonField
          label="JSON Schema of the variables"
          value={value}
          onChange={onChange}
          faults={faults}
          rows={Math.min(14, Math.max(4, value.split('\n').length))}
        />
      </details>
    </fieldset>
  )
}

interface RowProps {
  one: Variable
  index: number
  fault: string | null
  onChange: (changes: Partial<Variable>) => void
  onRemove: () => void
}

const VariableRow = ({ one, index, fault, onChange, onRemove }: RowProps) => (
  <div class="row" role="group" aria-label={`Variable ${index + 1}`}>
    <TextField label="Variable" value={one.name} onChange={(name) => onChange({ name })} fault={fault} />
    <SelectField
      label="Type"
      value={one.type}
      onChange={(type) => onChange({ type })}
      options={variableTypes}
    />
    <SelectField
      label="Required"
      value={String(one.isRequired)}
      onChange={(text) => onChange({ isRequired: text === 'true' })}
      options={yesNo}
    />
    {one.type === 'enum' && (
      <AreaField
        label="Choices"
        hint="One in each line."
        value={one.choices}
        onChange={(choices) => onChange({ choices })}
      />
    )}
    <TextField
      label="What it is"
      value={one.description}
      onChange={(description) => onChange({ description })}
    />
    <button type="button" aria-label={`Remove variable ${index + 1}`} onClick={onRemove}>
      Remove
    </button>
  </div>
)
