/** The keyboard shortcuts of the console as data, which `?` lists. */

export interface Shortcut {
  keys: string
  does: string
}

/** The letters of pages after `g`, taken from the pages' names where free. Ctrl K finds the other pages. */
export const places: readonly (readonly [key: string, path: string, title: string])[] = [
  ['o', '', 'Overview'],
  ['l', 'logs', 'Logs'],
  ['e', 'logs?status_code_min=400&group=cause', 'Errors by cause'],
  ['a', 'analytics', 'Analytics'],
  ['m', 'spending', 'Limits and money'],
  ['b', 'batches', 'Batches and files'],
  ['t', 'replays', 'Replays'],
  ['y', 'playground', 'Playground'],
  ['k', 'keys', 'Keys'],
  ['p', 'providers', 'Providers'],
  ['c', 'configs', 'Configs'],
  ['r', 'prompts', 'Prompts'],
  ['g', 'guardrails', 'Guardrails'],
  ['w', 'workspaces', 'Workspaces'],
  ['u', 'users', 'Users'],
  ['q', 'capacity', 'Capacity'],
  ['i', 'policies', 'Policies'],
  ['f', 'rate-limits', 'Rate limits'],
  ['h', 'webhooks', 'Webhooks'],
  ['x', 'exports', 'Exports'],
  ['d', 'audit', 'Audit'],
  ['s', 'settings', 'Settings'],
]

/** Shortcuts without Ctrl, which can be turned off. */
export const singleKeys: readonly Shortcut[] = [
  { keys: '/', does: 'Goes to the search of the page' },
  { keys: 'j, k', does: 'Goes to the next or the previous row of a table' },
  { keys: '[, ]', does: 'Shows the previous or the next page of a list' },
  { keys: 'r', does: 'Loads what the page shows again, on a page that has such a button' },
  { keys: 'n', does: 'Starts a new one, on a page that has such a button' },
]

export const otherKeys: readonly Shortcut[] = [
  { keys: '?', does: 'Lists these keys' },
  { keys: 'Ctrl K', does: 'Finds pages, objects and log entries' },
  { keys: 'Ctrl S', does: 'Saves the form that has the focus, or the object of the page' },
  { keys: 'Ctrl Enter', does: 'Sends the form that has the focus' },
  {
    keys: 'Ctrl Z, Ctrl Y',
    does: 'In the editor of a config: takes back a change of its tree or its JSON, and makes it again',
  },
  { keys: 'Alt Z', does: 'Presses Undo in the notice after an action' },
  {
    keys: 'Tab, Shift Tab',
    does: 'Goes to the next or the previous control; the first Tab skips to the content',
  },
  { keys: 'Escape', does: 'Closes a dialog' },
  { keys: 'Ctrl Space', does: 'Completes in an editor; Escape, then Tab leaves it' },
]
