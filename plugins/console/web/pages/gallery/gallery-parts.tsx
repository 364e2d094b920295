/** Each part of the console with values that show its states. Nothing is loaded from the gateway. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Alert } from '../../parts/alert.tsx'
import { Body } from '../../parts/body.tsx'
import {
  Badge,
  Facts,
  formatCents,
  formatMs,
  formatNumber,
  HttpStatus,
  StatusBadge,
} from '../../parts/cells.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Conversation } from '../../parts/conversation-view.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { DiffView } from '../../parts/diff-view.tsx'
import { Download } from '../../parts/download.tsx'
import { TextField } from '../../parts/field.tsx'
import { FilterText } from '../../parts/filter-text.tsx'
import { Filters } from '../../parts/filters.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { GuardrailVerdicts } from '../../parts/guardrail-verdicts.tsx'
import { HeatMap } from '../../parts/heat-map.tsx'
import { NotLoaded } from '../../parts/loaded.tsx'
import { LogMarks } from '../../parts/log-marks.tsx'
import { NewerVersion } from '../../parts/newer-version.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { Progress } from '../../parts/progress.tsx'
import { RangeField } from '../../parts/ranges.tsx'
import { Search } from '../../parts/search.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { emptyOf, Table, useSorted } from '../../parts/table.tsx'
import { notify, notifyRefused } from '../../parts/toast.tsx'
import { UsageBar } from '../../parts/usage-bars.tsx'
import { VariableFields } from '../../parts/variable-fields.tsx'
import { Versions } from '../../parts/versions.tsx'
import { Waterfall } from '../../parts/waterfall.tsx'

const nothing = () => undefined
const hours = ['09:00', '10:00', '11:00', '12:00']

const columns = [
  { name: 'name', label: 'Name', sort: 'name', render: ({ name }: { name: string }) => name },
  {
    name: 'count',
    label: 'Count',
    sort: 'count',
    isNumber: true,
    render: ({ name }: { name: string }) => name.length,
  },
]

function Buttons() {
  return (
    <div class="buttons">
      <button type="button" class="primary">
        Primary
      </button>
      <button type="button">Usual</button>
      <button type="button" class="danger">
        Danger
      </button>
      <button type="button" disabled>
        Disabled
      </button>
      <button type="button" class="link">
        Like a link
      </button>
      <CopyButton text="copied from the gallery" />
      <Download name="gallery.csv" rows={[{ cost: 12 }]} units={{ cost: 'cents' }} label="CSV" />
    </div>
  )
}

function Dialogs() {
  const [open, setOpen] = useState<'confirm' | 'form' | 'secret' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <div class="buttons">
        <button type="button" onClick={() => setOpen('confirm')}>
          Open a question
        </button>
        <button type="button" onClick={() => setOpen('form')}>
          Open a form
        </button>
        <button type="button" onClick={() => setOpen('secret')}>
          Open a secret
        </button>
        <button type="button" onClick={() => notify('Something was done.', async () => undefined)}>
          Show a notice
        </button>
        <button type="button" onClick={() => notifyRefused('The key was not revoked: the store is away.')}>
          Show a refusal
        </button>
      </div>
      {open === 'confirm' && (
        <Confirm title="Delete this config?" action="Delete" onConfirm={close} onClose={close}>
          <p>Requests that name it are refused.</p>
        </Confirm>
      )}
      {open === 'form' && (
        <FormDialog title="A form" action="Send" onSend={async () => close()} onClose={close}>
          {() => <TextField label="Name" value="" onChange={nothing} />}
        </FormDialog>
      )}
      {open === 'secret' && (
        <SecretDialog title="Your new key" label="Your key" secret="gw-example" onClose={close}>
          Copy it now. You cannot see it again.
        </SecretDialog>
      )}
    </>
  )
}

function Tables() {
  const sorted = useSorted('count')
  return (
    <>
      <Table caption="Rows" rows={[{ name: 'one' }, { name: 'three' }]} columns={columns} sorted={sorted} />
      <Table caption="Empty rows" rows={[]} columns={columns} empty="Nothing matches." />
      <Table
        caption="Rows that load"
        rows={[]}
        columns={columns}
        empty={emptyOf({ data: null, error: null }, '')}
      />
      <Pager total={120} shown={50} />
      <Facts
        rows={[
          ['Status', <StatusBadge value="active" />],
          ['HTTP', <HttpStatus value={503} />],
          ['Metadata', <Pairs values={{ team: 'shop', plan: 'pro' }} />],
          ['Amounts', `${formatCents(414)}, ${formatNumber(1234)}, ${formatMs(1530)}`],
          ['Marks', <LogMarks row={{ retry_count: 2, cache_status: 'HIT', response_status_code: 200 }} />],
        ]}
      />
    </>
  )
}

const series = [
  { name: 'gpt-4o', values: [3, 5, 2, 8] },
  { name: 'small-2', values: [1, 0, 4, 2] },
]

const Charts = () => (
  <div class="cards">
    <div class="card">
      <Chart title="Bars" labels={hours} series={series} format={formatNumber} />
    </div>
    <div class="card">
      <Chart title="Lines" kind="lines" labels={hours} series={series} format={formatNumber} />
    </div>
    <div class="card">
      <Chart title="Without data" labels={hours} series={[]} format={formatNumber} />
    </div>
    <div class="card">
      <HeatMap
        title="Heat map"
        labels={hours}
        cells={[
          { column: 0, end: 100, count: 3 },
          { column: 2, end: 1000, count: 9 },
        ]}
        formatEnd={formatMs}
      />
    </div>
  </div>
)

const Bars = () => (
  <p>
    <UsageBar used={40} limit={500} type="requests" /> <UsageBar used={480} limit={500} type="requests" />{' '}
    <Progress done={3} total={9} label="Pairs" />
  </p>
)

const Texts = () => (
  <>
    <Conversation
      label="A conversation"
      empty=""
      turns={[
        { role: 'system', parts: [{ kind: 'text', text: 'Answer in one sentence.' }] },
        { role: 'user', parts: [{ kind: 'text', text: 'What is the capital of France?' }] },
        {
          role: 'assistant',
          parts: [
            { kind: 'thinking', text: 'It is a city.' },
            { kind: 'call', name: 'look_up', text: '{"country": "France"}' },
            { kind: 'text', text: 'Paris.' },
          ],
        },
      ]}
    />
    <DiffView label="A difference" before={'{\n  "a": 1\n}'} after={'{\n  "a": 2\n}'} />
    <Body title="A body" value={{ model: 'gpt-4o' }} />
  </>
)

const Requests = () => (
  <>
    <Waterfall
      row={{
        response_time: 95,
        decisions: [
          {
            step: 'pick',
            path: 'config',
            at_ms: 1,
            chosen: 'config.targets[1]',
            probability: 0.5,
            left_out: [],
          },
          {
            step: 'call',
            path: 'config.targets[1]',
            at_ms: 91,
            duration_ms: 90,
            provider: 'openai',
            model: 'gpt-4o',
            status: 200,
          },
        ],
      }}
    />
    <GuardrailVerdicts
      results={{
        before_request_hooks: [
          {
            id: 'no-secrets',
            verdict: true,
            execution_time: 2,
            checks: [{ id: 'default.contains', verdict: true }],
          },
        ],
      }}
    />
    <Versions
      versions={[
        { version: 2, description: 'Shorter', created_at: '2026-01-02T12:00:00Z', text: 'two' },
        { version: 1, description: null, created_at: '2026-01-01T12:00:00Z', text: 'one' },
      ]}
      isBusy={false}
      error={null}
      published={1}
      onPublish={nothing}
    />
    <NewerVersion
      fields={[{ name: 'name', label: 'Name', kind: 'text' }]}
      base={{ name: 'Shop' }}
      mine={{ name: 'Web shop' }}
      theirs={{ name: 'Shop window' }}
      onKeep={nothing}
      onDiscard={nothing}
    />
  </>
)

function Variables() {
  const [values, setValues] = useState<Record<string, unknown>>({ count: 2 })
  return (
    <VariableFields
      names={['name']}
      schema={{
        properties: { count: { type: 'integer' }, tone: { enum: ['warm', 'cool'] } },
        required: ['count'],
      }}
      values={values}
      onChange={setValues}
    />
  )
}

const Messages = () => (
  <>
    <Alert>The name is taken.</Alert>
    <Alert onRetry={nothing}>The store cannot be reached.</Alert>
    <NotLoaded what="A part of this page" />
    <p class="note">A note.</p>
    <p>
      <Badge tone="good">good</Badge> <Badge tone="bad">bad</Badge> <Badge tone="plain">plain</Badge>
    </p>
    <Skeleton />
  </>
)

const ListFilters = () => (
  <Filters rest={[]}>
    <Search />
    <RangeField />
    <FilterText name="gallery" label="Filter" placeholder="Such as gpt-4o" />
  </Filters>
)

export const galleryParts: readonly (readonly [title: string, Part: () => ComponentChildren])[] = [
  ['Buttons', Buttons],
  ['Dialogs and notices', Dialogs],
  ['Messages and states', Messages],
  ['Filters', ListFilters],
  ['Tables and facts', Tables],
  ['Bars', Bars],
  ['Charts', Charts],
  ['Texts', Texts],
  ['Requests and versions', Requests],
  ['Variables of a prompt', Variables],
]
