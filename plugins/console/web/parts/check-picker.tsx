/** Adds a check to the JSON list of a guardrail. The user selects it by name; its required parameters are added. */
import { useState } from 'preact/hooks'
import { urlOf } from '../api.ts'
import { rowOf, textsOf } from '../json.ts'
import { useQuery } from '../query.tsx'
import { textOf } from './cells.tsx'
import { Field } from './field.tsx'

interface Props {
  /** A JSON list. */
  value: string
  onChange: (value: string) => void
}

/** Initial values of required parameters, by type. */
const initial: Readonly<Record<string, unknown>> = {
  array: [],
  boolean: false,
  integer: 0,
  number: 0,
  object: {},
}

/** @param schema schema of a check's parameters */
function parametersOf(schema: unknown): Record<string, unknown> {
  const { properties, required } = rowOf(schema)
  return Object.fromEntries(
    textsOf(required).map((name) => {
      const { default: usual, enum: choices, type } = rowOf(rowOf(properties)[name])
      const [first] = textsOf(choices)
      return [name, usual ?? first ?? initial[String(type)] ?? '']
    }),
  )
}

/** Null if the text is not a JSON list. */
function listOf(text: string): unknown[] | null {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

export function CheckPicker({ value, onChange }: Props) {
  const [said, setSaid] = useState('')
  const { data } = useQuery(urlOf('/v1/guardrails/checks', { query: { page_size: 1000 } }))
  const list = listOf(value)
  const checks = (data?.data ?? []).map((one) => ({
    id: textOf(one.id),
    name: textOf(one.name ?? one.id),
    parameters: one.parameters,
  }))
  const packages = [...new Set(checks.map(({ id }) => id.split('.', 1)[0] ?? ''))]
  const add = (id: string) => {
    const check = checks.find((one) => one.id === id)
    if (check === undefined || list === null) return
    onChange(JSON.stringify([...list, { id, parameters: parametersOf(check.parameters) }], null, 2))
    setSaid(`${check.name} was added below. Fill in its parameters.`)
  }
  return (
    <Field
      label="Add a check"
      fault={list === null ? 'The checks below are not a JSON list: mend them first.' : null}
    >
      {(control) => (
        <>
          <select
            {...control}
            value=""
            disabled={list === null}
            onChange={(event) => {
              add(event.currentTarget.value)
              event.currentTarget.value = ''
            }}
          >
            <option value="">Choose one…</option>
            {packages.map((one) => (
              <optgroup key={one} label={one}>
                {checks
                  .filter(({ id }) => id.startsWith(`${one}.`))
                  .map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
          <span class="hint" role="status">
            {said}
          </span>
        </>
      )}
    </Field>
  )
}
