/** The conditions of a node. Suggests the metadata keys and values of the last hour's requests. */
import { useId } from 'preact/hooks'
import { type Row, urlOf } from '../../api.ts'
import { rowsOf } from '../../json.ts'
import { conditionOf, type SimpleCondition, simpleCondition } from '../../parts/config-tree.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import { useHourAgo } from './last-hour.tsx'

interface Props {
  strategy: Row
  /** The names of the targets. */
  names: readonly string[]
  workspace: string | null
  onChange: (members: Row) => void
}

const operators: readonly (readonly [string, string])[] = [
  ['$eq', 'is'],
  ['$ne', 'is not'],
  ['$in', 'is one of'],
  ['$nin', 'is none of'],
  ['$regex', 'matches the pattern'],
  ['$exists', 'is sent'],
  ['$gt', 'is more than'],
  ['$gte', 'is at least'],
  ['$lt', 'is less than'],
  ['$lte', 'is at most'],
]

const always = ['params.model', 'params.user', 'params.stream', 'url.pathname']

/** Values of each metadata key, by the key as written in conditions. */
function useMetadata(workspace: string | null): ReadonlyMap<string, ReadonlySet<string>> {
  const may = useMay()
  const from = useHourAgo()
  const logs = useQuery(
    may(['logs.list', 'logs.view'])
      ? urlOf('/v1/logs', {
          query: { workspace_id: workspace || null, time_of_generation_min: from, page_size: 100 },
        })
      : null,
  )
  const found = new Map<string, Set<string>>()
  for (const { metadata } of logs.data?.data ?? [])
    for (const [key, value] of Object.entries(metadata ?? {})) {
      const values = found.get(`metadata.${key}`) ?? new Set()
      found.set(`metadata.${key}`, values.add(value))
    }
  return found
}

export function ConfigConditions({ strategy, names, workspace, onChange }: Props) {
  const id = useId()
  const metadata = useMetadata(workspace)
  const conditions = rowsOf(strategy.conditions)
  const targets = names.map((name) => [name, name] as const)
  const put = (next: readonly Row[]) => onChange({ conditions: [...next] })
  const [firstKey = 'metadata.plan'] = metadata.keys()
  const fresh: SimpleCondition = { key: firstKey, operator: '$eq', value: '', then: names[0] ?? '' }
  return (
    <fieldset class="rows">
      <legend>Conditions</legend>
      <p class="hint">
        The first that matches decides. Keys and values of the last hour's requests are proposed.
      </p>
      {conditions.map((condition, index) => (
        <Condition
          key={index}
          {...{ index, condition, targets, id }}
          onChange={(next) => put(conditions.map((one, at) => (at === index ? next : one)))}
          onRemove={() => put(conditions.filter((_, at) => at !== index))}
        />
      ))}
      <button type="button" class="add" onClick={() => put([...conditions, conditionOf(fresh)])}>
        Add condition
      </button>
      <SelectField
        label="Otherwise"
        value={String(strategy.default ?? '')}
        onChange={(target) => onChange({ default: target })}
        options={targets}
      />
      <datalist id={`${id}-keys`}>
        {[...metadata.keys(), ...always].map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      {[...metadata].map(([key, values]) => (
        <datalist key={key} id={`${id}-${key}`}>
          {[...values].map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      ))}
    </fieldset>
  )
}

interface ConditionProps {
  index: number
  condition: Row
  targets: readonly (readonly [string, string])[]
  id: string
  onChange: (condition: Row) => void
  onRemove: () => void
}

function Condition({ index, condition, targets, id, onChange, onRemove }: ConditionProps) {
  const simple = simpleCondition(condition)
  const set = (members: Partial<SimpleCondition>) => {
    if (simple !== null) onChange(conditionOf({ ...simple, ...members }))
  }
  return (
    <div class="row" role="group" aria-label={`Condition ${index + 1}`}>
      {simple === null ? (
        <p class="note">
          <code>{JSON.stringify(condition.query)}</code> Edit it in the JSON.
        </p>
      ) : (
        <>
          <TextField label="If" value={simple.key} onChange={(key) => set({ key })} list={`${id}-keys`} />
          <SelectField
            label="Comparison"
            value={simple.operator}
            onChange={(operator) => set({ operator })}
            options={operators}
          />
          <TextField
            label="Value"
            value={simple.value}
            onChange={(value) => set({ value })}
            list={`${id}-${simple.key}`}
          />
        </>
      )}
      <SelectField
        label="Then"
        value={String(condition.then ?? '')}
        onChange={(then) => onChange({ ...condition, then })}
        options={targets}
      />
      <button type="button" aria-label={`Remove condition ${index + 1}`} onClick={onRemove}>
        Remove
      </button>
    </div>
  )
}
