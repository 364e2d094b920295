/**
 * Edits a routing config at the place of a node: adds, moves and removes targets, and changes strategies. The functions
 * return changed copies, and keep members that no strategy knows.
 */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'

/** The indexes of the targets from the root to a node. */
export type Place = readonly number[]

export type Mode = 'single' | 'loadbalance' | 'fallback' | 'conditional'

/** @param path as the gateway writes it: `config.targets[0].targets[1]` */
export const placeOf = (path: string): Place =>
  [...path.matchAll(/\.targets\[(\d+)\]/g)].map(([, index]) => Number(index))

export const pathOf = (place: Place): string => `config${place.map((index) => `.targets[${index}]`).join('')}`

export const targetsOf = (node: Row): readonly Row[] => rowsOf(node.targets)

export const modeOf = (node: Row): Mode | null =>
  targetsOf(node).length === 0 ? null : ((rowOf(node.strategy).mode as Mode | undefined) ?? 'single')

/** Returns the node at a place, or null. */
export function nodeAt(config: Row, place: Place): Row | null {
  let node: Row | undefined = config
  for (const index of place) node = node === undefined ? undefined : targetsOf(node)[index]
  return node ?? null
}

/** Returns the config with a changed node at a place. */
function withNode(config: Row, place: Place, change: (node: Row) => Row): Row {
  const [index, ...rest] = place
  if (index === undefined) return change(config)
  const targets = targetsOf(config).map((one, at) => (at === index ? withNode(one, rest, change) : one))
  return { ...config, targets }
}

/** Sets members of a node; undefined removes one. */
export const withMembers = (config: Row, place: Place, members: Row): Row =>
  withNode(config, place, (node) =>
    Object.fromEntries(Object.entries({ ...node, ...members }).filter(([, value]) => value !== undefined)),
  )

/** Members that only a leaf has. A node that gets targets moves them to the first target. */
const ofLeaf = [
  'provider',
  'virtual_key',
  'api_key',
  'custom_host',
  'override_params',
  'name',
  'weight',
] as const
/** Members that stay on the node, because the strategy of its parent refers to them. */
const staying: readonly string[] = ['name', 'weight']

/** Gives each target a distinct name, because conditions refer to targets by name. */
function named(targets: readonly Row[]): Row[] {
  const taken = new Set(targets.map(({ name }) => name))
  return targets.map((one, index) => {
    if (typeof one.name === 'string') return one
    let number = index + 1
    while (taken.has(`target-${number}`)) number++
    const name = `target-${number}`
    taken.add(name)
    return { ...one, name }
  })
}

/** Turns a leaf into a node with two targets; the first one is the former leaf. */
function split(node: Row, mode: Mode): Row {
  const own: Row = {}
  const rest: Row = {}
  for (const [name, value] of Object.entries(node)) {
    const isPassed = (ofLeaf as readonly string[]).includes(name) && !staying.includes(name)
    if (isPassed) own[name] = value
    else rest[name] = value
  }
  return withStrategy({ ...rest, targets: [own, { ...own }] }, mode)
}

/** The members of each strategy other than its mode. */
const strategyMembers: Readonly<Record<Mode, readonly string[]>> = {
  single: [],
  fallback: ['on_status_codes'],
  loadbalance: ['balance', 'sticky'],
  conditional: ['conditions', 'default'],
}

function withStrategy(node: Row, mode: Mode): Row {
  const before = rowOf(node.strategy)
  const kept = Object.fromEntries(
    strategyMembers[mode].flatMap((name) => (name in before ? [[name, before[name]]] : [])),
  )
  if (mode !== 'conditional') return { ...node, strategy: { mode, ...kept } }
  const targets = named(targetsOf(node))
  return { ...node, strategy: { mode, conditions: [], default: targets[0]?.name, ...kept }, targets }
}

/** Changes how a node selects. A leaf gets targets. */
export const setMode = (config: Row, place: Place, mode: Mode): Row =>
  withNode(config, place, (node) =>
    targetsOf(node).length === 0 ? split(node, mode) : withStrategy(node, mode),
  )

/** Adds a target to a node; a leaf becomes a fallback. */
export const addTarget = (config: Row, place: Place): Row =>
  withNode(config, place, (node) => {
    if (targetsOf(node).length === 0) return split(node, 'fallback')
    const targets = [...targetsOf(node), {}]
    return { ...node, targets: modeOf(node) === 'conditional' ? named(targets) : targets }
  })

const parentOf = (place: Place): Place => place.slice(0, -1)

/** Removes conditions and a default whose targets no longer exist. */
function withoutDangling(node: Row): Row {
  if (modeOf(node) !== 'conditional') return node
  const names = new Set(targetsOf(node).map(({ name }) => name))
  const strategy = rowOf(node.strategy)
  return {
    ...node,
    strategy: {
      ...strategy,
      conditions: rowsOf(strategy.conditions).filter(({ then }) => names.has(then)),
      default: names.has(strategy.default) ? strategy.default : targetsOf(node)[0]?.name,
    },
  }
}

/** Removes a target. The last target of a node takes the node's place. */
export const removeTarget = (config: Row, place: Place): Row =>
  withNode(config, parentOf(place), (node) => {
    const rest = targetsOf(node).filter((_, index) => index !== place.at(-1))
    if (rest.length > 0) return withoutDangling({ ...node, targets: rest })
    const { targets: _targets, strategy: _strategy, ...leaf } = node
    return leaf
  })

/** Moves a target among its siblings. */
export const moveTarget = (config: Row, place: Place, by: -1 | 1): Row =>
  withNode(config, parentOf(place), (node) => {
    const from = place.at(-1) ?? 0
    const targets = [...targetsOf(node)]
    const [moved] = targets.splice(from, 1)
    if (moved !== undefined) targets.splice(from + by, 0, moved)
    return { ...node, targets }
  })

const isBelow = (place: Place, above: Place): boolean => above.every((index, at) => place[at] === index)

/** The nodes to which a target can be moved. */
export const homesFor = (config: Row, place: Place): Place[] =>
  innerPlaces(config, []).filter((home) => !isBelow(home, place) && pathOf(home) !== pathOf(parentOf(place)))

const innerPlaces = (node: Row, place: Place): Place[] =>
  targetsOf(node).length === 0
    ? []
    : [place, ...targetsOf(node).flatMap((one, index) => innerPlaces(one, [...place, index]))]

/** Moves a target to the end of another node. @returns the config and the target's new place */
export function moveInto(config: Row, place: Place, home: Place): { config: Row; place: Place } {
  const moved = nodeAt(config, place)
  if (moved === null) return { config, place }
  const added = withNode(config, home, (node) => {
    const targets = [...targetsOf(node), moved]
    return { ...node, targets: modeOf(node) === 'conditional' ? named(targets) : targets }
  })
  const index = targetsOf(nodeAt(added, home) ?? {}).length - 1
  const next = removeTarget(added, place)
  // The removed target may have been before the new home.
  const depth = place.length - 1
  const shifted = home.map((at, level) =>
    level === depth && isBelow(home, parentOf(place)) && at > (place.at(-1) ?? 0) ? at - 1 : at,
  )
  return { config: next, place: [...shifted, index] }
}

/** A condition with one key and one operator, which a row of fields can show. */
export interface SimpleCondition {
  key: string
  operator: string
  value: string
  then: string
}

const quoted = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Null for a condition that is edited as JSON, because it has several keys or operators. */
export function simpleCondition({ query, then }: Row): SimpleCondition | null {
  const entries = Object.entries(rowOf(query))
  const [first] = entries
  if (entries.length !== 1 || first === undefined || first[0].startsWith('$')) return null
  const [key, written] = first
  if (typeof written !== 'object' || written === null)
    return { key, operator: '$eq', value: quoted(written), then: String(then) }
  const operators = Object.entries(written)
  const [only] = operators
  if (operators.length !== 1 || only === undefined || !only[0].startsWith('$') || only[0] === '$not')
    return null
  const [operator, operand] = only
  const value = Array.isArray(operand) ? operand.map(quoted).join(', ') : quoted(operand)
  return { key, operator, value, then: String(then) }
}

/** Metadata and headers are strings; parameters may also be numbers and booleans. */
function operandOf({ key, operator, value }: SimpleCondition): unknown {
  if (operator === '$exists') return value !== 'false'
  const isParameter = key.startsWith('params.')
  const one = (text: string): unknown => {
    if (!isParameter) return text
    try {
      const parsed: unknown = JSON.parse(text)
      return typeof parsed === 'number' || typeof parsed === 'boolean' ? parsed : text
    } catch {
      // A value that is not JSON is used as a string.
      return text
    }
  }
  if (operator === '$in' || operator === '$nin')
    return value
      .split(',')
      .map((text) => one(text.trim()))
      .filter((text) => text !== '')
  return one(value)
}

export const conditionOf = (condition: SimpleCondition): Row => ({
  query: { [condition.key]: { [condition.operator]: operandOf(condition) } },
  then: condition.then,
})
