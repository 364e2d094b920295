/** Light or dark theme. Follows the system setting until the user chooses; the choice is stored in localStorage. */
import { useState } from 'preact/hooks'

const name = 'console-theme'

function stored(): string {
  try {
    return localStorage.getItem(name) ?? ''
  } catch {
    // A browser may forbid storage; the choice then lasts until the page is closed.
    return ''
  }
}

function apply(theme: string): void {
  if (theme === '') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

apply(stored())

export function ThemeSwitch() {
  const [theme, setTheme] = useState(stored())
  const change = (next: string) => {
    apply(next)
    setTheme(next)
    try {
      localStorage.setItem(name, next)
    } catch (error) {
      console.info('The choice is not kept: ', error)
    }
  }
  return (
    <label class="theme">
      Colours{' '}
      <select value={theme} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}
