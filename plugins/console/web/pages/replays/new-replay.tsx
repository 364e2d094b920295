/**
 * A form for a new replay: which requests, against which config, at what cost. The estimate is a dry run and sends
 * nothing.
 */
import { useContext, useState } from 'preact/hooks'
import { type ApiError, call, type Fault, type Row, urlOf } from '../../api.ts'
import type { Answer, Body, Schema } from '../../api-types.ts'
import { rowOf } from '../../json.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatCents, formatNumber } from '../../parts/cells.tsx'
import { SelectField } from '../../parts/field.tsx'
import { bodyOf, initialTexts, type Texts } from '../../parts/field-text.ts'
import { faultsOf, ObjectFields } from '../../parts/object-form.tsx'
import { Page } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { asApiError, useQuery } from '../../query.tsx'
import type { FieldSpec } from '../../resources/declare.ts'
import { exportFilters } from '../../resources/members.ts'
import { navigate, root, useFilters } from '../../router.tsx'
import { SessionContext } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'

type Estimate = Schema<'ReplayDryRun'>

/** Fields that are always shown. Others are shown if the address or the repeated replay contains them. */
const usual: readonly string[] = [
  ...['time_of_generation_min', 'time_of_generation_max', 'ai_model', 'virtual_keys', 'configs'],
  ...['endpoint_type', 'api_key_ids', 'prompt_slug', 'metadata'],
]
const filters = exportFilters
  .filter(({ name }) => name !== 'page_size' && name !== 'workspace_id')
  .map((member) => ({ ...member, isRare: !usual.includes(member.name) }))

/** Initial values of the form. Field names are pointers into the body. */
interface Start {
  filter: Row
  config: unknown
  sample: number
  workspace: string | null
}

const requestFields = ({ filter, sample }: Start): readonly FieldSpec[] => [
  {
    name: 'source/sample',
    label: 'Requests',
    kind: 'number',
    isRequired: true,
    initial: sample,
    hint: 'How many are drawn at random, 1 to 5,000.',
  },
  {
    name: 'source/filter',
    label: 'Which requests',
    kind: 'members',
    members: filters,
    initial: filter as NonNullable<FieldSpec['initial']>,
    hint: 'Logged requests that match all of these. Without a time: those of the last 7 days.',
  },
]

const savedConfigField = ({ config }: Start): FieldSpec => ({
  name: 'config',
  label: 'Saved config',
  kind: 'picker',
  picks: { api: '/v1/configs', value: 'slug' },
  isRequired: true,
  initial: typeof config === 'string' ? config : '',
})

const inlineConfigField = ({ config }: Start): FieldSpec => ({
  name: 'config',
  label: 'Config',
  kind: 'json',
  schema: 'config',
  isRequired: true,
  initial:
    typeof config === 'string'
      ? { provider: '@provider', override_params: { model: 'model' } }
      : (rowOf(config) as NonNullable<FieldSpec['initial']>),
})

const runFields = (isPerson: boolean): readonly FieldSpec[] => [
  {
    name: 'budget',
    label: 'Budget in US$',
    kind: 'number',
    hint: 'The replay stops before it costs more. Leave empty for no bound.',
  },
  { name: 'concurrency', label: 'Requests at once', kind: 'number', initial: 4 },
  {
    name: 'api_key_id',
    label: 'Key that runs it',
    kind: 'picker',
    picks: { api: '/v1/api-keys', value: 'id' },
    isRequired: isPerson,
    none: 'The key that you are signed in with',
    hint: 'Requests count towards its limits.',
  },
]

const judgeFields: readonly FieldSpec[] = [
  {
    name: 'judge/config',
    label: 'Config of the judge',
    kind: 'picker',
    picks: { api: '/v1/configs', value: 'slug' },
    hint: 'A model that compares both answers of each pair, in both orders.',
  },
  {
    name: 'judge/criteria',
    label: 'Criteria',
    kind: 'area',
    hint: 'What a better answer is. Needed for a judge.',
  },
]

function fieldsOf(start: Start, isPerson: boolean) {
  const first: readonly FieldSpec[] = [
    { name: 'name', label: 'Name', kind: 'text' },
    {
      name: 'workspace_id',
      label: 'Workspace',
      kind: 'workspace',
      ...(start.workspace === null ? {} : { initial: start.workspace }),
    },
  ]
  return {
    first,
    requests: requestFields(start),
    saved: savedConfigField(start),
    inline: inlineConfigField(start),
    run: runFields(isPerson),
    judge: judgeFields,
  }
}

/** Converts names with slashes to members of inner objects. */
function nested(flat: Row): Row {
  const body: Row = {}
  for (const [name, value] of Object.entries(flat)) {
    const [first = '', second] = name.split('/')
    body[first] = second === undefined ? value : { ...rowOf(body[first]), [second]: value }
  }
  return body
}

/** Starts from the URL, or from a replay to repeat. */
export function NewReplayPage() {
  const [query] = useFilters()
  const workspace = useWorkspace()
  const like = query.get('like')
  const before = useQuery(like === null ? null : urlOf('/v1/replays/{id}', { path: { id: like } }))
  const fromUrl: Start = {
    filter: Object.fromEntries(
      filters.flatMap(({ name }) => (query.has(name) ? [[name, query.get(name)]] : [])),
    ),
    config: query.get('config') ?? '',
    sample: 200,
    workspace: query.get('workspace_id') ?? workspace,
  }
  const { data } = before
  const start: Start =
    data === null
      ? fromUrl
      : {
          filter: rowOf(data.source.filter),
          config: data.config,
          sample: data.source.sample,
          workspace: data.workspace_id,
        }
  return (
    <Page
      title="New replay"
      isBusy={before.isBusy}
      error={before.error}
      onRetry={before.reload}
      scopes={['replays.create']}
    >
      <p class="about">
        Runs logged requests against another config and compares each answer with the logged one. Tools are
        never run.
      </p>
      {before.isBusy ? <Skeleton /> : <Form start={start} />}
    </Page>
  )
}

function Form({ start }: { start: Start }) {
  const { isPerson } = useContext(SessionContext)
  const [{ first, requests, saved, inline, run, judge }] = useState(() => fieldsOf(start, isPerson))
  const [isInline, setInline] = useState(start.config !== '' && typeof start.config !== 'string')
  const [texts, setTexts] = useState<Texts>(() =>
    initialTexts([...first, ...requests, isInline ? inline : saved, ...run, ...judge]),
  )
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState<readonly Fault[]>([])
  const [isBusy, setBusy] = useState(false)
  const [isLoading, setLoading] = useState(false)
  const [estimate, setEstimate] = useState<Estimate | null>(null)
  const shown = [...first, ...requests, isInline ? inline : saved, ...run, ...judge]
  const faults = faultsOf(error, own)
  const choose = (kind: string) => {
    const next = kind === 'inline'
    setInline(next)
    setTexts((old) => ({ ...old, ...initialTexts([next ? inline : saved]) }))
  }
  const send = async (isDry: boolean) => {
    const read = bodyOf(shown, texts, null)
    const missing = missingOf(read.body, isPerson)
    const found = [...read.faults, ...missing]
    setOwn(found)
    setError(null)
    setEstimate(null)
    if (found.length > 0) return
    setBusy(true)
    try {
      // The form's fields are exactly the members of the body.
      const body = { ...nested(read.body), dry_run: isDry } as Body<'post', '/v1/replays'>
      const answer = await call('POST', '/v1/replays', { body })
      if (isReplay(answer)) navigate(`${root}/replays/${answer.id}`)
      else {
        setEstimate(answer)
        setOwn(answer.errors.map(({ param, message }) => ({ param, message })))
      }
    } catch (fault) {
      setError(asApiError(fault))
    }
    setBusy(false)
  }
  const fields = { texts, onChange: setTexts, faults, workspace: start.workspace }
  return (
    <>
      {error !== null && <Alert>{error.message}</Alert>}
      <form
        class="form"
        aria-busy={isBusy ? 'true' : 'false'}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void send(false)
        }}
      >
        <ObjectFields fields={first} {...fields} onLoading={setLoading} />
        <SelectField
          label="Candidate"
          value={isInline ? 'inline' : 'saved'}
          onChange={choose}
          options={[
            ['saved', 'A saved config'],
            ['inline', 'A config written here'],
          ]}
        />
        <ObjectFields key={String(isInline)} fields={[isInline ? inline : saved]} {...fields} />
        <ObjectFields fields={[...requests, ...run]} {...fields} />
        <details open={(texts['judge/config'] ?? '') !== ''}>
          <summary>Judge</summary>
          <ObjectFields fields={judge} {...fields} />
        </details>
        <div class="buttons">
          <button type="button" disabled={isBusy || isLoading} onClick={() => void send(true)}>
            Estimate
          </button>
          <button type="submit" class="primary" disabled={isBusy || isLoading}>
            Start
          </button>
        </div>
        <div role="status">{estimate !== null && <EstimateView estimate={estimate} />}</div>
      </form>
    </>
  )
}

const isReplay = (answer: Answer<'post', '/v1/replays'>): answer is Schema<'Replay'> =>
  answer.object === 'replay'

/** Reports missing values for which the gateway's error would not name the field. */
function missingOf(body: Row, isPerson: boolean): Fault[] {
  const wanted: readonly (readonly [string, string, boolean])[] = [
    ['source/sample', 'Enter a number.', true],
    ['config', 'Choose a config, or write one.', true],
    ['api_key_id', 'Choose a key.', isPerson],
    ['judge/criteria', 'Say what a better answer is.', 'judge/config' in body],
    ['judge/config', 'Choose the config of the judge.', 'judge/criteria' in body],
  ]
  return wanted.flatMap(([name, message, isWanted]) =>
    isWanted && !(name in body) ? [{ param: `/${name}`, message }] : [],
  )
}

function EstimateView({ estimate: { valid, errors, counts, estimate } }: { estimate: Estimate }) {
  const { cost, reserved, tokens } = estimate
  return (
    <section class={valid ? 'cause' : 'cause bad'} aria-label="Estimate">
      <ul>
        {errors.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
        <li>
          {formatNumber(counts.total)} requests are drawn
          {counts.skipped > 0 && `, of which ${formatNumber(counts.skipped)} cannot be replayed`}
          {counts.redacted > 0 && `, and ${formatNumber(counts.redacted)} are redacted`}.
        </li>
        <li>
          {cost === null
            ? `The cost is unknown, because a model has no price; the logged answers took ${formatNumber(tokens)} tokens.`
            : `About ${formatCents(cost)}, for the ${formatNumber(tokens)} tokens that the logged answers took.`}
          {reserved !== null &&
            ` A budget of ${formatCents(reserved)} suffices even if every answer uses its whole limit.`}
        </li>
      </ul>
    </section>
  )
}
