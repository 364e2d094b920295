/** The parts of a tutorial: commands to run, files to write, and the shown output. */

/** Commands for a shell, with the output shown below them. */
interface Commands {
  kind: 'commands'
  /** The line of the block, counted from 1. */
  line: number
  text: string
  /** The shown output, or null. */
  shown: string | null
}

interface File {
  kind: 'file'
  line: number
  /** The path above the block, relative to the shell's directory. */
  path: string
  text: string
}

export type Step = Commands | File

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm
const named = /(?:^|\n)`([^`\n]+)`:\n\n$/

/**
 * Reads the fenced blocks of a page.
 * @throws Error for any other block
 */
export function readSteps(markdown: string): Step[] {
  const steps: Step[] = []
  for (const { 0: whole, 1: language, 2: text = '', index } of markdown.matchAll(fence)) {
    const before = markdown.slice(0, index)
    const line = before.split('\n').length
    const path = named.exec(before)?.[1]
    const last = steps.at(-1)
    if (language === 'sh') steps.push({ kind: 'commands', line, text, shown: null })
    else if (path !== undefined) steps.push({ kind: 'file', line, path, text })
    else if (language === 'text' && last?.kind === 'commands' && last.shown === null) last.shown = text
    else throw new Error(`Line ${line}: a block that is not a command, a file or an output: ${whole}`)
  }
  return steps
}

/** The expected output: `…` in a line matches any text, `…` alone any number of lines. */
export function patternOf(shown: string): RegExp {
  const lines = shown
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\n)*?' : `${line.split('…').map(escapeText).join('.*')}\n`))
  return new RegExp(`^${lines.join('')}$`)
}

const escapeText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
