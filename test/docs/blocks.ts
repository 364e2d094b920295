/** The fenced blocks of shell, JavaScript, Python and YAML in a page, and whether the page marks a block as not run. */

export interface Block {
  language: 'sh' | 'js' | 'python' | 'yaml'
  /** The line of the block, counted from 1. */
  line: number
  text: string
  /** The page's reason not to run it; null for a block that is run. */
  reason: string | null
}

const fence = /^```(sh|bash|js|javascript|python|yaml)\n([\s\S]*?)^```$/gm
const notRun = /(?:#|\/\/) Not run by the tests: (.+)/

/** Commands such as `npm ci && npm start`, with which CI itself begins. */
const isInstall = (text: string) => /^(npm ci && npm (start|test)|npx @gateway\/gateway start)\n$/.test(text)

const languages: Readonly<Record<string, Block['language']>> = {
  sh: 'sh',
  bash: 'sh',
  js: 'js',
  javascript: 'js',
  python: 'python',
  yaml: 'yaml',
}

export function readBlocks(markdown: string): Block[] {
  return [...markdown.matchAll(fence)].map(({ 1: language, 2: text = '', index }) => ({
    language: languages[language ?? ''] ?? 'sh',
    line: markdown.slice(0, index).split('\n').length,
    text,
    reason: isInstall(text) ? 'it is how the tests themselves begin' : (notRun.exec(text)?.[1] ?? null),
  }))
}
