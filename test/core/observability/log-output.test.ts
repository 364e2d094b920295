/** The last lines of a log whose process closes it while an earlier write is in flight. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'

const door = new URL('../../../../core/dist/observability/index.js', import.meta.url).href

/** Runs the statements with a log in scope, and returns everything that the process wrote to stdout. */
async function outputOf(statements: string): Promise<string> {
  const script = `
    import { createLog } from ${JSON.stringify(door)}
    const output = await createLog({ level: 'info', format: 'json' })
    ${statements}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += String(chunk)
  })
  await once(child, 'close')
  return text
}

/** Its lines are written at intervals, which never come here. */
const unwritten = `
  globalThis.setInterval = () => ({ unref() {} })
  const { createLog } = await import(${JSON.stringify(door)})
  const output = await createLog({ level: 'info', format: 'json' })
  output.log.info('listening')
  output.flush()
  process.stdin.resume()`

describe('a log that is flushed', () => {
  it('writes its lines without waiting for the next interval', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', unwritten], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
    expect(String(chunk)).to.include('"listening"')
    child.stdin.end()
    await once(child, 'close')
  })
})

describe('a log that is closed', () => {
  it('writes lines that were added while an earlier write was in flight', async () => {
    const text = await outputOf(`
      output.log.info('x'.repeat(20_000))
      output.log.info('stopped')
      await output.close()`)
    const messages = text
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { msg: string }).msg)
    expect(messages).to.have.length(2)
    expect(messages[1]).to.equal('stopped')
  })
})
