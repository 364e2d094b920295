/** The page of errors lists every code with its status, a cause and a remedy. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, errorCodes, GatewayError } from '@gateway/contract'
import { expect } from 'chai'

const page = fileURLToPath(new URL('../../../docs/errors.md', import.meta.url))

describe('docs/errors.md', () => {
  it('has a row for each code of the gateway and no other', async () => {
    const rows = [
      ...(await readFile(page, 'utf8')).matchAll(/^\| `(\w+)` \| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm),
    ]
    const written = new Map(rows.map(([, code = '', status]) => [code, Number(status)]))
    expect(rows).to.have.length(written.size)
    const statusOf = (code: ErrorCode) => new GatewayError(code, '').status
    expect(Object.fromEntries(written)).to.deep.equal(
      Object.fromEntries(errorCodes.map((code) => [code, statusOf(code)])),
    )
    for (const [, code, , cause = '', remedy = ''] of rows)
      expect([cause.trim().length > 5, remedy.trim().length > 5], code).to.deep.equal([true, true])
  })
})
