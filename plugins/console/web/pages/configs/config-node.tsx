/** The fields of one node of a config: how it selects, its target, and its cache, guardrails and retries. */
import { useId } from 'preact/hooks'
import { type Row, urlOf } from '../../api.ts'
import { rowOf, textsOf } from '../../json.ts'
import {
  homesFor,
  type Mode,
  modeOf,
  nodeAt,
  type Place,
  pathOf,
  setMode,
  targetsOf,
  withMembers,
} from '../../parts/config-tree.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import { PickerField } from '../../parts/picker-field.tsx'
import { targetText } from '../../parts/target-text.ts'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import { ConfigConditions } from './config-conditions.tsx'
import { GuardrailChoice } from './config-guardrails.tsx'

interface Props {
  config: Row
  place: Place
  workspace: string | null
  onChange: (config: Row) => void
  onMove: (home: Place) => void
}

const modes: readonly (readonly [Mode, string])[] = [
  ['fallback', 'First that works'],
  ['loadbalance', 'Shares by weight'],
  ['conditional', 'By condition'],
  ['single', 'First target only'],
]

const numberOf = (text: string): number | undefined => {
  const number = Number(text)
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number
}

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

export function ConfigNode({ config, place, workspace, onChange, onMove }: Props) {
  const node = nodeAt(config, place) ?? {}
  const mode = modeOf(node)
  const homes = homesFor(config, place)
  const title = `Settings of ${targetText(pathOf(place))}`
  const set = (members: Row) => onChange(withMembers(config, place, members))
  const setStrategy = (members: Row) => set({ strategy: { ...rowOf(node.strategy), ...members } })
  return (
    <section class="form node-fields" aria-label={title}>
      <h3 title={pathOf(place)}>{title}</h3>
      <Selection {...{ config, place, node, onChange, set, setStrategy }} />
      {mode === 'conditional' && (
        <ConfigConditions
          strategy={rowOf(node.strategy)}
          names={targetsOf(node).map(({ name }) => shown(name))}
          workspace={workspace}
          onChange={setStrategy}
        />
      )}
      {mode === null && <Called node={node} workspace={workspace} set={set} />}
      <Extras node={node} workspace={workspace} set={set} />
      {homes.length > 0 && (
        <SelectField
          label="Move into"
          value=""
          onChange={(home) => {
            const found = homes.find((one) => pathOf(one) === home)
            if (found !== undefined) onMove(found)
          }}
          options={[
            ['', 'Where it is'],
            ...homes.map((home) => [pathOf(home), targetText(pathOf(home))] as const),
          ]}
        />
      )}
    </section>
  )
}

interface SelectionProps extends Pick<Props, 'config' | 'place' | 'onChange'> {
  node: Row
  set: (members: Row) => void
  setStrategy: (members: Row) => void
}

/** How a node selects its targets, and how its parent selects it. */
function Selection({ config, place, node, onChange, set, setStrategy }: SelectionProps) {
  const parent = place.length === 0 ? null : nodeAt(config, place.slice(0, -1))
  const mode = modeOf(node)
  return (
    <div class="pair">
      <SelectField
        label="Selects"
        value={mode ?? ''}
        onChange={(next) => onChange(setMode(config, place, next as Mode))}
        options={mode === null ? [['', 'Nothing: it calls a provider'], ...modes] : modes}
      />
      {parent !== null && (
        <TextField
          label="Name"
          value={shown(node.name)}
          onChange={(name) => onChange(renamed(config, place, name))}
          hint={modeOf(parent) === 'conditional' ? 'Conditions refer to it.' : undefined}
        />
      )}
      {parent !== null && modeOf(parent) === 'loadbalance' && (
        <TextField
          label="Weight"
          type="number"
          value={shown(node.weight ?? 1)}
          onChange={(weight) => set({ weight: numberOf(weight) })}
        />
      )}
      {mode === 'loadbalance' && (
        <SelectField
          label="Balance by"
          value={shown(rowOf(node.strategy).balance)}
          onChange={(balance) => setStrategy({ balance: balance === '' ? undefined : balance })}
          options={[
            ['', 'Weight'],
            ['latency', 'Weight and time to the first byte'],
            ['least_pending', 'Fewest calls in flight'],
          ]}
        />
      )}
    </div>
  )
}

/** Renames a target and the conditions of the parent node that refer to it. */
function renamed(config: Row, place: Place, name: string): Row {
  const above = place.slice(0, -1)
  const parent = nodeAt(config, above) ?? {}
  const before = nodeAt(config, place)?.name
  const next = withMembers(config, place, { name: name === '' ? undefined : name })
  if (modeOf(parent) !== 'conditional') return next
  const strategy = rowOf(parent.strategy)
  const follow = (one: unknown) => (one === before ? name : one)
  const conditions = Array.isArray(strategy.conditions)
    ? strategy.conditions.map((one) => ({ ...rowOf(one), then: follow(rowOf(one).then) }))
    : []
  return withMembers(next, above, {
    strategy: { ...strategy, conditions, default: follow(strategy.default) },
  })
}

interface PartProps {
  node: Row
  workspace: string | null
  set: (members: Row) => void
}

/** The provider and the model of a target. */
function Called({ node, workspace, set }: PartProps) {
  const id = useId()
  const may = useMay()
  const provider = shown(node.provider)
  const slug = provider.startsWith('@') ? provider.slice(1) : shown(node.virtual_key)
  const parameters = rowOf(node.override_params)
  const models = useQuery(
    slug === '' || !may(['completions.write'])
      ? null
      : urlOf('/v1/models', { query: { limit: 200, provider: slug } }),
  )
  const setModel = (model: string) => {
    const { model: _model, ...others } = parameters
    const next = model === '' ? others : { ...others, model }
    set({ override_params: Object.keys(next).length === 0 ? undefined : next })
  }
  return (
    <div class="pair">
      {/* Written in the form that the config has: @SLUG, or the slug as virtual_key. */}
      <PickerField
        label="Provider"
        picks={{ api: '/v1/providers', value: 'slug' }}
        none="As the request says"
        workspace={workspace}
        value={slug === '' ? provider : slug}
        onChange={(next) => set({ provider: next === '' ? undefined : `@${next}`, virtual_key: undefined })}
      />
      <TextField
        label="Model"
        value={shown(parameters.model)}
        onChange={setModel}
        list={id}
        placeholder="As the request says"
      />
      <datalist id={id}>
        {(models.data?.data ?? []).map((model) => (
          <option key={String(model.id)} value={nameIn(String(model.id))} />
        ))}
      </datalist>
    </div>
  )
}

/** Models are listed as @SLUG/NAME. */
const nameIn = (id: string): string => id.replace(/^@[^/]+\//, '')

/** The fields that every node can have. */
function Extras({ node, workspace, set }: PartProps) {
  const cache = rowOf(node.cache)
  const retry = rowOf(node.retry)
  const setCache = (members: Row) =>
    set({
      cache: Object.fromEntries(
        Object.entries({ ...cache, ...members }).filter(([, value]) => value !== undefined),
      ),
    })
  return (
    <>
      <div class="pair">
        <SelectField
          label="Cache"
          value={shown(cache.mode)}
          onChange={(mode) => (mode === '' ? set({ cache: undefined }) : setCache({ mode }))}
          options={[
            ['', 'None'],
            ['simple', 'Equal requests'],
            ['semantic', 'Requests of the same meaning'],
          ]}
        />
        {cache.mode !== undefined && (
          <TextField
            label="Cached for, in seconds"
            type="number"
            value={shown(cache.max_age)}
            onChange={(text) => setCache({ max_age: numberOf(text) })}
          />
        )}
        <SelectField
          label="Retries"
          value={shown(retry.attempts ?? 0)}
          onChange={(text) => set({ retry: text === '0' ? undefined : { ...retry, attempts: Number(text) } })}
          options={['0', '1', '2', '3', '4', '5'].map((count) => [count, count === '0' ? 'None' : count])}
        />
        <TextField
          label="Timeout, in ms"
          type="number"
          value={shown(node.request_timeout)}
          onChange={(text) => set({ request_timeout: numberOf(text) })}
        />
      </div>
      <GuardrailChoice
        workspace={workspace}
        input={textsOf(node.input_guardrails)}
        output={textsOf(node.output_guardrails)}
        isWritten={isWritten(node.input_guardrails) || isWritten(node.output_guardrails)}
        onChange={(side, slugs) =>
          set({ [`${side}_guardrails`]: slugs.length === 0 ? undefined : [...slugs] })
        }
      />
    </>
  )
}

/** Whether a guardrail is inline. */
const isWritten = (value: unknown): boolean =>
  Array.isArray(value) && value.some((one) => typeof one !== 'string')
