/** Shows a new admin key on the terminal: never in the log. */
import process from 'node:process'

export function printKey(key: string): void {
  process.stderr.write(`\nAn admin key was made. It is shown once; only its hash is kept:\n\n  ${key}\n\n`)
}
