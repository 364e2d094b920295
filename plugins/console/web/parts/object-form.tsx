/** The fields of an object, by its resource's table: texts while they are edited, JSON when they are sent. */
import { useContext, useState } from 'preact/hooks'
import { type ApiError, type Fault, type Json, type Row, urlOf } from '../api.ts'
import { useQuery } from '../query.tsx'
import type { FieldSpec } from '../resources.ts'
import { SessionContext } from '../session.tsx'
import { EditorField } from './editor-field.tsx'
import { AreaField, SelectField, TextField } from './field.tsx'
import { JsonField } from './json-field.tsx'

export type Texts = Readonly<Record<string, string>>

const toText = (spec: FieldSpec, value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (spec.kind === 'json') return JSON.stringify(settable(spec, value), null, 2)
  if (spec.kind === 'area' && typeof value === 'string') return indented(value)
  if (Array.isArray(value)) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** Without what the gateway adds to it, and without members that are not set. */
function settable({ members }: Pick<FieldSpec, 'members'>, value: unknown): unknown {
  if (members === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => settable({ members }, one))
  return Object.fromEntries(
    Object.entries(value).filter(([name, one]) => members.includes(name) && one !== null),
  )
}

/** A template that is JSON can be read when it has lines; one with other marks stays as it is. */
function indented(text: string): string {
  try {
    const value: Json = JSON.parse(text)
    return typeof value === 'object' ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

export const textsOf = (fields: readonly FieldSpec[], row: Row): Texts =>
  Object.fromEntries(fields.map((spec) => [spec.name, toText(spec, row[spec.name])]))

export const initialTexts = (fields: readonly FieldSpec[]): Texts =>
  Object.fromEntries(fields.map((spec) => [spec.name, toText(spec, spec.initial)]))

/** Of one field. Errors: `SyntaxError` for a text that is no JSON. */
function toValue({ kind }: FieldSpec, text: string): Json {
  const trimmed = text.trim()
  if (kind === 'list')
    return trimmed
      .split(/[\n,]/)
      .map((one) => one.trim())
      .filter(Boolean)
  if (trimmed === '') return null
  if (kind === 'json') return JSON.parse(trimmed)
  if (kind === 'number') return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)
  if (kind === 'yes') return trimmed === 'true'
  return kind === 'area' ? text : trimmed
}

export interface Body {
  body: Row
  faults: readonly Fault[]
}

/** @param before texts that have not changed are left out; null: empty ones are */
export function bodyOf(fields: readonly FieldSpec[], texts: Texts, before: Texts | null): Body {
  const body: Row = {}
  const faults: Fault[] = []
  for (const spec of fields) {
    const text = texts[spec.name] ?? ''
    if (before === null ? text.trim() === '' : text === before[spec.name]) continue
    try {
      body[spec.name] = toValue(spec, text)
    } catch {
      faults.push({ param: `/${spec.name}`, message: 'This is not JSON.' })
    }
  }
  return { body, faults }
}

interface Props {
  fields: readonly FieldSpec[]
  texts: Texts
  /** Changes what the texts are by then: fields that fill themselves in may be behind what is typed. */
  onChange: (change: (texts: Texts) => Texts) => void
  faults: readonly Fault[]
  /** Of an object that is there already. */
  workspace?: string | null
}

export const faultsOf = (error: ApiError | null, own: readonly Fault[] = []): readonly Fault[] =>
  own.length > 0 ? own : (error?.faults ?? [])

export const ObjectFields = ({ fields, texts, onChange, faults, workspace = null }: Props) => (
  <>
    {fields.map((spec) => (
      <OneField
        key={spec.name}
        spec={spec}
        value={texts[spec.name] ?? ''}
        onChange={(value) => onChange((old) => ({ ...old, [spec.name]: value }))}
        faults={below(faults, spec.name)}
        workspace={texts.workspace_id ?? workspace}
      />
    ))}
  </>
)

/** Faults of a field, with pointers below it. */
function below(faults: readonly Fault[], name: string): Fault[] {
  const prefix = `/${name}`
  return faults
    .filter(({ param }) => param === prefix || param?.startsWith(`${prefix}/`) === true)
    .map(({ param, message }) => ({ param: (param ?? '').slice(prefix.length), message }))
}

interface OneProps {
  spec: FieldSpec
  value: string
  onChange: (value: string) => void
  faults: readonly Fault[]
  workspace: string | null
}

function OneField({ spec, value, onChange, faults, workspace }: OneProps) {
  const { label, hint, kind } = spec
  const fault =
    faults.map(({ param, message }) => (param === '' ? message : `${param}: ${message}`)).join(' ') || null
  const shared = { label, hint, value, onChange, fault }
  if (kind === 'json' && (spec.schema !== undefined || spec.isRequired === true))
    return (
      <EditorField {...{ label, hint, value, onChange, faults, workspace }} schema={spec.schema} rows={14} />
    )
  if (kind === 'json')
    return (
      <JsonField
        label={label}
        hint={hint}
        value={value}
        onChange={onChange}
        faults={faults}
        rows={Math.min(14, Math.max(4, value.split('\n').length))}
      />
    )
  if (kind === 'workspace') return <WorkspaceField value={value} onChange={onChange} fault={fault} />
  if (kind === 'select') return <SelectField {...shared} options={spec.options ?? []} />
  if (kind === 'area' || kind === 'list')
    return <AreaField {...shared} rows={kind === 'area' ? 10 : 4} isCode={kind === 'area'} />
  return <TextField {...shared} type={kind === 'number' ? 'number' : 'text'} />
}

interface WorkspaceProps {
  value: string
  onChange: (value: string) => void
  fault?: string | null
}

/** Those of the signed-in person; an API key's are asked for. */
export function WorkspaceField({ value, onChange, fault }: WorkspaceProps) {
  const { workspaces: own } = useContext(SessionContext)
  const [search] = useState('')
  const asked = useQuery(
    own.length > 0
      ? null
      : urlOf('/v1/workspaces', { query: { page_size: 200, sort: 'name', order: 'asc', search } }),
  )
  const known =
    own.length > 0
      ? own
      : (asked.data?.data ?? []).map(({ id, slug, name }) => ({ id, slug: slug ?? id, name: name ?? id }))
  const [first] = known
  const isDefault = known.find(({ slug }) => slug === 'default') ?? first
  if (value === '' && isDefault !== undefined) queueMicrotask(() => onChange(isDefault.slug))
  const options = known.map(({ slug, name }) => [slug, name === slug ? name : `${name} (${slug})`] as const)
  return (
    <SelectField
      label="Workspace"
      value={value}
      onChange={onChange}
      fault={fault ?? asked.error?.message ?? null}
      options={options.length > 0 ? options : [['', 'Of this credential']]}
    />
  )
}
