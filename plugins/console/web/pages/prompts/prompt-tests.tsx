/** The test cases of a prompt, which can be edited and run on any of its versions. */
import { useState } from 'preact/hooks'
import { etagOf, ifMatch, type Row, send } from '../../api.ts'
import { textsOf } from '../../json.ts'
import { Alert } from '../../parts/alert.tsx'
import { Badge, textOf } from '../../parts/cells.tsx'
import { type Changeable, useChange } from '../../parts/change.tsx'
import { type Expected, expectedWords, type TestCase } from '../../parts/expected.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { VariableFields } from '../../parts/variable-fields.tsx'
import { useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useUnsaved } from '../../unsaved.tsx'
import { type Result, savedCases, type TestRuns } from './test-runs.tsx'

interface Props {
  row: Row
  etag: string | null
  /** Version numbers, newest first. */
  versions: readonly number[]
  published: number | null
  runs: TestRuns
  object: Changeable<Row>
}

const kinds = Object.entries(expectedWords) as [Expected['type'], string][]

type Indexed = TestCase & { index: number }

/** The edited test cases, and the change that saves them. */
function useCases({ row, etag, object }: Pick<Props, 'row' | 'etag' | 'object'>) {
  const saved = savedCases(row)
  const [cases, setCases] = useState<readonly TestCase[]>(saved)
  const { error, change: put } = useChange(object)
  const isDirty = JSON.stringify(cases) !== JSON.stringify(saved)
  const release = useUnsaved(isDirty)
  const sendCases = (next: readonly TestCase[], headers: Record<string, string>) =>
    send('PUT', `/v1/prompts/${encodeURIComponent(String(row.id))}`, {
      body: { test_cases: next, patch: true },
      headers,
    })
  return {
    cases,
    error,
    isDirty,
    add: () =>
      setCases((old) => [
        ...old,
        { name: `Case ${old.length + 1}`, variables: {}, expected: [{ type: 'contains', value: '' }] },
      ]),
    change: (index: number, changes: Partial<TestCase>) =>
      setCases((old) => old.map((one, at) => (at === index ? { ...one, ...changes } : one))),
    remove: (index: number) => setCases((old) => old.filter((_, at) => at !== index)),
    save: () =>
      put({
        expect: (shown) => ({ ...shown, test_cases: cases }),
        async send() {
          const response = await sendCases(cases, ifMatch(etag))
          release()
          return etagOf(response)
        },
        said: (tag) => ({
          text: 'The test cases were saved.',
          async undo() {
            await sendCases(saved, ifMatch(tag))
            setCases(saved)
          },
        }),
        refused: 'The test cases were not saved',
      }),
  }
}

/** The index of the case that is open for editing, which the address counts from 1. */
function useOpenCase(): [number | null, (index: number | null) => void] {
  const { opened, open, close } = useOpened('case')
  const setOpen = (index: number | null) => (index === null ? close() : open(String(index + 1)))
  return [opened === null ? null : Number(opened) - 1, setOpen]
}

export function PromptTests({ row, etag, versions, published, runs, object }: Props) {
  const may = useMay()
  const { cases, error, isDirty, ...edit } = useCases({ row, etag, object })
  const { isBusy } = runs
  const [isOpen, setOpen] = useOpenCase()
  const canEdit = row.source !== 'file' && may(['prompts.update'])
  const [newest = 1] = versions
  const which = useOpened('on').opened ?? 'two'
  const chosen = versionsOf(which, versions, published)
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <h2>Test cases</h2>
      <p class="about">
        Each run calls the provider, at the usual cost. A case belongs to all versions of the prompt.
      </p>
      {error !== null && <Alert>{error.message}</Alert>}
      <Table
        caption="Test cases"
        rows={cases.map((one, index) => ({ ...one, index }))}
        columns={[
          nameColumn((index) => setOpen(isOpen === index ? null : index)),
          expectedColumn,
          ...chosen.map((version) => outcomeColumn(version, runs)),
        ]}
        empty="There are no test cases yet. Add one here, or save one from the playground or a log entry."
      />
      {isOpen !== null && cases[isOpen] !== undefined && (
        <CaseFields
          key={isOpen}
          one={cases[isOpen]}
          row={row}
          onChange={(changes) => edit.change(isOpen, changes)}
          onRemove={() => {
            edit.remove(isOpen)
            setOpen(null)
          }}
        />
      )}
      <div class="buttons">
        {canEdit && (
          <EditButtons
            isBusy={isBusy}
            isDirty={isDirty}
            onAdd={() => {
              edit.add()
              setOpen(cases.length)
            }}
            onSave={() => {
              setOpen(null)
              edit.save()
            }}
          />
        )}
        {cases.length > 0 && may(['completions.write']) && (
          <RunTests versions={versions} isBusy={isBusy} onRun={() => void runs.run(chosen, cases)} />
        )}
        <span role="status">{summary(runs, cases, newest)}</span>
      </div>
    </section>
  )
}

const nameColumn = (onOpen: (index: number) => void): Column<Indexed> => ({
  name: 'name',
  label: 'Case',
  render: ({ name, index }) => (
    <button type="button" class="link" onClick={() => onOpen(index)}>
      {name}
    </button>
  ),
})

const expectedColumn: Column<Indexed> = {
  name: 'expected',
  label: 'The answer',
  render: ({ expected }) =>
    expected
      .map(({ type, value }) => `${expectedWords[type]}${type === 'json' ? '' : ` "${textOf(value)}"`}`)
      .join(', '),
}

const outcomeColumn = (version: number, runs: TestRuns): Column<Indexed> => ({
  name: `v${version}`,
  label: `Version ${version}`,
  render: ({ index: _, ...one }) => <Outcome result={runs.resultOf(version, one)} />,
})

interface EditProps {
  isBusy: boolean
  isDirty: boolean
  onAdd: () => void
  onSave: () => void
}

const EditButtons = ({ isBusy, isDirty, onAdd, onSave }: EditProps) => (
  <>
    <button type="button" onClick={onAdd}>
      Add test case
    </button>
    {isDirty && (
      <button type="button" class="primary" disabled={isBusy} onClick={onSave}>
        Save test cases
      </button>
    )}
  </>
)

interface RunProps {
  versions: readonly number[]
  isBusy: boolean
  onRun: () => void
}

/** The choice of versions, and the button that runs the test cases on them. */
function RunTests({ versions, isBusy, onRun }: RunProps) {
  const { opened, open } = useOpened('on')
  return (
    <>
      <label>
        On{' '}
        <select
          value={opened ?? 'two'}
          aria-label="Versions to test"
          onChange={(event) => open(event.currentTarget.value, true)}
        >
          <option value="two">the newest and the published version</option>
          <option value="all">all versions</option>
          {versions.map((version) => (
            <option key={version} value={String(version)}>
              version {version}
            </option>
          ))}
        </select>
      </label>
      <button type="button" disabled={isBusy} onClick={onRun}>
        {isBusy ? 'Running…' : 'Run tests'}
      </button>
    </>
  )
}

function versionsOf(which: string, versions: readonly number[], published: number | null): readonly number[] {
  if (which === 'all') return versions
  if (which !== 'two') return [Number(which)]
  const [newest] = versions
  return [...new Set([newest, published].filter((one) => typeof one === 'number'))]
}

/** Summarises whether the newest version can be published. */
function summary(runs: TestRuns, cases: readonly TestCase[], newest: number): string {
  const own = cases.flatMap((one) => runs.resultOf(newest, one) ?? [])
  if (own.length === 0) return ''
  const passed = own.filter(({ failures }) => failures.length === 0).length
  return `Version ${newest}: ${passed} of ${own.length} passed.`
}

const Outcome = ({ result }: { result: Result | undefined }) =>
  result === undefined ? (
    '–'
  ) : (
    <details>
      <summary>
        <Badge tone={result.failures.length === 0 ? 'good' : 'bad'}>
          {result.failures.length === 0 ? 'passed' : 'failed'}
        </Badge>
      </summary>
      {result.failures.map((failure) => (
        <p key={failure} class="fault">
          {failure}
        </p>
      ))}
      <p>{result.answer}</p>
    </details>
  )

interface CaseProps {
  one: TestCase
  row: Row
  onChange: (changes: Partial<TestCase>) => void
  onRemove: () => void
}

function CaseFields({ one, row, onChange, onRemove }: CaseProps) {
  const setExpected = (index: number, changes: Partial<Expected>) =>
    onChange({ expected: one.expected.map((each, at) => (at === index ? { ...each, ...changes } : each)) })
  return (
    <section class="form panel" aria-label="Test case">
      <TextField label="Name of the case" value={one.name} onChange={(name) => onChange({ name })} />
      <fieldset>
        <legend>Variables</legend>
        <VariableFields
          names={textsOf(row.variables)}
          schema={row.variables_schema}
          values={one.variables}
          onChange={(variables) => onChange({ variables })}
        />
      </fieldset>
      <fieldset class="rows">
        <legend>The answer</legend>
        {one.expected.map((each, index) => (
          <div key={index} class="row" role="group" aria-label={`Expectation ${index + 1}`}>
            <SelectField
              label="It"
              value={each.type}
              onChange={(type) => setExpected(index, { type: type as Expected['type'] })}
              options={kinds.map(([type, words]) => [type, words] as const)}
            />
            {each.type !== 'json' && (
              <TextField
                label="Text"
                value={each.value ?? ''}
                onChange={(value) => setExpected(index, { value })}
              />
            )}
            <button
              type="button"
              aria-label={`Remove expectation ${index + 1}`}
              onClick={() => onChange({ expected: one.expected.filter((_, at) => at !== index) })}
            >
              Remove
            </button>
          </div>
        ))}
        <button
          type="button"
          class="add"
          onClick={() => onChange({ expected: [...one.expected, { type: 'contains', value: '' }] })}
        >
          Add expectation
        </button>
      </fieldset>
      <button type="button" class="danger" onClick={onRemove}>
        Remove this case
      </button>
    </section>
  )
}
