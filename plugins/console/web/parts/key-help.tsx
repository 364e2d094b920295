/**
 * The keyboard shortcuts of the console, and the dialog that lists them. Single keys can be turned off (WCAG 2.1.4).
 */
import { useLayoutEffect, useState } from 'preact/hooks'
import { navigate, root } from '../router.tsx'
import { Dialog } from './dialog.tsx'
import { otherKeys, places, type Shortcut, singleKeys } from './shortcuts.ts'

const setting = 'console-single-keys'

function areOn(): boolean {
  try {
    return localStorage.getItem(setting) !== 'off'
  } catch {
    // A browser may forbid storage.
    return true
  }
}

function turn(isOn: boolean): void {
  try {
    localStorage.setItem(setting, isOn ? 'on' : 'off')
  } catch (error) {
    console.info('The choice is not kept: ', error)
  }
}

/** Letters typed into a field belong to the field. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))

const find = <E extends HTMLElement>(selector: string): E | null => document.querySelector<E>(selector)

/** The first link or button of each row, which opens it. */
const openers = (): HTMLElement[] =>
  [...document.querySelectorAll('main tbody tr')].flatMap((row) => {
    const opener = row.querySelector<HTMLElement>('a[href], button')
    return opener === null ? [] : [opener]
  })

function goToRow(step: 1 | -1): void {
  const all = openers()
  const row = document.activeElement?.closest('tr') ?? null
  const here = all.findIndex((one) => one.closest('tr') === row)
  const next = row === null || here === -1 ? (step === 1 ? 0 : all.length - 1) : here + step
  all[next]?.focus()
}

const pressIn = (selector: string, label: RegExp): void =>
  [...document.querySelectorAll<HTMLElement>(selector)]
    .find((one) => !one.matches(':disabled') && label.test(one.textContent ?? ''))
    ?.click()

/** Actions of keys that are pressed alone. */
const actions: Readonly<Record<string, () => void>> = {
  '/': () => find('main input[type="search"]')?.focus(),
  j: () => goToRow(1),
  k: () => goToRow(-1),
  '[': () => pressIn('main .pager button', /^Previous$/),
  ']': () => pressIn('main .pager button', /^Next$/),
  r: () => pressIn('main button', /^(Refresh|Retry)$/),
  n: () => pressIn('main .actions .primary', /^(New|Create|Invite|Start)/),
}

/** Presses the form's own button, so the browser validates the form as for a click. */
function sendForm(target: EventTarget | null): boolean {
  const forms = [...document.querySelectorAll<HTMLFormElement>('dialog[open] form, main form')]
  const own = target instanceof HTMLElement ? target.closest('form') : null
  const edited = find<HTMLFormElement>('section[aria-label="Edit"] > form')
  const form =
    own ?? (find('dialog[open]') === null ? edited : null) ?? (forms.length === 1 ? forms[0] : null)
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]:enabled')
  button?.click()
  return form !== undefined && form !== null
}

/** How long `g` waits for the letter of a page, in milliseconds. */
const patienceMs = 1500

/** @param show opens the list of shortcuts */
function listen(show: () => void): () => void {
  let goesAt = 0
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if ((ctrlKey || metaKey) && !altKey) {
      const isSend = key === 'Enter' || key.toLowerCase() === 's'
      if (isSend && sendForm(target)) event.preventDefault()
      return
    }
    if (altKey) {
      if (event.code !== 'KeyZ') return
      event.preventDefault()
      pressIn('.toast button', /^Undo$/)
      return
    }
    if (isTyping(target) || find('dialog[open]') !== null) return
    if (key === '?') show()
    if (!areOn()) return
    const isPlace = Date.now() - goesAt < patienceMs
    goesAt = 0
    const place = isPlace ? places.find(([letter]) => letter === key) : undefined
    if (place !== undefined) navigate(place[1] === '' ? root : `${root}/${place[1]}`)
    else if (key === 'g') goesAt = Date.now()
    else if (Object.hasOwn(actions, key)) actions[key]?.()
    else return
    event.preventDefault()
  }
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

const List = ({ label, shortcuts }: { label: string; shortcuts: readonly Shortcut[] }) => (
  <dl class="keys" aria-label={label}>
    {shortcuts.map(({ keys, does }) => (
      <div key={keys}>
        <dt>
          <kbd>{keys}</kbd>
        </dt>
        <dd>{does}</dd>
      </div>
    ))}
  </dl>
)

const toPlaces: readonly Shortcut[] = places.map(([key, , title]) => ({ keys: `g ${key}`, does: title }))

export function KeyHelp() {
  const [isOpen, setOpen] = useState(false)
  const [isOn, setOn] = useState(areOn)
  // A layout effect runs before the user sees the page, so no key is lost.
  useLayoutEffect(() => listen(() => setOpen(true)), [])
  if (!isOpen) return null
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <List label="Always" shortcuts={otherKeys} />
      <h3>Single keys</h3>
      <label class="switch">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            turn(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />{' '}
        Use single keys
      </label>
      <List label="On a page" shortcuts={singleKeys} />
      <h3>Pages</h3>
      <List label="To a page" shortcuts={toPlaces} />
      <div class="buttons">
        <button type="button" class="primary" onClick={() => setOpen(false)}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
