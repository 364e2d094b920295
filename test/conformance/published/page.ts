/** `docs/conformance/gateway.md`: each row of the tables with the result of its test. */
import type { Results, Table } from './table.ts'

const head = `# Test results of this release

Written by \`npm run conformance\`; do not edit. Each row is a test that a release must pass. The tests run through HTTP against
local servers that simulate the providers as documented. The other pages in this folder are about coding agents and MCP.
`

export function renderPage(tables: readonly Table[], results: Results): string {
  const sections = tables.map(({ title, text, columns }) => {
    const rows = results.get(title) ?? []
    const passed = rows.filter(({ hasPassed }) => hasPassed).length
    const lines = rows.map(({ cells, hasPassed }) =>
      line([...cells.map(escapeBars), hasPassed ? 'passed' : '**failed**']),
    )
    return [
      `## ${title}\n\n${text} ${passed} of ${rows.length} passed.\n`,
      line([...columns, 'result']),
      line([...columns, ''].map(() => '---')),
      ...lines,
    ].join('\n')
  })
  return `${[head, ...sections].join('\n')}\n`.replaceAll('\n## ', '\n\n## ').replaceAll('\n\n\n', '\n\n')
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const escapeBars = (text: string) => text.replaceAll('|', '\\|')
