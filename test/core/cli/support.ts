/** A terminal that records its output. */
import type { Terminal } from '#core/cli/terminal'

export interface Recording extends Terminal {
  output: string
  errors: string
}

export function terminal(
  given: Partial<Pick<Terminal, 'environment' | 'directory'>> & { input?: string } = {},
): Recording {
  return {
    output: '',
    errors: '',
    environment: given.environment ?? {},
    directory: given.directory ?? process.cwd(),
    out(text) {
      this.output += text
    },
    err(text) {
      this.errors += text
    },
    readInput: async () => given.input ?? '',
  }
}
