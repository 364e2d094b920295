/** The fields of an object, from the table of its resource. */
import { useContext, useLayoutEffect, useState } from 'preact/hooks'
import { type ApiError, type Fault, type Row, urlOf } from '../api.ts'
import { useQuery } from '../query.tsx'
import { type FieldSpec, hintOf } from '../resources/declare.ts'
import { SessionContext } from '../session.tsx'
import { useWorkspace } from '../workspace.tsx'
import { CheckPicker } from './check-picker.tsx'
import { ChoicesField } from './choices-field.tsx'
import { EditorField } from './editor-field.tsx'
import { AreaField, SelectField, TextField } from './field.tsx'
import { faultsBelow, faultText, type Texts } from './field-text.ts'
import { JsonField } from './json-field.tsx'
import { MembersField } from './members-field.tsx'
import { ModelField } from './model-field.tsx'
import { PickerField } from './picker-field.tsx'
import { RowsField } from './rows-field.tsx'
import { TimeField } from './time-field.tsx'
import { VariablesField } from './variables-field.tsx'

interface Props {
  fields: readonly FieldSpec[]
  texts: Texts
  /** Changes the current texts, because the user may have typed since a field computed its value. */
  onChange: (change: (texts: Texts) => Texts) => void
  faults: readonly Fault[]
  /** The object, if it already exists. */
  row?: Row
  /** Called when the default workspace begins or ends to load. Until it is known, the form must not be sent. */
  onLoading?: (isLoading: boolean) => void
}

export const faultsOf = (error: ApiError | null, own: readonly Fault[] = []): readonly Fault[] =>
  own.length > 0 ? own : (error?.faults ?? [])

export const ObjectFields = ({ fields, texts, onChange, faults, row = {}, onLoading }: Props) => (
  <>
    {fields.map((spec) => (
      <OneField
        key={spec.name}
        spec={spec}
        hint={hintOf(spec, (member) => texts[member] ?? row[member])}
        value={texts[spec.name] ?? ''}
        onChange={(value) => onChange((old) => ({ ...old, [spec.name]: value }))}
        faults={faultsBelow(faults, `/${spec.name}`)}
        workspace={texts.workspace_id ?? (typeof row.workspace_id === 'string' ? row.workspace_id : null)}
        template={texts.string ?? ''}
        onLoading={onLoading}
      />
    ))}
  </>
)

const mostRows = 14

/** The number of lines in the text, within bounds. */
const rowsFor = (text: string, least: number) => Math.min(mostRows, Math.max(least, text.split('\n').length))

interface OneProps {
  spec: FieldSpec
  hint: string | undefined
  value: string
  onChange: (value: string) => void
  faults: readonly Fault[]
  workspace: string | null
  /** The template of the prompt. */
  template: string
  onLoading: Props['onLoading']
}

function OneField({ spec, hint, value, onChange, faults, workspace, template, onLoading }: OneProps) {
  const { label, kind } = spec
  const fault = faultText(faults)
  const shared = { label, hint, value, onChange, fault }
  if (spec.choices !== undefined)
    return <ChoicesField {...shared} choices={spec.choices} words={spec.words} />
  if (spec.proposes === 'models') return <ModelField {...shared} />
  if (kind === 'json' && (spec.schema !== undefined || spec.isRequired === true))
    return (
      <>
        {spec.schema === 'checks' && <CheckPicker value={value} onChange={onChange} />}
        <EditorField
          {...{ label, hint, value, onChange, faults, workspace }}
          schema={spec.schema}
          rows={14}
        />
      </>
    )
  if (kind === 'json')
    return (
      <JsonField
        label={label}
        hint={hint}
        value={value}
        onChange={onChange}
        faults={faults}
        rows={rowsFor(value, 4)}
      />
    )
  if (kind === 'members') return <MembersField {...{ spec, value, onChange, faults }} />
  if (kind === 'variables') return <VariablesField {...{ label, hint, value, onChange, faults, template }} />
  if (kind === 'rows') return <RowsField {...{ spec, value, onChange, faults }} />
  if (kind === 'time') return <TimeField {...shared} />
  if (kind === 'workspace') return <WorkspaceField {...{ value, onChange, fault, onLoading }} />
  if (kind === 'picker' && spec.picks !== undefined)
    return (
      <PickerField
        {...shared}
        picks={spec.picks}
        isRequired={spec.isRequired}
        none={spec.none}
        workspace={workspace}
      />
    )
  if (kind === 'select' || kind === 'boolean') return <SelectField {...shared} options={spec.options ?? []} />
  if (kind === 'area' || kind === 'list')
    return <AreaField {...shared} rows={rowsFor(value, kind === 'area' ? 10 : 4)} isCode={kind === 'area'} />
  return <TextField {...shared} type={kind === 'number' ? 'number' : 'text'} />
}

interface WorkspaceProps {
  value: string
  onChange: (value: string) => void
  fault?: string | null
  onLoading?: Props['onLoading']
}

/** Offers the workspaces of the signed-in person; for an API key they are loaded. */
export function WorkspaceField({ value, onChange, fault, onLoading }: WorkspaceProps) {
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
  const current = useWorkspace()
  const isDefault =
    known.find(({ slug }) => slug === current) ?? known.find(({ slug }) => slug === 'default') ?? first
  if (value === '' && isDefault !== undefined) queueMicrotask(() => onChange(isDefault.slug))
  const isLoading = value === '' && (asked.isBusy || isDefault !== undefined)
  // A layout effect runs before the user can send the form.
  useLayoutEffect(() => {
    if (!isLoading) return
    onLoading?.(true)
    return () => onLoading?.(false)
  }, [isLoading])
  // Objects refer to their workspace by id.
  const shown = known.find(({ id }) => id === value)?.slug ?? value
  const options = known.map(({ slug, name }) => [slug, name === slug ? name : `${name} (${slug})`] as const)
  const whenEmpty = asked.isBusy
    ? 'Loading…'
    : asked.error === null
      ? 'Of this credential'
      : 'Could not be loaded'
  return (
    <>
      <SelectField
        label="Workspace"
        value={shown}
        onChange={onChange}
        fault={fault ?? asked.error?.message ?? null}
        options={
          options.length === 0
            ? [['', whenEmpty]]
            : shown === '' || known.some(({ slug }) => slug === shown)
              ? options
              : [...options, [shown, shown]]
        }
      />
      {asked.error !== null && (
        <p class="field">
          <button type="button" onClick={asked.reload}>
            Load the workspaces again
          </button>
        </p>
      )}
    </>
  )
}
