/** Which requests make someone other than the caller run tools, in each format. */
import { expect } from 'chai'
import { runsTools } from '#domain/runs-tools'

describe('a request that is run again', () => {
  const contents = [{ parts: [{ text: 'x' }] }]
  const rows: [what: string, body: Parameters<typeof runsTools>[0], runs: boolean][] = [
    ['functions', { tools: [{ type: 'function', function: { name: 'f' } }] }, false],
    ['no tools', { tools: null, web_search_options: null, mcp_servers: null }, false],
    ["a provider's web search", { web_search_options: {} }, true],
    ['a web search of Messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, true],
    ['tools of Messages with a schema', { tools: [{ name: 'f', input_schema: {} }] }, false],
    [
      'functions of the Gemini format',
      { contents, tools: [{ functionDeclarations: [{ name: 'f' }] }] },
      false,
    ],
    ['a search of the Gemini format', { contents, tools: [{ googleSearch: {} }] }, true],
    [
      'code execution of the Gemini format beside functions',
      { contents, tools: [{ functionDeclarations: [] }, { codeExecution: {} }] },
      true,
    ],
  ]
  for (const [what, body, runs] of rows)
    it(`${runs ? 'runs tools again' : 'runs no tools again'} with ${what}`, () => {
      expect(runsTools(body)).to.equal(runs)
    })
})
