/** Edits an object: labelled fields for known members, JSON for the rest. */
import { useId, useState } from 'preact/hooks'
import type { Fault } from '../api.ts'
import type { FieldSpec, MemberSpec } from '../resources.ts'
import { EditorField } from './editor-field.tsx'
import { AreaField, SelectField, TextField } from './field.tsx'
import { faultsBelow, faultText, incompleteTime, toLocalTime } from './field-text.ts'
import { JsonField } from './json-field.tsx'
import { membersOfText, otherMembers } from './member-text.ts'
import { Proposals } from './proposals.tsx'
import { TimeField } from './time-field.tsx'

interface Props {
  spec: FieldSpec
  value: string
  onChange: (value: string) => void
  /** Errors with pointers below this field. */
  faults: readonly Fault[]
}

export function MembersField({ spec, value, onChange, faults }: Props) {
  const { label, hint, members = [], others } = spec
  const id = useId()
  const [before] = useState(() => membersOfText(value))
  const texts = membersOfText(value)
  const change = (name: string) => (text: string) => onChange(JSON.stringify({ ...texts, [name]: text }))
  const isKnown = ({ param }: Fault) =>
    members.some(({ name }) => param === `/${name}` || param?.startsWith(`/${name}/`) === true)
  const rest = faults.filter((one) => !isKnown(one))
  const hasOthers = others !== undefined || (texts[otherMembers] ?? '') !== ''
  const described = [
    hint === undefined ? '' : `${id}-hint`,
    hasOthers || rest.length === 0 ? '' : `${id}-fault`,
  ]
    .join(' ')
    .trim()
  return (
    <fieldset class="rows" aria-describedby={described === '' ? undefined : described}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      <div class="members">
        {members
          .filter(({ name, isRare }) => isRare !== true || (before[name] ?? '') !== '')
          .map((member) => (
            <Member
              key={member.name}
              member={member}
              listId={`${id}-${member.name}`}
              value={texts[member.name] ?? ''}
              onChange={change(member.name)}
              faults={faultsBelow(faults, `/${member.name}`)}
            />
          ))}
        {hasOthers && (
          <div class="wide">
            <JsonField
              label={others ?? `Other members of ${label.toLowerCase()}`}
              hint="As a JSON object: members that have no field here."
              value={texts[otherMembers] ?? ''}
              onChange={change(otherMembers)}
              faults={rest}
              rows={4}
            />
          </div>
        )}
      </div>
      {!hasOthers && rest.length > 0 && (
        <p id={`${id}-fault`} class="fault">
          {faultText(rest)}
        </p>
      )}
    </fieldset>
  )
}

interface MemberProps {
  member: MemberSpec
  listId: string
  value: string
  onChange: (text: string) => void
  faults: readonly Fault[]
}

const areaRows = 3

function Member({ member, listId, value, onChange, faults }: MemberProps) {
  const { label, kind, hint, options = [], proposed = [], schema } = member
  const shared = { label, hint, value, onChange }
  if (kind === 'json')
    return (
      <div class="wide">
        {schema === undefined ? (
          <JsonField {...shared} faults={faults} rows={areaRows} />
        ) : (
          <EditorField {...shared} faults={faults} rows={areaRows} schema={schema} workspace={null} />
        )}
      </div>
    )
  const fault = faultText(faults)
  if (kind === 'select' || kind === 'boolean')
    return <SelectField {...shared} fault={fault} options={[['', 'Not set'], ...options]} />
  if (kind === 'lines') return <AreaField {...shared} fault={fault} rows={areaRows} />
  if (kind === 'time')
    return (
      <TimeField
        {...shared}
        fault={fault}
        value={value === incompleteTime ? value : toLocalTime(value)}
        onChange={(text) =>
          onChange(text === '' || text === incompleteTime ? text : new Date(text).toISOString())
        }
      />
    )
  return (
    <div class={member.startsLine === true ? 'starts' : undefined}>
      <TextField
        {...shared}
        fault={fault}
        inputMode={kind === 'number' ? 'decimal' : undefined}
        list={proposed.length === 0 ? undefined : listId}
      />
      <Proposals id={listId} proposed={proposed} />
    </div>
  )
}
