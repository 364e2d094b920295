/**
 * The targets of a config as a tree: how each node selects, its current share of requests, and the state of its circuit
 * breakers. A table of the same targets is below the tree.
 */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { type Row, urlOf } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { rowOf, rowsOf } from '../../json.ts'
import { Badge, textOf } from '../../parts/cells.tsx'
import { leftText } from '../../parts/left-text.ts'
import { Table } from '../../parts/table.tsx'
import { targetText } from '../../parts/target-text.ts'
import { useQuery, useWhileSeen } from '../../query.tsx'
import { useMay } from '../../session.tsx'

/** The interval for reloading shares, breakers and health. */
export const refreshMs = 5_000

interface TreeNode {
  path: string
  name: string
  /** How the node selects a target; null for a target. */
  mode: string | null
  /** The weight in the config, relative to its siblings. */
  weight: number | null
  /** From 0 to 1; null without a dry run. */
  share: number | null
  /** The position within a fallback. */
  order: number | null
  breaker: string
  health: string
  refusals: readonly string[]
  children: readonly TreeNode[]
}

/** A row of the table below the tree. */
interface Leaf extends Omit<TreeNode, 'children'> {
  id: string
}

interface Known {
  targets: Schema<'DryRun'>['targets']
  health: readonly Schema<'TargetHealth'>[]
}

const modes: Readonly<Record<string, string>> = {
  single: 'one target',
  loadbalance: 'shares by weight',
  fallback: 'first that works',
  conditional: 'by condition',
}

function leafName(config: Row): string {
  const { model } = rowOf(config.override_params)
  const named = config.provider ?? config.virtual_key
  return (
    [named, model].filter((part): part is string => typeof part === 'string').join(' · ') ||
    'as the request says'
  )
}

function treeOf(
  config: unknown,
  path: string,
  { known, place = null }: { known: Known; place?: number | null },
): TreeNode {
  const node = rowOf(config)
  const targets = rowsOf(node.targets)
  const mode = rowOf(node.strategy).mode
  const children = targets.map((target, index) =>
    treeOf(target, `${path}.targets[${index}]`, { known, place: mode === 'fallback' ? index : null }),
  )
  const found = known.targets.filter(
    (target) => target.path === path || String(target.path).startsWith(`${path}.`),
  )
  const own = found.find((target) => target.path === path)
  return {
    path,
    name: typeof node.name === 'string' ? node.name : children.length === 0 ? leafName(node) : '',
    mode: children.length === 0 ? null : typeof mode === 'string' ? mode : 'single',
    weight: typeof node.weight === 'number' ? node.weight : null,
    share:
      found.length === 0 ? null : found.reduce((sum, { probability }) => sum + Number(probability ?? 0), 0),
    order: place,
    breaker: textOf(own?.breaker ?? 'closed').replace('_', ' '),
    health: healthOf(own, known.health),
    refusals: rowsOf(own?.refusals).map(({ message }) => textOf(message)),
    children,
  }
}

/** The failures that the target's breaker has counted, and the provider's remaining rate limits. */
function healthOf(target: Known['targets'][number] | undefined, health: Known['health']): string {
  if (target === undefined) return ''
  const one = health.find(
    (row) =>
      row.virtual_key === target.virtual_key &&
      row.model === target.model &&
      row.provider === target.provider,
  )
  if (one === undefined) return ''
  const failures =
    one.failures === 0
      ? ''
      : `${textOf(one.failures)} failures${one.last_status === null ? '' : `, last status ${textOf(one.last_status)}`}`
  return [failures, leftText(one.limits)].filter(Boolean).join(', ')
}

/** Small shares have one more decimal, which aligns them in a column. */
const percent = (share: number) =>
  `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1, minimumFractionDigits: share > 0 && share < 0.1 ? 1 : 0 })}%`

/** Edits the tree: one node is selected and shows its tools. */
interface TreeEdit {
  chosen: string
  onChoose: (path: string) => void
  tools: (path: string) => ComponentChildren
}

interface Props {
  config: unknown
  answer: Schema<'DryRun'> | null
  edit?: TreeEdit | undefined
  /** Buttons above the tree. */
  actions?: ComponentChildren
  /** Content between the tree and the table. */
  children?: ComponentChildren
}

export function RoutingTree({ config, answer, edit, actions, children }: Props) {
  const id = useId()
  const may = useMay()
  const health = useQuery(
    may(['providers.list']) ? urlOf('/v1/target-health', { query: { page_size: 1000 } }) : null,
  )
  useWhileSeen(() => {
    if (!health.isBusy && health.error === null) health.reload()
  }, refreshMs)
  const known = {
    targets: answer?.targets ?? [],
    health: health.data?.data ?? [],
  }
  const tree = treeOf(config, 'config', { known })
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption>
        <span id={id}>Routing</span>
        {actions}
      </figcaption>
      {/* A region that scrolls must be reachable by keyboard. */}
      <section class="tree" tabIndex={0} aria-label="Tree of targets">
        <ul>
          <Branch node={tree} edit={edit} />
        </ul>
      </section>
      {children}
      <TargetTable leaves={leavesOf(tree)} />
    </figure>
  )
}

const leavesOf = (node: TreeNode): TreeNode[] =>
  node.children.length === 0 ? [node] : node.children.flatMap(leavesOf)

/** The targets of the tree as a table, which shows the same to people who do not see the tree. */
const TargetTable = ({ leaves }: { leaves: readonly TreeNode[] }) => (
  <details>
    <summary>
      Table<span class="hidden"> of the targets</span>
    </summary>
    <Table
      caption="Targets"
      rows={leaves.map(({ children: _, ...leaf }): Leaf => ({ ...leaf, id: leaf.path }))}
      columns={[
        {
          name: 'path',
          label: 'Target',
          render: (row) => <span title={row.path}>{targetText(row.path)}</span>,
        },
        { name: 'name', label: 'Calls', render: (row) => textOf(row.name) },
        {
          name: 'share',
          label: 'Share now',
          isNumber: true,
          render: ({ share }) => (share === null ? '–' : percent(share)),
        },
        {
          name: 'breaker',
          label: 'Breaker',
          render: (row) => textOf(row.breaker),
        },
        ...(leaves.some(({ health: known }) => known !== '')
          ? [{ name: 'health', label: 'Health', render: (row: Leaf) => row.health }]
          : []),
        ...(leaves.some(({ refusals }) => refusals.length > 0)
          ? [
              {
                name: 'refusals',
                label: 'Refused because',
                render: (row: Leaf) => row.refusals.join(' '),
              },
            ]
          : []),
      ]}
    />
  </details>
)

/** A node, its tools if the tree can be edited, and its targets. */
function Branch({ node, edit }: { node: TreeNode; edit: TreeEdit | undefined }) {
  const { path, name, mode, weight, share, order, breaker, health, refusals, children } = node
  return (
    <li>
      <div class={share === 0 ? 'node unused' : 'node'}>
        <span class="title">
          {edit === undefined ? (
            `${order === null ? '' : `${order + 1}. `}${name}`
          ) : (
            <button
              type="button"
              class="link"
              aria-pressed={edit.chosen === path ? 'true' : 'false'}
              onClick={() => edit.onChoose(path)}
            >
              {`${order === null ? '' : `${order + 1}. `}${name === '' ? 'Targets' : name}`}
            </button>
          )}
          {mode !== null && <span class="kind">{modes[mode] ?? mode}</span>}
        </span>
        {weight !== null && <span class="kind">weight {weight}</span>}
        {share !== null && (
          <span class="share">
            <meter
              min={0}
              max={1}
              value={share}
              aria-label={`${name === '' ? node.path : name}: share of requests`}
            />
            <span class="number">{percent(share)}</span>
          </span>
        )}
        {children.length === 0 && breaker !== 'closed' && <Badge tone="bad">circuit {breaker}</Badge>}
        {health !== '' && <span class="kind">{health}</span>}
        {refusals.map((message) => (
          <span key={message} class="fault">
            {message}
          </span>
        ))}
        {edit?.tools(path)}
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Branch key={child.path} node={child} edit={edit} />
          ))}
        </ul>
      )}
    </li>
  )
}
