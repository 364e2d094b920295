/** The versions of a text: shows which one is published, publishes another, and compares any two. */
import type { ApiError } from '../api.ts'
import { useFilters } from '../router.tsx'
import { Alert } from './alert.tsx'
import { Badge, formatTime, textOf } from './cells.tsx'
import { DiffView } from './diff-view.tsx'
import { SelectField } from './field.tsx'
import { Table } from './table.tsx'

interface TextVersion {
  version: number
  description: string | null
  created_at: string
  /** Names by which applications can call the version; omitted if it has none. */
  labels?: readonly string[]
  /** The text that is compared. */
  text: string
}

interface Props {
  /** Versions, newest first. */
  versions: readonly TextVersion[]
  isBusy: boolean
  error: ApiError | null
  published: number | null
  /** Null if the person may not publish. */
  onPublish: ((version: number) => void) | null
  /** Gives a version a name; null if the person may not. Omitted if versions have no names. */
  onName?: ((version: number) => void) | null
}

export function Versions({ versions, isBusy, error, published, onPublish, onName }: Props) {
  const [query, change] = useFilters()
  const pair = pairOf(query.get('compare'), versions)
  const newest = versions[0]?.version
  /** The newest version is left out of the address, so one that is saved later takes its place. */
  const compare = (before: number, after = newest) =>
    change({ compare: after === newest ? String(before) : `${before}-${after}` })
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <h2>Versions</h2>
      {error !== null && <Alert>{error.message}</Alert>}
      <Table
        caption="Versions"
        rows={versions}
        columns={[
          {
            name: 'version',
            label: 'Version',
            render: ({ version }) => (
              <button type="button" class="link" onClick={() => compare(version)}>
                Version {version}
              </button>
            ),
          },
          { name: 'description', label: 'What changed', render: (one) => textOf(one.description) },
          ...(onName === undefined
            ? []
            : [
                {
                  name: 'names',
                  label: 'Names',
                  render: ({ version, labels = [] }: TextVersion) => (
                    <>
                      {labels.map((label) => (
                        <Badge key={label} tone="plain">
                          {label}
                        </Badge>
                      ))}{' '}
                      {onName !== null && (
                        <button
                          type="button"
                          aria-label={`Name version ${version}`}
                          onClick={() => onName(version)}
                        >
                          Name
                        </button>
                      )}
                    </>
                  ),
                },
              ]),
          { name: 'created_at', label: 'Created', render: (one) => formatTime(one.created_at) },
          {
            name: 'actions',
            label: 'Published',
            render: ({ version }) => {
              if (version === published) return <Badge tone="good">published</Badge>
              if (onPublish === null) return ''
              return (
                <button type="button" onClick={() => onPublish(version)}>
                  {published !== null && version < published ? 'Roll back' : 'Publish'}
                </button>
              )
            },
          },
        ]}
      />
      {pair !== null && <Compare versions={versions} pair={pair} onChange={compare} />}
    </section>
  )
}

interface Pair {
  before: number
  after: number
}

/** The versions that the address names: two, or one, which is compared with the newest. Null if no versions are compared. */
function pairOf(text: string | null, versions: readonly TextVersion[]): Pair | null {
  const [before, after = versions[0]?.version] = (text ?? '').split('-').map(Number)
  const isKnown = (wanted: number | undefined) => versions.some(({ version }) => version === wanted)
  return before !== undefined && after !== undefined && isKnown(before) && isKnown(after)
    ? { before, after }
    : null
}

interface CompareProps {
  versions: readonly TextVersion[]
  pair: Pair
  onChange: (before: number, after: number) => void
}

/** Compares two versions, which the user selects and the address names. */
function Compare({ versions, pair, onChange }: CompareProps) {
  const newest = versions[0]?.version
  const options = versions.map(({ version }) => [String(version), `Version ${version}`] as const)
  const textAt = (wanted: number) => versions.find(({ version }) => version === wanted)?.text ?? ''
  return (
    <>
      <h3>
        Version {pair.before} compared with {pair.after === newest ? 'the newest' : `version ${pair.after}`}
      </h3>
      <div class="filters">
        <SelectField
          label="Before"
          value={String(pair.before)}
          options={options}
          onChange={(value) => onChange(Number(value), pair.after)}
        />
        <SelectField
          label="After"
          value={String(pair.after)}
          options={options}
          onChange={(value) => onChange(pair.before, Number(value))}
        />
      </div>
      <DiffView label="Difference" before={textAt(pair.before)} after={textAt(pair.after)} />
    </>
  )
}
