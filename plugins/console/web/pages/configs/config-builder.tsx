/**
 * Edits a config as a routing tree, next to the JSON. Both change the same text, and one history undoes changes of
 * both.
 */
import { isRow, type Row } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import {
  addTarget,
  moveInto,
  moveTarget,
  nodeAt,
  type Place,
  pathOf,
  placeOf,
  removeTarget,
  targetsOf,
} from '../../parts/config-tree.ts'
import { targetText } from '../../parts/target-text.ts'
import type { TextHistory } from '../../parts/text-history.tsx'
import { useOpened } from '../../router.tsx'
import { ConfigNode } from './config-node.tsx'
import { RoutingTree } from './routing-tree.tsx'

interface Props {
  /** The text of the editor. */
  text: string
  history: TextHistory
  answer: Schema<'DryRun'> | null
  /** The config's workspace, which limits the choices. */
  workspace: string | null
  isFixed: boolean
  /** The saved config, shown while the text is not valid JSON. */
  saved: unknown
}

const parsed = (text: string): Row | null => {
  try {
    const config: unknown = JSON.parse(text)
    return isRow(config) ? config : null
  } catch {
    // The editor shows where the JSON is invalid.
    return null
  }
}

export function ConfigBuilder({ text, history, answer, workspace, isFixed, saved }: Props) {
  const node = useOpened('node')
  const chosen = node.opened ?? 'config'
  const setChosen = (path: string) => node.open(path, true)
  const config = parsed(text)
  if (isFixed || config === null)
    return (
      <RoutingTree config={config ?? saved} answer={answer}>
        {!isFixed && <p class="note">The tree can be edited again once the text is JSON.</p>}
      </RoutingTree>
    )
  const write = (next: Row) => history.set(JSON.stringify(next, null, 2))
  const place = nodeAt(config, placeOf(chosen)) === null ? [] : placeOf(chosen)
  const go = (next: Row, to: Place) => {
    write(next)
    setChosen(pathOf(to))
  }
  return (
    <RoutingTree
      config={config}
      answer={answer}
      edit={{
        chosen: pathOf(place),
        onChoose: setChosen,
        tools: (path) => <Tools config={config} place={placeOf(path)} onChange={go} />,
      }}
      actions={
        <span class="buttons">
          <button type="button" disabled={!history.canUndo} onClick={history.undo}>
            Undo
          </button>
          <button type="button" disabled={!history.canRedo} onClick={history.redo}>
            Redo
          </button>
        </span>
      }
    >
      <ConfigNode
        key={pathOf(place)}
        config={config}
        place={place}
        workspace={workspace}
        onChange={write}
        onMove={(home) => {
          const moved = moveInto(config, place, home)
          go(moved.config, moved.place)
        }}
      />
    </RoutingTree>
  )
}

interface ToolsProps {
  config: Row
  place: Place
  /** Called with the changed config and the node that is then selected. */
  onChange: (config: Row, place: Place) => void
}

/** Actions on a node. */
function Tools({ config, place, onChange }: ToolsProps) {
  const index = place.at(-1)
  const above = place.slice(0, -1)
  const siblings = index === undefined ? 0 : targetsOf(nodeAt(config, above) ?? {}).length
  const what = targetText(pathOf(place))
  const tool = (
    label: string,
    { sign, isDisabled }: { sign: string; isDisabled: boolean },
    work: () => void,
  ) => (
    <button
      type="button"
      class="tool"
      aria-label={`${label} ${what}`}
      title={label}
      disabled={isDisabled}
      onClick={work}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  )
  const moveBy = (by: -1 | 1) => () => onChange(moveTarget(config, place, by), [...above, (index ?? 0) + by])
  return (
    <span class="tools">
      {tool('Add a target to', { sign: '+', isDisabled: false }, () => {
        const next = addTarget(config, place)
        onChange(next, [...place, targetsOf(nodeAt(next, place) ?? {}).length - 1])
      })}
      {index !== undefined && (
        <>
          {tool('Move up', { sign: '↑', isDisabled: index === 0 }, moveBy(-1))}
          {tool('Move down', { sign: '↓', isDisabled: index === siblings - 1 }, moveBy(1))}
          {tool('Remove', { sign: '×', isDisabled: false }, () =>
            onChange(removeTarget(config, place), above),
          )}
        </>
      )}
    </span>
  )
}
